"""Secrets: ``${NAME}`` stands for a variable of the environment wherever it is written.

Specs, keys, manifests, logs and errors hold ``${NAME}``; the value is put in only when a system is
asked, and taken out again of whatever comes back.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, quote_plus

from ragscore.errors import Problem

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

_SECRET_NAME = re.compile(r"authorization|cookie|token|secret|password|api-?key", re.IGNORECASE)


def is_secret(name: str) -> bool:
    """Whether a header, or a variable of the environment, has the name of a secret.

    >>> is_secret("Authorization"), is_secret("OPENAI_API_KEY"), is_secret("Accept")
    (True, True, False)
    """
    return _SECRET_NAME.search(name) is not None


def texts_in(value: Any) -> Iterator[str]:
    """All texts in plain data, keys of mappings included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from texts_in(key)
            yield from texts_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner)


def variables_in(value: Any) -> list[str]:
    """The variables that plain data names, each once.

    >>> variables_in({"Authorization": "Bearer ${KEY}"})
    ['KEY']
    """
    return list(dict.fromkeys(name for text in texts_in(value) for name in VARIABLE.findall(text)))


def unset_variables(value: Any, where: str) -> list[Problem]:
    """A problem for each variable that plain data names and that is not set, or is empty.

    Args:
        value: what was written.
        where: the option.
    """
    return [
        Problem(
            f"the environment has no variable {name}"
            if name not in os.environ
            else f"the environment variable {name} is empty",
            where=where,
            instead=f"Set it before the run, such as: export {name}=...",
        )
        for name in variables_in(value)
        if not os.environ.get(name)
    ]


@dataclass(frozen=True, repr=False)
class Secrets:
    """The values of variables while a system is asked; never written anywhere.

    Args:
        values: by the variable's name.
    """

    values: Mapping[str, str]

    @classmethod
    def named_in(cls, *written: Any) -> Secrets:
        """Those that plain data names; what is not set is empty."""
        names = variables_in(written)
        return cls({name: os.environ.get(name, "") for name in names})

    def fill(self, text: str) -> str:
        """A text with the values in the place of the names."""
        return VARIABLE.sub(lambda found: self.values.get(found[1], ""), text)

    def digest(self, salt: str) -> str:
        """A digest of the values, empty where there are none: slow to make, so that nobody who has
        it finds a value by trying.

        Args:
            salt: what else the values stand with.
        """
        if not self.values:
            return ""
        values = json.dumps(sorted(self.values.items())).encode()
        return hashlib.scrypt(values, salt=salt.encode(), n=2**14, r=8, p=1, dklen=32).hex()

    def redact(self, text: str) -> str:
        """A text with the names in the place of the values, as they are or encoded for a URL or
        for JSON.

        >>> Secrets({"KEY": "a/b c"}).redact("Bearer a/b c, ?key=a%2Fb%20c")
        'Bearer ${KEY}, ?key=${KEY}'
        """
        if not self._forms:
            return text
        written = re.compile("|".join(map(re.escape, self._forms)))
        return written.sub(lambda found: f"${{{self._forms[found[0]]}}}", text)

    @cached_property
    def _forms(self) -> dict[str, str]:
        """Every way in which a value may be written, the longest first: one may be in another; and
        its name."""
        found: dict[str, str] = {}
        for name, value in self.values.items():
            for text in dict.fromkeys((value, value.strip())):
                in_json = json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]
                for form in (
                    text,
                    quote(text, safe=""),
                    quote(text),
                    quote_plus(text),
                    repr(text)[1:-1],
                    *in_json,
                    *(form.replace("/", "\\/") for form in in_json),
                ):
                    if form:
                        found.setdefault(form, name)
        return dict(sorted(found.items(), key=lambda pair: -len(pair[0])))
