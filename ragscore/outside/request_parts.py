"""What requests are made of: URLs and headers, checked before anything is sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator

from ragscore.errors import Problem
from ragscore.outside.secrets import VARIABLE, Secrets, check_no_secret, unset_variables

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OWN_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection"})


def check_url(url: str) -> None:
    """Refuse what cannot be asked over HTTP.

    Raises:
        ValueError: says why.
    """
    plain = VARIABLE.sub("x", url)
    try:
        parts = urlsplit(plain)
        found = parts.port, parts.hostname
    except ValueError:
        raise ValueError(
            f"'{url}' is not a URL. Write http://HOST/PATH or https://HOST/PATH"
        ) from None
    if parts.scheme not in ("http", "https") or not found[1]:
        raise ValueError(f"'{url}' is not a URL. Write http://HOST/PATH or https://HOST/PATH")
    if "@" in parts.netloc:
        raise ValueError(
            "a url with a password would stand in every result. "
            'Write headers: {Authorization: "Basic ${NAME}"}'
        )
    if parts.fragment or not plain.isascii() or any(mark <= " " for mark in plain):
        raise ValueError(
            f"'{url}' has characters that a request cannot send. Percent-encode them, and leave "
            "out what begins with #"
        )


def check_url_parameters(url: str, unless: Callable[[str], object] = lambda text: False) -> None:
    """Refuse the value of a secret in the clear behind the ``?``.

    Args:
        url: it, with ``${NAME}`` in it.
        unless: whether a value is none whatever its name is, such as one that a query fills in.

    Raises:
        ValueError: says what to write instead.
    """
    for name, value in parse_qsl(url.partition("?")[2], keep_blank_values=True):
        if not unless(value):
            check_no_secret(name, value)


def _checked_headers(headers: dict[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise ValueError(f"'{name}' cannot be the name of a header")
        if name.lower() in _OWN_HEADERS:
            raise ValueError(f"{name} is set for each request. Leave it out")
        if not value.isprintable():
            raise ValueError(f"the value of {name} has characters that no header can have")
        check_no_secret(name, value)
    return headers


Headers = Annotated[dict[str, str], AfterValidator(_checked_headers)]
"""Headers that a request can have, without secrets in the clear."""


def unset_or_unfit(
    url: str, headers: Mapping[str, str], written: Mapping[str, Any]
) -> list[Problem]:
    """Variables of the environment that are not set; else those whose values, which are not shown,
    make no URL or no header.

    Args:
        url, headers: with ``${NAME}`` in them.
        written: by option, all that names variables, these included.
    """
    unset = [problem for option in written for problem in unset_variables(written[option], option)]
    if unset:
        return unset
    secrets = Secrets.named_in(url, headers)
    problems = []
    try:
        check_url(secrets.fill(url))
    except ValueError as error:
        problems.append(Problem(secrets.redact(str(error)), "url"))
    for name, value in headers.items():
        filled = secrets.fill(value)
        if not (filled.isprintable() and filled.isascii()):
            what = f"the value of {name} has characters that no header can have"
            problems.append(
                Problem(what, "headers", "Look for line ends in the environment variable")
            )
    return problems
