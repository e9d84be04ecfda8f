"""Asking a system over HTTP, and reading what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ragscore.dataset import Corpus
from ragscore.outside.failures import PermanentFailure
from ragscore.outside.secrets import Secrets
from ragscore.outside.service import Service
from ragscore.retrievers.calls import CallOptions, RawAnswer
from ragscore.retrievers.http.json_path import NotThereError, values_at
from ragscore.retrievers.http.options import RequestOptions
from ragscore.retrievers.http.template import filled, filled_text


class System:
    """What a spec describes, with the values of its secrets; nothing is sent before it is asked."""

    def __init__(self, spec: RequestOptions, calls: CallOptions) -> None:
        self._spec = spec
        self._secrets = Secrets.named_in(spec.url, spec.headers, spec.body)
        self._knows_k = "k" in spec.fields
        self._service = Service(
            spec.url,
            spec.headers,
            self._secrets,
            calls.timeout,
            sends_json=spec.body is not None,
        )

    def close(self) -> None:
        """Close its connections."""
        self._service.close()

    async def ask(self, fields: Mapping[str, Any], corpus: Corpus) -> RawAnswer:
        """What the system answers to one query.

        Args:
            fields: of the query, for the templates.
            corpus: in whose ids nothing is secret.

        Raises:
            TemporaryFailure: it may answer when it is asked again.
            PermanentFailure: it will not.
        """
        data = await self._service.json(
            self._spec.asks_with,
            filled_text(
                self._spec.url,
                fields,
                self._secrets,
                lambda text: quote(text, safe="", errors="replace"),
            ),
            filled(self._spec.body, fields, self._secrets),
        )
        return self._answer(data, fields["k"]).redacted(self._secrets, corpus)

    def _answer(self, data: Any, k: int) -> RawAnswer:
        paths = self._spec.response
        try:
            ids = [_text_of(found) for found in values_at(data, paths.ids)]
            at = paths.scores or paths.distances
            scores = None if at is None else values_at(data, at)
            texts = None if paths.texts is None else values_at(data, paths.texts)
        except NotThereError:
            said = self._what_is_missing(data)
            raise PermanentFailure(f"its answer does not fit response: {said}") from None
        if scores is not None and paths.distances is not None:
            scores = [_negative(found) for found in scores]
        answer = RawAnswer(ids, scores, texts)
        return answer if self._knows_k else answer.cut(k)  # it may not know how many are wanted

    def _what_is_missing(self, data: Any) -> str:
        """How far the paths go, and what is there, without secrets."""
        paths = self._spec.response
        data = self._secrets.redacted(data)
        try:
            for path in (paths.ids, paths.scores, paths.distances, paths.texts):
                if path is not None:
                    values_at(data, path)
        except NotThereError as error:
            return str(error)
        return "a name in it is that of a secret"


def _text_of(found: Any) -> Any:
    """A passage id: many systems number their passages."""
    return str(found) if isinstance(found, int) and not isinstance(found, bool) else found


def _negative(found: Any) -> Any:
    """A distance as a score; what is not a number is refused later."""
    return -found if isinstance(found, int | float) and not isinstance(found, bool) else found
