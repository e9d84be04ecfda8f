"""Where sentences begin, by rules: English and Korean, and other languages' full stops.

One pass finds the places where a sentence may end; each is then looked at with the word before it
and the character behind it. The time is linear in the text, whatever it holds.
"""

# ruff: noqa: RUF001
from __future__ import annotations

import re
from bisect import bisect_right

import numpy as np

from ragscore.chunking.text_layout import Places

ENDS = ".!?…。！？｡．؟۔।॥።։"
"""Marks that may end a sentence."""
WIDE = "。！？｡"
"""Those behind which no space is written."""
CLOSING = "\"'”’»›)]}」』】〉》）］｠＂＇*_"
OPENING = "\"'“‘«‹([{「『【〈《（［*_"
QUOTES = "\"'”’»」』＂＇"

_STOP = rf"(?<![{re.escape(ENDS)}])[{re.escape(ENDS)}]++[{re.escape(CLOSING)}]*+"
_ENDINGS = "다요죠까음함됨임네군오라자소"
"""Syllables that Korean sentences end with."""
BLANK = r"(?>\r\n|[\n\r\x85\u2028])[^\S\n\r\x85\u2028\u2029]*[\n\r\x85\u2028]+|\u2029"
"""Behind a line end nothing but white space up to the next; or a paragraph separator."""
CANDIDATE = re.compile(
    rf"""
    (?P<blank>{BLANK})
    |(?P<heading>^\#{{1,6}}[ \t][^\n\r]*\r?\n)
    |(?P<item>\r?\n)(?=[ \t]*+(?:\#{{1,6}}[ \t]|[-*+•▪●○■□※◦·][ \t]
        |\d{{1,3}}[.)][ \t]|[가나다라마바사아자차카타파하][.)][ \t]|[①-⑳]))
    |(?P<stop>{_STOP})(?:(?P<space>\s++)|(?<=[{WIDE}])|(?<=[{WIDE}][{re.escape(CLOSING)}])
        |(?P<close>(?<=[{_ENDINGS}][.!?])(?=[가-힣])))
    """,
    re.VERBOSE | re.MULTILINE,
)
QUOTED = re.compile(
    r"“[^“”]{0,400}”|「[^「」]{0,400}」|『[^『』]{0,400}』|\([^()\n]{0,400}\)|\"[^\"\n]{0,400}\""
)
"""What is read as one: a short quotation, or brackets."""

TITLES = frozenset((
    "mr", "mrs", "ms", "mx", "dr", "prof", "st", "rev", "fr", "gen", "sen", "rep", "gov", "capt",
    "cpt", "cmdr", "col", "maj", "lt", "sgt", "cpl", "pvt", "hon", "pres", "supt", "insp",
    "messrs", "mme", "mlle", "e.g", "i.e", "eg", "ie", "cf", "vs", "v", "viz", "approx", "ca",
    "dept", "mt", "ft", "resp", "incl", "excl", "esp", "ibid", "nr", "bzw", "z.b",
))  # fmt: skip
"""Abbreviations that stand before what they belong to: no sentence ends with one."""
NUMBERED = frozenset((
    "no", "nos", "nr", "fig", "figs", "eq", "eqs", "sec", "secs", "sect", "ch", "chap", "vol",
    "vols", "art", "arts", "par", "para", "pp", "p", "pt", "ed", "eds", "cl", "reg", "regs", "ex",
    "app", "tab", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov",
    "dec",
))  # fmt: skip
"""Abbreviations that stand before a number."""
STARTERS = frozenset((
    "the", "a", "an", "this", "that", "these", "those", "he", "she", "it", "they", "we", "you",
    "i", "his", "her", "its", "their", "our", "my", "your", "there", "here", "in", "on", "at",
    "for", "from", "with", "when", "while", "where", "why", "what", "who", "how", "if", "as",
    "after", "before", "but", "and", "or", "so", "however", "then", "thus", "although", "because",
    "since", "by", "to", "no", "not", "all", "both", "each", "every", "many", "most", "some",
    "one", "two", "please", "see",
))  # fmt: skip
"""Words that begin a sentence behind an abbreviation that may end one (etc., Inc., U.S.)."""
MAY_END = frozenset((
    "etc", "inc", "ltd", "co", "corp", "llc", "plc", "jr", "sr", "esq", "bros", "al", "est",
    "assn", "ave", "blvd", "rd", "univ", "ph.d", "m.d", "b.a", "m.a", "b.sc", "m.sc", "a.m",
    "p.m", "b.c", "a.d", "b.c.e", "c.e", "u.s", "u.k", "u.n", "e.u", "d.c", "u.s.a",
))  # fmt: skip
PARTICLES = (
    "라고", "라는", "라며", "라면", "라던", "하고", "하며", "하는", "이라", "고 ", "며 ", "는 ",
)  # fmt: skip
"""What goes on behind a Korean quotation."""
ENUMERATORS = frozenset("가나다라마바사아자차카타파하")

