"""Asking a system over HTTP, and reading what it answers."""

from __future__ import annotations

import http.client
import json
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

from ragscore.dataset import Corpus
from ragscore.errors import message_of
from ragscore.retrievers.calls import CallOptions, PermanentFailure, RawAnswer, TemporaryFailure
from ragscore.retrievers.http.json_path import NotThereError, values_at
from ragscore.retrievers.http.kept_connections import (
    MAX_BYTES,
    KeptConnections,
    Request,
    Response,
    TooLongError,
    UnreadableError,
    json_of,
)
from ragscore.retrievers.http.options import RequestOptions
from ragscore.retrievers.http.template import filled, filled_text
from ragscore.retrievers.secrets import Secrets
from ragscore.version import __version__

_ASKED_AGAIN = frozenset({408, 425, 429})
_SHOWN = 200
_LOOKED_AT = 65_536
"""Bytes of an answer in which secrets are looked for before the beginning is shown."""


class System:
    """What a spec describes, with the values of its secrets; nothing is sent before it is asked."""

    def __init__(self, spec: RequestOptions, calls: CallOptions) -> None:
        self._spec = spec
        self._secrets = Secrets.named_in(spec.url, spec.headers, spec.body)
        self._knows_k = "k" in spec.fields
        given = {name: self._secrets.fill(value) for name, value in spec.headers.items()}
        default = {"User-Agent": f"ragscore/{__version__}", "Accept": "application/json"}
        if spec.body is not None:
            default["Content-Type"] = "application/json"
        # A packed body may be a bomb, and saves nothing here.
        default["Accept-Encoding"] = "identity"
        names = {name.lower() for name in given}
        self._headers = {
            **{name: value for name, value in default.items() if name.lower() not in names},
            **given,
        }
        self._connections = KeptConnections(calls.timeout)

    def close(self) -> None:
        """Close its connections."""
        self._connections.close()

    async def ask(self, fields: Mapping[str, Any], corpus: Corpus) -> RawAnswer:
        """What the system answers to one query.

        Args:
            fields: of the query, for the templates.
            corpus: in whose ids nothing is secret.

        Raises:
            TemporaryFailure: it may answer when it is asked again.
            PermanentFailure: it will not.
        """
        answer = self._read(await self._sent(fields), fields)
        return answer.redacted(self._secrets, corpus)

    async def _sent(self, fields: Mapping[str, Any]) -> Response:
        body = filled(self._spec.body, fields, self._secrets)
        request = Request(
            self._spec.asks_with,
            filled_text(
                self._spec.url,
                fields,
                self._secrets,
                lambda text: quote(text, safe="", errors="replace"),
            ),
            self._headers,
            None if body is None else json.dumps(body).encode(),
        )
        try:
            return await self._connections.send(request)
        except TooLongError:
            what = f"it answers with more than {MAX_BYTES // 2**20} MiB"
            raise PermanentFailure(what) from None
        except UnreadableError as error:
            said = self._plain(str(error))
            raise TemporaryFailure(f"its answer cannot be read: {said}") from None
        except (OSError, http.client.HTTPException) as error:
            said = f"{type(error).__name__}: {self._plain(message_of(error))}"
            raise TemporaryFailure(f"{self._spec.url} does not answer: {said}") from None

    def _read(self, response: Response, fields: Mapping[str, Any]) -> RawAnswer:
        status = response.status
        if 200 <= status < 300:
            return self._answer(response.body, fields["k"])
        said = f"it answers with HTTP status {status}{self._excerpt(response.body)}"
        if status in _ASKED_AGAIN or status >= 500:
            raise TemporaryFailure(said, retry_after=wait_asked_for(response.headers))
        if 300 <= status < 400:
            target = self._plain(response.headers.get("location", ""))
            raise PermanentFailure(
                f"it answers with HTTP status {status} and points to '{target}', which is not "
                "followed: write the url that answers"
            )
        raise PermanentFailure(said)

    def _answer(self, body: bytes, k: int) -> RawAnswer:
        try:
            data = json_of(body.decode("utf-8-sig"))
        except ValueError as error:
            if not body.strip():
                raise TemporaryFailure("its answer is empty, not JSON") from None
            if body.lstrip().startswith(b"<"):
                what = "its answer is HTML or XML, not JSON, as of a proxy or a page to log in"
                raise TemporaryFailure(f"{what}{self._excerpt(body)}") from None
            said = f"{message_of(error)[:_SHOWN]}{self._excerpt(body)}"
            raise TemporaryFailure(f"its answer is not JSON: {said}") from None
        paths = self._spec.response
        try:
            ids = [_text_of(found) for found in values_at(data, paths.ids)]
            at = paths.scores or paths.distances
            scores = None if at is None else values_at(data, at)
            texts = None if paths.texts is None else values_at(data, paths.texts)
        except NotThereError:
            said = self._what_is_missing(data)
            raise PermanentFailure(f"its answer does not fit response: {said}") from None
        except RecursionError:
            raise PermanentFailure("its answer is nested too deeply") from None
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

    def _excerpt(self, body: bytes) -> str:
        shown = self._plain(body[:_LOOKED_AT].decode("utf-8", "replace"))
        return f": {shown}" if shown else ""

    def _plain(self, text: str) -> str:
        """The beginning of what the system wrote, on one line and without secrets."""
        plain = " ".join(self._secrets.redact(text).split())
        return re.sub(r"[^\x20-\x7e\xa0-\U0010ffff]", "?", plain[:_SHOWN])


def wait_asked_for(headers: Mapping[str, str]) -> float | None:
    """The seconds that ``Retry-After`` asks to wait, written as a number or as a date; None where
    it asks for nothing that can be read.

    >>> wait_asked_for({"retry-after": "7"})
    7.0
    """
    written = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", written):
        return float(written)
    try:
        return max(0.0, parsedate_to_datetime(written).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _text_of(found: Any) -> Any:
    """A passage id: many systems number their passages."""
    return str(found) if isinstance(found, int) and not isinstance(found, bool) else found


def _negative(found: Any) -> Any:
    """A distance as a score; what is not a number is refused later."""
    return -found if isinstance(found, int | float) and not isinstance(found, bool) else found
