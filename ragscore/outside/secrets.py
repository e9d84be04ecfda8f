"""Secrets: ``${NAME}`` stands for a variable of the environment wherever it is written.

Specs, keys, manifests, logs and errors hold ``${NAME}``; the value is put in only when a system is
asked, and taken out again of what comes back before any of it is shown. ``$${NAME}`` is the text
``${NAME}`` itself.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ragscore.errors import Problem

VARIABLE = re.compile(r"(?P<plain>\$)?\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}")
"""``${NAME}``, and ``$${NAME}`` for this text itself."""
_WORD = 4
"""Characters of a value that is replaced wherever it stands; shorter ones only as words."""
_LONG = 8
"""Characters of a line that nobody writes by chance."""
_HTML = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
_SECRET_NAME = re.compile(
    r"authorization|cookie|token(?![a-z])|secret|password|api[-_]?key", re.IGNORECASE
)
"""One token opens a door; ``max_tokens`` and a tokenizer are something else."""


def is_secret(name: str) -> bool:
    """Whether a header, a parameter of a URL, a key of a body, or a variable of the environment has
    the name of a secret.

    >>> is_secret("Authorization"), is_secret("OPENAI_API_KEY"), is_secret("max_tokens")
    (True, True, False)
    """
    return _SECRET_NAME.search(name) is not None


def check_no_secret(name: str, value: str) -> None:
    """Refuse the value of a secret in the clear.

    Args:
        name: of a header, a parameter of a URL or a key of a body.
        value: what is written for it.

    Raises:
        ValueError: says what to write instead.
    """
    if value and is_secret(name):
        check_not_in_the_clear(name, value)


def check_not_in_the_clear(name: str, value: str) -> None:
    """Refuse the value of what is a secret, whatever its name is, in the clear.

    Raises:
        ValueError: says what to write instead.
    """
    if not variables_in(value):
        raise ValueError(
            f"the value of {name} would stand in every result. Put it into the environment and "
            "write ${NAME} here"
        )


def check_no_secret_in(data: Any, unless: Callable[[str], object] = lambda text: False) -> None:
    """Refuse the value of a secret in the clear anywhere in plain data.

    Args:
        data: such as the body of a request.
        unless: whether a text is none whatever its name is, such as one that a query fills in.

    Raises:
        ValueError: says what to write instead.
    """
    if isinstance(data, list):
        for inner in data:
            check_no_secret_in(inner, unless)
    elif isinstance(data, dict):
        for name, value in data.items():
            check_no_secret_in(value, unless)
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str) and not unless(text):
                    check_no_secret(name, text)


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


def with_texts(
    value: Any, change: Callable[[str], Any], of_key: Callable[[str], str] | None = None
) -> Any:
    """Plain data with all its texts changed.

    Args:
        value: the data.
        change: what a text becomes.
        of_key: the same of the keys of mappings; by default as other texts.

    >>> with_texts({"a": ["b", 1]}, str.upper)
    {'A': ['B', 1]}
    """
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        changed = change if of_key is None else of_key
        return {changed(key): with_texts(inner, change, of_key) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [with_texts(inner, change, of_key) for inner in value]
    return value


def variables_in(value: Any) -> list[str]:
    """The variables that plain data names, each once.

    >>> variables_in({"Authorization": "Bearer ${KEY}"})
    ['KEY']
    """
    return list(
        dict.fromkeys(
            found["name"]
            for text in texts_in(value)
            for found in VARIABLE.finditer(text)
            if not found["plain"]
        )
    )


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

    def filled(self, data: Any) -> Any:
        """Plain data with the values in place of the names in all its texts."""
        return with_texts(data, self.fill)

    def fill(self, text: str) -> str:
        """A text with the values in place of the names; a value is not looked at again.

        >>> Secrets({"KEY": "${KEY}"}).fill("${KEY} $${KEY}")
        '${KEY} ${KEY}'
        """
        return VARIABLE.sub(
            lambda found: found[0][1:] if found["plain"] else self.values.get(found["name"], ""),
            text,
        )

    def digest(self, salt: str) -> str:
        """A digest of the values, empty if there are none: slow to make, so that nobody who has
        it finds a value by trying.

        Args:
            salt: what else the values stand with.
        """
        if not self.values:
            return ""
        values = json.dumps(sorted(self.values.items())).encode()
        return hashlib.scrypt(values, salt=salt.encode(), n=2**14, r=8, p=1, dklen=32).hex()

    def redact(self, text: str) -> str:
        """A text with the names in place of the values, however each of their characters is
        written: as it is, or encoded for a URL, JSON, HTML, in upper or lower case; or the whole by
        base64. Other forms are not found, such as hexadecimal digits or UTF-16.

        A value of up to three characters is replaced where it is a word of its own: inside others
        it is no secret, and without it they could not be read.

        >>> Secrets({"KEY": "a/b c"}).redact("Bearer a/b c, ?key=a%2Fb%20c")
        'Bearer ${KEY}, ?key=${KEY}'
        >>> Secrets({"KEY": "a/b c"}).redact("BEARER A/B C")
        'BEARER ${KEY}'
        >>> Secrets({"KEY": "1"}).redact("1 of 101 failed")
        '${KEY} of 101 failed'
        """
        if self._written is None:
            return text
        pattern, names = self._written
        return pattern.sub(lambda found: f"${{{names[found.lastgroup or '']}}}", text)

    def redacted(self, data: Any) -> Any:
        """Plain data with all its texts redacted, keys of mappings included."""
        try:
            return with_texts(data, self.redact)
        except RecursionError:
            return "nested too deeply"

    def redacted_unless(self, values: list[Any], known: Container[str]) -> list[Any]:
        """Plain data with all its texts redacted but those that are known anyway, such as the ids
        of a corpus."""
        if self._written is None:
            return values
        return [
            value if isinstance(value, str) and value in known else self.redacted(value)
            for value in values
        ]

    @cached_property
    def _written(self) -> tuple[re.Pattern[str], Mapping[str, str]] | None:
        """A pattern for all that a value may look like, the longest value first, since one may be
        in another; and the variables by the names of its groups. None if there is no value."""
        found: dict[str, str] = {}
        for name, value in self.values.items():
            for part in _parts(value):
                found.setdefault(part, name)
        parts = sorted(found, key=lambda part: -len(part))
        if not parts:
            return None
        names = {f"v{at}": found[part] for at, part in enumerate(parts)}
        written = (f"(?P<v{at}>{_written(part)})" for at, part in enumerate(parts))
        return re.compile("|".join(written)), names


def _parts(value: str) -> list[str]:
    """The value itself, its lines where it has many, and what base64 of a user's name and password
    holds: a system may repeat any of them alone."""
    found = [value, value.strip()]
    if "\n" in value:
        found += [line.strip() for line in value.splitlines() if len(line.strip()) >= _LONG]
    with suppress(ValueError):  # what is no base64, or no text
        user_and_password = base64.b64decode(value.strip(), validate=True).decode()
        if ":" in user_and_password and user_and_password.isprintable():
            found += [user_and_password, user_and_password.partition(":")[2]]
    return [part for part in dict.fromkeys(found) if part]


def _written(part: str) -> str:
    """A regular expression for what a value may look like."""
    plain = f"(?i:{''.join(map(_cases, part))})"
    if len(part) < _WORD:
        return rf"(?<![^\W_]){plain}(?![^\W_])"
    return "|".join([plain, *_in_base64(part.encode(errors="surrogatepass"))])


def _cases(character: str) -> str:
    """How one character may be written, in upper or lower case: in several characters, or bytes
    that no option of regular expressions knows, where it is not ASCII."""
    if character.isascii():
        return f"(?:{'|'.join(_encodings(character))})"
    forms = dict.fromkeys((character, character.upper(), character.lower()))
    written = ("".join(f"(?:{'|'.join(_encodings(part))})" for part in form) for form in forms)
    return f"(?:{'|'.join(written)})"


def _encodings(character: str) -> list[str]:
    """How one character may be written, also where that is encoded once more."""
    as_bytes = character.encode(errors="surrogatepass")
    units = character.encode("utf-16-be", "surrogatepass").hex()
    code = ord(character)
    found = [
        r"\\+" if character == "\\" else re.escape(character),
        rf"\\+{re.escape(character)}" if character in "/'\"" else "",
        r"\+" if character == " " else "",
        "".join(f"%(?:25)*{_hexadecimal(f'{byte:02x}')}" for byte in as_bytes),
        "".join(rf"\\+u{_hexadecimal(units[at : at + 4])}" for at in range(0, len(units), 4)),
        rf"&(?:amp;)*\#0*{code};",
        rf"&(?:amp;)*\#[xX]0*{_hexadecimal(f'{code:x}')};",
        f"&(?:amp;)*{_HTML[character]};" if character in _HTML else "",
    ]
    for escaped in (repr(character)[1:-1], json.dumps(character)[1:-1]):
        if len(escaped) > 1 and escaped[0] == "\\" != character:  # such as \n
            found.append(rf"\\+{re.escape(escaped[1:])}")
    return [form for form in dict.fromkeys(found) if form]


def _hexadecimal(digits: str) -> str:
    """Digits in lower or upper case."""
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)


def _in_base64(value: bytes) -> list[str]:
    """What base64 of any text has in it that holds this value, by both of its alphabets: of the
    three ways to fall on its groups of three bytes, the characters that no other byte changes."""
    found = []
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + value).decode().rstrip("=")
        whole = (before + len(value)) * 8 // 6
        inside = encoded[-(-before * 8 // 6) : whole]
        if len(inside) >= _WORD:
            found += [re.escape(inside), re.escape(inside.replace("+", "-").replace("/", "_"))]
    return list(dict.fromkeys(found))
