"""The languages of sentences, and names in them: a few, and none that fills lines.

Every command needs this much, and no table of strings, to show its help.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

CATALOGUES = Path(__file__).parent / "locale"
"""Where a file for each language has the translations: to add one is to add a language."""
LANGUAGES = ("en", *sorted(path.stem for path in CATALOGUES.glob("*.json")))
if TYPE_CHECKING:
    Language: TypeAlias = str
else:
    Language = Literal[LANGUAGES]
MOST = 5
"""Names that a sentence lists."""
LONGEST = 40
"""Characters of a name that a sentence shows."""


def shortened(name: str, most: int = LONGEST) -> str:
    """The beginning of a long name, with an ellipsis; ``most``: characters that it may have.

    >>> shortened("bm25"), len(shortened("word" * 200))
    ('bm25', 40)
    """
    return name if len(name) <= most else name[: most - 1].rstrip() + "…"


def quoted(names: Iterable[str]) -> str:
    """The first three ids in quotes, and an ellipsis where there are more.

    >>> quoted(["d1", "d2"]), quoted("abcd")
    ("'d1', 'd2'", "'a', 'b', 'c', ...")
    """
    listed = [f"'{name}'" for name in names]
    return ", ".join([*listed[:3], *(["..."] if len(listed) > 3 else [])])


def few(names: Iterable[str]) -> tuple[str, int]:
    """The first names, shortened, with commas; and how many more there are.

    >>> few("abcdefg"), few(["one", "two"])
    (('a, b, c, d, e', 2), ('one, two', 0))
    """
    listed = list(names)
    return ", ".join(map(shortened, listed[:MOST])), max(len(listed) - MOST, 0)