_TOKEN = re.compile(r"\S+\Z")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_ITEM = re.compile(r"\s([0-9]{1,2})\Z")
_KOREAN_ITEM = re.compile(r"[가-힣]\s+[0-9]{1,2}\Z")
"""Korean sentences end with a verb: a number behind a noun is that of an item."""
_DATE = re.compile(r"\b\d{4}\.\s?\d{1,2}\.\s?\d{1,2}\Z")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\Z")
LOOK_BACK = 40
"""Characters before a full stop that are looked at."""


def sentence_begins(text: str) -> Places:
    """Where sentences begin but the first: int64[n], ascending; white space between two sentences
    belongs to neither.

    >>> text = "그는 3.5%라고 했다. 끝났다."
    >>> [text[place:] for place in sentence_begins(text).tolist()]
    ['끝났다.']
    """
    inside = _quoted(text)
    begins: list[int] = []
    last = 0
    for found in CANDIDATE.finditer(text):
        kind = found.lastgroup
        end = found.end()
        if found["stop"] is None:
            if kind == "heading" and found.start() > last:
                begins.append(found.start())
            begins.append(end)
        elif (item := _next_item(text, found, last)) is not None:
            begins.append(item)
            end = item
        elif _ends_sentence(text, found, last, inside):
            begins.append(end)
        else:
            continue
        last = end
    return np.array(begins, dtype=np.int64)


def _quoted(text: str) -> tuple[list[int], list[int]]:
    """Where short quotations and brackets begin, and where they end."""
    found = [match.span() for match in QUOTED.finditer(text)]
    return [start for start, _ in found], [end for _, end in found]


def _next_item(text: str, found: re.Match[str], last: int) -> int | None:
    """Where the next item of a list within a line begins, if its number stands before these marks:
    ``1. cats 2. dogs``."""
    if found["stop"] != ".":
        return None
    start = found.start()
    number = _ITEM.search(text, max(last, start - 4), start)
    if number is None or not int(number[1]):
        return None
    before = f"{int(number[1]) - 1}."
    return number.start(1) if text.startswith(before, last) else None


def _ends_sentence(
    text: str, found: re.Match[str], last: int, inside: tuple[list[int], list[int]]
) -> bool:
    """Whether a sentence ends at marks that may end one.

    Args:
        text: all of it.
        found: the marks, what closes behind them, and the white space.
        last: where the sentence begins.
        inside: quotations and brackets.
    """
    start, end = found.span("stop")
    quotation = bisect_right(inside[0], start) - 1
    if quotation >= 0 and end < inside[1][quotation]:
        return False
    space = found["space"] or ""
    if space.count("\n") > 1 or found.end() == len(text):
        return True
    mark = found["stop"]
    behind = text[found.end() : found.end() + 24]
    follows = behind.lstrip(OPENING)
    next_ = follows[:1]
    if mark[0] in WIDE:
        goes_on = not space and mark[-1] in CLOSING and "\u3041" <= behind[:1] <= "\u309f"
        return not goes_on and not behind.startswith(PARTICLES)
    if next_.islower() or (next_ and next_ in ",;:"):
        return False
    if mark[-1] in QUOTES and behind.startswith(PARTICLES):
        return False
    if mark[0] != "." or mark.startswith(".."):
        return True
    return _full_stop(text[max(last, start - LOOK_BACK) : start], start - last, follows, next_)


def _full_stop(before: str, length: int, follows: str, next_: str) -> bool:
    """Whether a single full stop ends a sentence.

    Args:
        before: what stands before it, of this sentence.
        length: how long all of this sentence is before it.
        follows: what stands behind it and its white space, without opening quotes.
        next_: its first character.
    """
    match = _TOKEN.search(before)
    if match is None:
        return True
    token = match[0].lstrip(OPENING)
    if length <= len(match[0]) and (token.isdecimal() or token in ENUMERATORS):
        return False  # the number of an item
    if token[-1:].isdecimal():
        if next_.isdecimal() and token.isdecimal():
            return False
        return not (_DATE.search(before) or _KOREAN_ITEM.search(before))
    if not token.isascii():
        return True
    small = token.lower()
    if small in TITLES:
        return False
    if small in NUMBERED:
        return not next_.isdecimal()
    single = len(token) == 1 and token.isalpha()
    if single or small in MAY_END or _DOTTED.match(token):
        if length <= len(match[0]) and single:
            return False  # a lettered item, or an initial
        word = _FIRST_WORD.match(follows)
        return word is not None and word[0].lower() in STARTERS
    return True
