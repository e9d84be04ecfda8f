"""written_in(texts): the language or script that passages are written in, where it is not Latin.

Read from a sample of the texts themselves: words that a tokenizer cuts at spaces are too long for
Chinese and Japanese, and carry particles and endings in Korean.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from ragscore.messages import Message, Text, _

SAMPLE = 200
"""Texts that are looked at, evenly spread."""
SAMPLE_CHARACTERS = 500
"""Characters of each, from its beginning."""
MIN_SHARE = 0.3
"""Share of the letters from which on a script matters: Korean texts hold English terms."""
MIN_KANA = 0.05
"""Share of kana from which on Chinese characters are Japanese."""
SYLLABARIES = ("HIRAGANA", "KATAKANA")
UNSPACED = ("Chinese", "Japanese")
"""Written without spaces between words."""
LANGUAGES: Mapping[str, Message] = {
    "Korean": _("Korean"),
    "Chinese": _("Chinese"),
    "Japanese": _("Japanese"),
    "Cyrillic": _("Cyrillic"),
    "Greek": _("Greek"),
    "Arabic": _("Arabic"),
    "Hebrew": _("Hebrew"),
    "Devanagari": _("Devanagari"),
    "Thai": _("Thai"),
}
"""What :func:`written_in` names most, as sentences name it."""


def written_in(texts: Sequence[str]) -> str | None:
    """What most texts are written in: ``Korean``, ``Chinese``, ``Japanese``, or a script such as
    ``Cyrillic``; None for Latin letters, or where there are no letters.

    >>> written_in(["임차인은 매달 1일에 rent를 낸다."]), written_in(["The rent is due."])
    ('Korean', None)
    """
    step = max(1, len(texts) // SAMPLE)
    found = Counter("".join(text[:SAMPLE_CHARACTERS] for text in texts[::step]))
    letters = Counter[str]()
    for letter, count in found.items():
        if letter.isalpha():
            letters[_script(letter)] += count
    total = letters.total()
    if not total:
        return None
    kana = sum(letters[name] for name in SYLLABARIES)
    if letters["CJK"] + kana >= MIN_SHARE * total:
        return "Japanese" if kana >= MIN_KANA * total else "Chinese"
    script, count = max(
        ((name, count) for name, count in letters.items() if name != "LATIN"),
        key=lambda item: item[1],
        default=("", 0),
    )
    if count < MIN_SHARE * total:
        return None
    return "Korean" if script == "HANGUL" else script.capitalize()


def language_name(written: str) -> Text:
    """What :func:`written_in` says, as a sentence names it.

    >>> language_name("Thai").text("ko"), language_name("Runic")
    ('태국 문자', 'Runic')
    """
    return LANGUAGES.get(written, written)


def _script(letter: str) -> str:
    """The first word of a letter's name in Unicode: LATIN, HANGUL, CJK, CYRILLIC."""
    return unicodedata.name(letter, "").partition(" ")[0]
