"""What two nearly equal texts say differently: a number or a negation of a few characters."""

from __future__ import annotations

import re
from collections import Counter

_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {
    **{word: str(value) for value, word in enumerate(_WORDS.split())},
    **{word: str(value) for value, word in zip(range(20, 100, 10), _TENS.split(), strict=True)},
}
_SIGN = r"""(?:(?<![^\s(\[{"'=:<>~/,])-(?=\d))?"""  # no hyphen of a range or of a word
_NUMBER = re.compile(
    rf"{_SIGN}(?:(?<!\d)\d{{1,3}}(?:[,' ]\d{{3}})+(?!\d)|\d+)(?:\.\d+)*"
    rf"|\b(?:{'|'.join(_VALUES)})\b",
    re.I,
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|without|cannot|nor|neither|none|nothing|nobody|nowhere|unless|except"
    r"|(?:prohibit|forbid)\w*)\b|n't\b|않|없|못|아니|아닌|아닐|아님|아닙|금지|불가"
    r"|(?<!\w)안(?= )|(?<!\w)안(?=[되된될돼됩])|지 ?말",
    re.I,
)
_PREFIXES = ("un", "in", "im", "il", "ir", "non", "non-", "dis", "불", "비", "미", "무", "부")


def facts_apart(quote: str, found: str) -> tuple[str, ...]:
    """The numbers and the negations of a text that differ from those of another, each as
    ``mine / theirs``. Both are in normal form.

    Numbers are compared by value and in their order, negations by how many there are: "cannot" and
    "is not able" are the same.

    >>> facts_apart("within 31 days", "within 90 days"), facts_apart("1,000 won", "1000 won")
    (('31 / 90',), ())
    >>> facts_apart("Five pets are allowed", "5 pets are not allowed")
    ('- / not',)
    """
    apart = []
    numbers, others = ([_value(text) for text in _NUMBER.findall(of)] for of in (quote, found))
    if numbers != others:
        apart.append(_sides(numbers, others))
    negations, denials = ([text.lower() for text in _NEGATION.findall(of)] for of in (quote, found))
    if len(negations) != len(denials):
        apart.append(_sides(negations, denials))
    words, named = (Counter(re.findall(r"\w+", of.lower())) for of in (quote, found))
    for mine, theirs in ((words - named, named - words), (named - words, words - named)):
        for word in mine:
            for turned in (prefix + word for prefix in _PREFIXES if prefix + word in theirs):
                pair = (word, turned) if mine <= words else (turned, word)
                apart.append(" / ".join(pair))
    return tuple(apart)


def _value(number: str) -> str:
    """A number by its value: its sign, without thousands separators and zeros in front, words as
    digits."""
    sign = "-" * number.startswith("-")
    whole, point, rest = number.partition(".")
    digits = "".join(str(int(one)) for one in whole if one.isdecimal()).lstrip("0")
    return sign + _VALUES.get(whole.lower(), digits or "0") + point + rest


def _sides(mine: list[str], theirs: list[str]) -> str:
    """What each has that the other lacks; all where they differ by their order alone."""
    left, right = Counter(mine) - Counter(theirs), Counter(theirs) - Counter(mine)
    sides = (left.elements(), right.elements()) if left or right else (mine, theirs)
    return " / ".join(", ".join(side) or "-" for side in sides)
