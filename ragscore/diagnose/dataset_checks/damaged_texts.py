"""Texts whose characters were lost or read in a wrong encoding."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _

_LATER = (
    "[\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc"
    "\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]"
)
MISREAD = re.compile(
    f"[\u00c2-\u00df]{_LATER}|[\u00e0-\u00ef]{_LATER}{{2}}|[\u00f0-\u00f4]{_LATER}{{3}}"
).findall
"""Bytes of UTF-8 that were read as Latin-1 or Windows-1252."""
_PAIRS = re.compile("[\u00a1-\u00fe]{4,}").findall
"""Bytes of cp949 that were read as Latin-1 or Windows-1252, two for a syllable."""
SYLLABLES = 4
"""Syllables of Hangul that such letters have to mean in one text: fewer do by chance."""
LOST = "\ufffd", "\u5360\uc3d9\uc619", "\u951f\u65a4\u62f7"
"""What stands for lost characters: U+FFFD, and its UTF-8 read as cp949 and as GBK."""
WRITTEN = re.compile(
    "[\u00a0-\u024f\u0370-\u03ff\u0400-\u04ff\u2010-\u2044\u20ac\u2122\u3000-\u30ff"
    "\u3131-\u318e\u4e00-\u9fff\uac00-\ud7a3\ufffd\U0001f300-\U0001faff]"
)
"""Letters and signs of texts that are often misread: not whatever three bytes may mean."""


def _look(data: CheckedData) -> CheckOutcome | None:
    passages, queries = _damaged(data.texts), _damaged(data.dataset.queries.texts)
    shown = [f"{data.query(row)}: {piece!r}" for row, piece in queries]
    shown += [f"{data.passage(row)}: {piece!r}" for row, piece in passages]
    total = len(data.texts) + len(data.dataset.queries)
    return CheckOutcome(len(shown), total, tuple(shown[:MAX_EXAMPLES])) if shown else None


def _damaged(texts: Sequence[str]) -> list[tuple[int, str]]:
    """Rows of damaged texts, and what is damaged there."""
    return [
        (row, piece)
        for row, text in enumerate(texts)
        if not text.isascii() and (piece := damage(text))
    ]


def damage(text: str) -> str:
    """The first damaged piece of a text; empty if there is none.

    >>> damage("caf\u00c3\u00a9"), damage("caf\u00e9"), damage("a\ufffdb")
    ('\u00c3\u00a9', '', '\ufffd')
    """
    for lost in LOST:
        if lost in text:
            return lost
    if korean := _korean(text):
        return korean
    found = [piece for piece in MISREAD(text) if _meant(piece)]
    sure = [piece for piece in found if len(piece) > 2 or piece[0] in "\u00c2\u00c3"]
    # Two letters may stand together by chance, as in a quotation; not again and again.
    return sure[0] if sure else found[0] if len(found) > 2 else ""


def _korean(text: str) -> str:
    """The first piece that is cp949 read as Latin-1 or Windows-1252; empty if there is none."""
    first, syllables = "", 0
    for piece in _PAIRS(text):
        meant = _read(piece, "cp949")
        if meant and all("\uac00" <= sign <= "\ud7a3" for sign in meant):
            first, syllables = first or piece, syllables + len(meant)
    return first if syllables >= SYLLABLES else ""


def _meant(piece: str) -> bool:
    """Whether the bytes that a piece stands for are UTF-8 for something that people write."""
    return WRITTEN.fullmatch(_read(piece, "utf-8")) is not None


def _read(piece: str, encoding: str) -> str:
    """What the bytes that a piece stands for are in an encoding; empty if they are nothing."""
    try:
        return b"".join(
            character.encode("cp1252" if ord(character) > 255 else "latin-1") for character in piece
        ).decode(encoding)
    except UnicodeError:
        return ""


CHECK = Check(
    "warning",
    what=_("Passages, documents and queries with lost or misread characters"),
    why=_(
        "A word read in the wrong encoding is a different word: neither BM25 nor a model finds "
        "it, and the text scores worse through no fault of the retriever."
    ),
    fix=_("Read the source again with its own encoding (`encoding: cp949`, `cp1252`, ...)."),
    look=_look,
)
