"""A system that is asked over HTTP."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import PositiveInt, model_validator

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Queries
from ragscore.dataset.conditions import OF_QUERY, listed
from ragscore.dataset.metadata import known_key, metadata_keys
from ragscore.errors import Problem, RetrieverError
from ragscore.outside.secrets import Secrets, is_secret
from ragscore.progress import Progress
from ragscore.retrievers.base import MetadataRead
from ragscore.retrievers.calls import CallOptions
from ragscore.retrievers.calls.asked_retriever import AskedRetriever
from ragscore.retrievers.http.http_index import HttpIndex
from ragscore.retrievers.http.options import RequestOptions
from ragscore.retrievers.http.system import System
from ragscore.retrievers.http.template import fields_in
from ragscore.spec import canonical_json
from ragscore.validation.findings import contradiction


class Http(RequestOptions, AskedRetriever):
    """A system behind a URL, in any language: a request for each query, a JSON response.

    `{query}`, `{k}`, `{id}`, `{filter}` and `{query.KEY}` in the URL and the body stand for what a
    query asks, and `${NAME}` there and in headers for a variable of the environment.
    """

    kind: Literal["http"] = "http"
    concurrency: PositiveInt = 8
    """How many queries are under way at once."""

    @model_validator(mode="after")
    def _has_a_filter_to_send(self) -> Self:
        if self.filter is None and self.filters_itself:
            raise contradiction("filter", "it is missing, and {filter} is sent", "Add it")
        return self

    @property
    def filters_itself(self) -> bool:
        """True if the request has the conditions of ``filter``, so that no more than is wanted
        has to be fetched."""
        return "filter" in self.fields

    @property
    def fetched_before_filter(self) -> int:
        return 1 if self.filters_itself else super().fetched_before_filter

    def metadata_read(self) -> MetadataRead:
        read = super().metadata_read()
        return MetadataRead(read.passages, read.queries | self.metadata_keys)

    def check(self) -> list[Problem]:
        """Also that the environment has what ``${NAME}`` stands for, and that it fits."""
        return [*super().check(), *self.unset_or_unfit()]

    def check_data(self, corpus: Corpus, queries: Queries) -> list[Problem]:
        return super().check_data(corpus, queries) + [
            Problem(
                f"no query has metadata '{key}'",
                "body" if f"{OF_QUERY}{key}" in fields_in(self.body) else "url",
                known_key(key, queries.metadata),
            )
            for key in sorted(self.metadata_keys - set(metadata_keys(queries.metadata)))
        ]

    def content(self) -> dict[str, object]:
        """What a key digests: what is asked of whom, not how quickly and how often."""
        return self.model_dump(mode="json", exclude=set(CallOptions.model_fields))

    def answers_depend_on(self) -> dict[str, object]:
        """Also on variables of the environment, but for those of headers that hold secrets: with a
        new key, the same system goes on answering."""
        content = self.content()
        headers = {name: value for name, value in self.headers.items() if not is_secret(name)}
        secrets = Secrets.named_in(self.url, self.body, headers)
        return {**content, "variables": secrets.digest(canonical_json(content))}

    def open_index(
        self, corpus: Corpus, cache: Cache | None, *, name: str, strict: bool, progress: Progress
    ) -> HttpIndex:
        """Ready to ask; nothing is sent yet.

        Raises:
            RetrieverError: the environment lacks a variable, or its value cannot be sent.
        """
        for problem in self.check():
            raise RetrieverError(problem.what, retriever=name, instead=problem.instead)
        return HttpIndex(
            System(self, self),
            listed(self.filter),
            corpus,
            self,
            name=name,
            strict=strict,
            progress=progress,
        )
