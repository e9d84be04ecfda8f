"""Service: what answers requests over HTTP with JSON, and why it does not."""

from __future__ import annotations

import http.client
import json
import re
import ssl
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from ragscore.errors import message_of
from ragscore.outside.failures import PermanentFailure, TemporaryFailure
from ragscore.outside.kept_connections import (
    MAX_BYTES,
    MAX_VALUES,
    KeptConnections,
    Request,
    Response,
    TooLongError,
    UnreadableError,
    json_of,
)
from ragscore.outside.secrets import Secrets
from ragscore.version import __version__

_ASKED_AGAIN = frozenset({408, 425, 429})
_LASTING = frozenset({501, 505, 511})
"""Statuses from 500 on that the same request will get again."""
TOO_LONG = 413
"""The status of a failure where an answer is longer than may be read; that of a request which is
longer than the service reads."""
_SHOWN = 200
_LOOKED_AT = 65_536
"""Bytes of an answer in which secrets are looked for before the beginning is shown."""


class Service:
    """Something behind a URL. Nothing is sent before it is asked.

    Args:
        shown: its URL as the user wrote it, for messages.
        headers: as the user wrote them, ``${NAME}`` included; others are added.
        secrets: the values of the variables.
        timeout: seconds without a byte after which a request fails; None for no limit.
        sends_json: whether requests have a body.
    """

    def __init__(
        self,
        shown: str,
        headers: Mapping[str, str],
        secrets: Secrets,
        timeout: float | None,
        *,
        sends_json: bool = True,
    ) -> None:
        self._shown = shown
        self._secrets = secrets
        given = {name: secrets.fill(value) for name, value in headers.items()}
        default = {"User-Agent": f"ragscore/{__version__}", "Accept": "application/json"}
        if sends_json:
            default["Content-Type"] = "application/json"
        # A packed body may be a bomb, and saves nothing here.
        default["Accept-Encoding"] = "identity"
        names = {name.lower() for name in given}
        self._headers = {
            **{name: value for name, value in default.items() if name.lower() not in names},
            **given,
        }
        self._connections = KeptConnections(timeout)

    def close(self) -> None:
        """Close its connections."""
        self._connections.close()

    async def json(
        self,
        method: str,
        url: str,
        body: Any,
        max_bytes: int = MAX_BYTES,
        max_values: int = MAX_VALUES,
    ) -> Any:
        """What it answers to one request: the value of its JSON, secrets included.

        Args:
            method: of the request.
            url: where it goes, with the values of variables in it.
            body: sent as JSON; None sends none.
            max_bytes, max_values: that the answer may have.

        Raises:
            TemporaryFailure: it may answer when it is asked again.
            PermanentFailure: it will not.
        """
        content = None if body is None else json.dumps(body).encode()
        response = await self._sent(Request(method, url, self._headers, content, max_bytes))
        status = response.status
        if 200 <= status < 300:
            return self._data(response.body, status, max_values)
        said = f"it answers with HTTP status {status}{self._excerpt(response.body)}"
        if status in _ASKED_AGAIN or (status >= 500 and status not in _LASTING):
            raise TemporaryFailure(said, wait_asked_for(response.headers), status)
        if 300 <= status < 400:
            target = self.plain(response.headers.get("location", ""))
            raise PermanentFailure(
                f"it answers with HTTP status {status} and points to '{target}', which is not "
                "followed: write the url that answers",
                status,
            )
        raise PermanentFailure(said, status)

    async def _sent(self, request: Request) -> Response:
        try:
            return await self._connections.send(request)
        except TooLongError:
            most = f"{request.max_bytes / 2**20:.3g} MiB"
            raise PermanentFailure(f"it answers with more than {most}", TOO_LONG) from None
        except UnreadableError as error:
            said = self.plain(str(error))
            raise PermanentFailure(f"its answer cannot be read: {said}") from None
        except (OSError, http.client.HTTPException) as error:
            said = f"{type(error).__name__}: {self.plain(message_of(error))}"
            failure = PermanentFailure if _is_lasting(error) else TemporaryFailure
            raise failure(f"{self._shown} does not answer: {said}") from None

    def _data(self, body: bytes, status: int, max_values: int) -> Any:
        try:
            return json_of(body.decode("utf-8-sig"), max_values)
        except ValueError as error:
            if not isinstance(error, UnicodeDecodeError | json.JSONDecodeError):
                said = f"{message_of(error)[:_SHOWN]}{self._excerpt(body)}"
                raise PermanentFailure(f"its answer cannot be read: {said}", status) from None
            if not body.strip():
                raise TemporaryFailure("its answer is empty, not JSON", None, status) from None
            if body.lstrip().startswith(b"<"):
                what = "its answer is HTML or XML, not JSON, as of a proxy or a page to log in"
                raise TemporaryFailure(f"{what}{self._excerpt(body)}", None, status) from None
            said = f"{message_of(error)[:_SHOWN]}{self._excerpt(body)}"
            raise TemporaryFailure(f"its answer is not JSON: {said}", None, status) from None

    def _excerpt(self, body: bytes) -> str:
        shown = self.plain(body[:_LOOKED_AT].decode("utf-8", "replace"))
        return f": {shown}" if shown else ""

    def plain(self, text: str) -> str:
        """The beginning of what it wrote, on one line and without secrets."""
        plain = " ".join(self._secrets.redact(text).split())
        return re.sub(r"[^\x20-\x7e\xa0-\U0010ffff]", "?", plain[:_SHOWN])


def _is_lasting(error: Exception) -> bool:
    """Whether a connection would fail again: its certificate is not trusted, or what answers there
    does not speak TLS."""
    other_side = isinstance(error, ssl.SSLError) and error.reason == "WRONG_VERSION_NUMBER"
    return other_side or isinstance(error, ssl.SSLCertVerificationError)


def wait_asked_for(headers: Mapping[str, str]) -> float | None:
    """The seconds that ``Retry-After`` asks to wait, written as a number or as a date, or
    ``Retry-After-Ms`` in thousandths, which is more exact; None if they ask for nothing that can
    be read.

    >>> wait_asked_for({"retry-after": "7"}), wait_asked_for({"retry-after-ms": "1500"})
    (7.0, 1.5)
    """
    for name, part in (("retry-after-ms", 1_000), ("retry-after", 1)):
        written = headers.get(name, "").strip()
        if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", written):
            return float(written) / part
    try:
        return max(0.0, parsedate_to_datetime(written).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
