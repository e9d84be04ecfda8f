"""Names that files can have on Linux, macOS and Windows."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from unicodedata import category, normalize

from ragscore.errors import Problem

MAX_BYTES = 200
"""Bytes of a name in UTF-8: file systems allow 255, and suffixes follow."""
_FORBIDDEN = '/\\:*?"<>|'
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\..*)?")
"""What Windows keeps for itself, also with a suffix."""
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and marks that show nothing: fillers, a blank Braille pattern, variation selectors."""
NAME_PATTERN = (
    r'(?![ .])(?!.*[ .]$)[^/\\:*?"<>|\u0000-\u001f\u007f-\u00a0\u200b-\u200f\u2028-\u202e]{1,200}'
)
"""Most of the rule as a regular expression, for editors."""


def name_problem(name: object) -> Problem | None:
    r"""What is wrong with a name that will name files; None if nothing is.

    A name holds any characters that can be seen, of any language, and spaces between them. It
    holds none of ``/ \ : * ? " < > |``, no space at either end, no dot at either end (a file whose
    name begins with one is hidden), is composed (NFC), and no longer than :data:`MAX_BYTES`.

    >>> name_problem("BM25 (k1=0.9), 형태소"), name_problem("bm25.").instead
    (None, 'Leave it out')
    """
    if not isinstance(name, str):
        return Problem(f"a name that is not a string: {name!r}", instead="Write it in quotes")
    if not name:
        return Problem("an empty name", instead="Write at least one letter or digit")
    for character in name:
        if character in _FORBIDDEN:
            what = f"a name with '{character}', which no file can have"
            return Problem(what, instead=f"Leave out {' '.join(_FORBIDDEN)}")
        if not character.isprintable() or _BLANK.match(character):
            what = f"a name with the character U+{ord(character):04X}, which cannot be seen"
            blank = category(character) == "Zs"
            return Problem(what, instead="Write a space for it" if blank else "Delete it")
    composed = normalize("NFC", name)
    if composed != name:
        return Problem("a name in decomposed letters (NFD)", instead=f"Retype it: {composed}")
    if name[0] == " " or name[-1] == " ":
        return Problem("a name with a space at its end or beginning", instead="Leave it out")
    if name[-1] == ".":
        return Problem("a name that ends in a dot, which Windows drops", instead="Leave it out")
    if name[0] == ".":
        return Problem("a name that begins with a dot, which hides files", instead="Leave it out")
    if category(name[0])[0] == "M":
        return Problem("a name that begins with a mark of another letter", instead="Leave it out")
    if (length := len(name.encode())) > MAX_BYTES:
        what = f"a name of {length} bytes in UTF-8, too long for a file"
        return Problem(what, instead=f"It has at most {MAX_BYTES}")
    if is_reserved(name):
        return Problem("Windows reserves this name", instead=f"Write {name}-1, for example")
    return None


def is_reserved(name: str) -> bool:
    """Whether Windows keeps a name for itself."""
    return _RESERVED.fullmatch(name) is not None


def names_problems(names: Iterable[object]) -> Iterator[tuple[object, Problem]]:
    """What is wrong with names that will name files beside each other, by name."""
    seen: dict[str, str] = {}
    for name in names:
        if problem := name_problem(name):
            yield name, problem
        elif (first := seen.setdefault(str(name).casefold(), str(name))) != name:
            what = f"the name differs from '{first}' only in upper and lower case"
            instead = "Give it another: names of retrievers name files"
            yield name, Problem(what, instead=instead)


def fitted_name(text: str, otherwise: str) -> str:
    """A name like a text, such as that of a file: ``-`` for what a name cannot hold.

    >>> fitted_name("a b: c?", "experiment"), fitted_name("con", "experiment")
    ('a b- c-', '_con')
    """
    fitting = "".join(
        character if character.isprintable() and character not in _FORBIDDEN else "-"
        for character in _BLANK.sub("-", normalize("NFC", text[: 4 * MAX_BYTES]))
    ).strip(" .")
    while len(fitting.encode()) >= MAX_BYTES:
        fitting = fitting[:-1].rstrip(" .")
    # What Windows reserves, or begins with a mark, is fine behind something.
    wanted = fitting if name_problem(fitting) is None else f"_{fitting}"
    return wanted if fitting and name_problem(wanted) is None else otherwise


def file_stem(name: str) -> str:
    """The name of a file for a thing of any name: the name itself where it can be.

    Names that other tools gave to runs, or that several results share, may not be:

    >>> file_stem("bm25"), file_stem("../bm25")
    ('bm25', '-bm25-e9858942')
    """
    if name_problem(name) is None:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{fitted_name(name, 'run')[: MAX_BYTES // 4]}-{digest[:8]}"
