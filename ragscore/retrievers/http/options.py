"""What is sent to a system behind a URL, and where its answer stands in the response."""

from __future__ import annotations

from http import HTTPMethod
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, field_validator, model_validator

from ragscore.dataset.conditions import OF_QUERY
from ragscore.errors import Problem
from ragscore.outside.request_parts import (
    Headers,
    check_url,
    check_url_parameters,
    unset_or_unfit,
)
from ragscore.outside.secrets import VARIABLE, check_no_secret_in
from ragscore.retrievers.http.json_path import ListPath
from ragscore.retrievers.http.template import check_template, fields_in
from ragscore.spec import Spec
from ragscore.validation.findings import contradiction


def _templated(template: Any) -> Any:
    check_template(template)
    return template


class ResponsePaths(Spec):
    """Where in a JSON response the passages stand: paths with one `[*]`, which goes through the
    list of passages, best first.

    >>> ResponsePaths(ids="hits.hits[*]._source.doc_id", scores="hits.hits[*]._score").distances
    """

    ids: ListPath
    """The passage ids, such as `results[*].metadata.doc_id`; whole numbers are read as text."""
    scores: ListPath | None = None
    """The scores, higher is better; without them the ranking has none."""
    distances: ListPath | None = None
    """In place of `scores`: lower is better."""
    texts: ListPath | None = None
    """The texts of the passages, null if one has none: they are compared with the
    corpus, and if there is none shown in the report."""

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if self.scores is not None and self.distances is not None:
            what = "scores and distances are both given"
            raise contradiction("distances", what, "Write one of them")
        return self


class RequestOptions(Spec):
    """What is sent, and where in the response the passages stand."""

    url: Annotated[str, Field(min_length=1), AfterValidator(_templated)]
    """Where the system is asked; fields may stand after the host, and are percent-encoded."""
    method: Literal["GET", "POST", "PUT"] | None = None
    """By default POST where there is a body, and GET if there is none."""
    headers: Headers = Field(default={})
    """Sent with every request, such as `{Authorization: "Bearer ${SEARCH_KEY}"}`; `$${NAME}` is
    the text `${NAME}`."""
    body: Annotated[dict[str, Any] | list[Any] | None, AfterValidator(_templated)] = None
    """Sent as JSON; a text that is one field alone becomes its value, so that `"{k}"` is a
    number."""
    response: ResponsePaths
    """Where the response has ids, and scores or distances."""

    @field_validator("url")
    @classmethod
    def _is_url(cls, url: str) -> str:
        begins = VARIABLE.match(url)
        if begins is None or begins["plain"]:
            check_url(url)
            if fields_in(urlsplit(url).netloc):
                raise ValueError("fields may stand in the path and behind the ?, not in the host")
        check_url_parameters(url, unless=fields_in)
        return url

    @field_validator("body")
    @classmethod
    def _holds_no_secret(cls, body: Any) -> Any:
        check_no_secret_in(body, unless=fields_in)
        return body

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if self.method == "GET" and self.body is not None:
            what = "a GET request has no body"
            raise contradiction("body", what, "Write method: POST, or put the fields into the url")
        if not {"query", "id"} & set(self.fields):
            key = "url" if self.body is None else "body"
            raise contradiction(
                key, "the request never contains the query", 'Put "{query}" into url or body'
            )
        return self

    @property
    def fields(self) -> list[str]:
        """The fields in the url and the body."""
        return fields_in([self.url, self.body])

    @property
    def metadata_keys(self) -> frozenset[str]:
        """Of the queries' metadata, in the url and the body."""
        return frozenset(
            field.removeprefix(OF_QUERY) for field in self.fields if field.startswith(OF_QUERY)
        )

    @property
    def asks_with(self) -> HTTPMethod:
        """The method of every request."""
        return HTTPMethod(self.method or ("GET" if self.body is None else "POST"))

    def unset_or_unfit(self) -> list[Problem]:
        """Variables of the environment that are not set, else those that fit no request."""
        written = {option: getattr(self, option) for option in ("url", "headers", "body")}
        return unset_or_unfit(self.url, self.headers, written)
