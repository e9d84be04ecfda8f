"""Texts in two languages: one mechanism for sentences, headings, labels and notes.

A package that talks to users has a table of its own, which holds every text in both languages with
the same placeholders; :class:`Strings` reads it in one of them. Names of retrievers and measures
may be any text, so Korean puts no particle behind a name that would have to change with its last
sound (쪽이, 보다, 에서 do not).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from ragscore.messages import Message
from ragscore.names import LANGUAGES as LANGUAGES
from ragscore.names import Language as Language
from ragscore.names import few

CONTEXTS = {
    "column_how": "way",
    "baseline_column_before": "gate",
    "none k": "object",
    "none score": "object",
    "none gap": "object",
    "none ratio": "object",
}
LISTED = 3
"""A sentence lists so many pieces; the others are counted."""
COMMON: dict[str, dict[str, str]] = {
    "and": {"en": "{names} and {last}", "ko": "{names}, {last}"},
    "or": {"en": "{names} or {last}", "ko": "{names}, {last}"},
    "others": {"en": "{count} others", "ko": "그 밖의 {count}개"},
    "others_one": {"en": "1 other", "ko": "그 밖의 1개"},
    "note": {"en": "note: {note}", "ko": "참고: {note}"},
    "names_more": {"en": "{names} and {more} more", "ko": "{names} 외 {more}개"},
    "not_estimable": {"en": "not estimable", "ko": "추정 불가"},
    "not_decided": {"en": "not decided", "ko": "확정되지 않음"},
    "yes": {"en": "yes", "ko": "예"},
    "failed": {"en": "failed", "ko": "실패"},
    "note_timed_earlier": {
        "en": "{mark} timed in an earlier run; this one took it from the cache.",
        "ko": "{mark} 이전 실행에서 잰 시간으로, 이번에는 캐시에서 가져왔습니다.",
    },
    "count_passages": {"en": "{count} passages", "ko": "문단 {count}개"},
    "count_passages_one": {"en": "1 passage", "ko": "문단 1개"},
    "count_queries": {"en": "{count} queries", "ko": "질의 {count}개"},
    "count_queries_one": {"en": "1 query", "ko": "질의 1개"},
    "count_configurations": {"en": "{count} configurations", "ko": "설정 {count}개"},
    "count_configurations_one": {"en": "1 configuration", "ko": "설정 1개"},
    "word_clear": {"en": "Clear", "ko": "뚜렷한 차이"},
    "word_tie": {"en": "Tie", "ko": "우열 없음"},
    "column_value": {"en": "Value", "ko": "값"},
    "column_latency": {"en": "p50", "ko": "p50"},
    "hint_latency": {
        "en": "Half of the queries, asked one at a time, were answered in this time",
        "ko": "질의를 하나씩 보냈을 때 절반이 이 시간 안에 답을 받았습니다",
    },
    "column_price": {"en": "Price", "ko": "가격"},
    "column_retriever": {"en": "Retriever", "ko": "검색기"},
    "column_queries": {"en": "Queries", "ko": "질의"},
    "column_record": {"en": "W/L/T", "ko": "승/패/무"},
    "hint_record": {
        "en": "Queries on which it is better, worse, the same",
        "ko": "더 나은 질의, 더 못한 질의, 같은 질의의 수",
    },
}
"""The texts that every table of strings has: how names are listed, what replaces a number, counts,
and the words and columns that several packages share."""


WORDS: dict[Language, dict[str, str]] = {
    "en": {"item": "passage", "items": "passages", "Items": "Passages"},
    "ko": {"item": "문단", "items": "문단", "Items": "문단"},
}
"""What judgments name, in the middle of a sentence and at its beginning. The Korean ends with a
consonant, and so does what stands for it, as particles behind it need."""
UNIT_WORDS: dict[Language, dict[str, str]] = {
    "en": {"item": "unit ({unit})", "items": "units ({unit})", "Items": "Units ({unit})"},
    "ko": {"item": "{unit} 항목", "items": "{unit} 항목", "Items": "{unit} 항목"},
}
"""The same where they name units."""
RANKED = {"item": "ranked", "items": "ranked_items", "Items": "Ranked_items"}
"""By word for what is judged, that for what stands at a place of a ranking: what cutoffs count."""


def _words(judged: Mapping[str, str], ranked: Mapping[str, str]) -> dict[str, str]:
    return {**judged, **{name: ranked[key] for key, name in RANKED.items()}}


_PASSAGES = {language: _words(words, words) for language, words in WORDS.items()}
FILLED = frozenset(_PASSAGES["en"])
"""The placeholders that every text may have without a fact for them."""


class StringTable(Mapping[str, Mapping[str, str]]):
    """Texts by key, then language.

    >>> table = StringTable({"found": {"en": "{n} found", "ko": "{n}개 찾음"}})
    >>> table.strings("ko")("found", n=3)
    '3개 찾음'

    Args:
        tables: of a package, or of several: their keys are joined, with those that all have.

    Raises:
        ValueError: two of them have the same key with different texts.
    """

    ALL: ClassVar[list[StringTable]] = []

    def __init__(self, *tables: Mapping[str, Mapping[str, str]]) -> None:
        StringTable.ALL.append(self)
        self._texts: dict[str, Mapping[str, str]] = {}
        for table in (COMMON, *tables):
            for key, texts in table.items():
                if self._texts.setdefault(key, texts) != texts:
                    raise ValueError(f"two texts have the key {key!r}")

    def __getitem__(self, key: str) -> Mapping[str, str]:
        """The text in each language."""
        return self._texts[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def __call__(self, key: str, /, **facts: Any) -> Message:
        """The message of a key."""
        return self.message(key, facts)

    def message(self, key: str, facts: Mapping[str, Any] = MappingProxyType({})) -> Message:
        """The message of a key."""
        texts = self._texts
        if key not in texts:
            texts = next(other._texts for other in StringTable.ALL if key in other._texts)
        template = texts[key]["en"].replace("{{", "{").replace("}}", "}")
        return Message(template, facts, CONTEXTS.get(key, ""))

    def counted(self, key: str, count: int) -> Message:
        """How many."""
        return self(f"{key}_one" if count == 1 else key, count=f"{count:,}")

    def strings(self, language: Language) -> Strings:
        """The texts of one language."""
        return Strings(self, language)

    def note(self, key: str, /, **facts: object) -> Note:
        """An English sentence that can also be shown in the reader's language.

        >>> note = StringTable({"few": {"en": "only {n}", "ko": "{n}개뿐"}}).note("few", n=2)
        >>> note, note.text_in(StringTable().strings("ko"))
        ('only 2', '2개뿐')
        """
        return Note(self, key, **facts)


@dataclass(frozen=True)
class Strings:
    """The texts of one language.

    Attributes:
        table: by key, then language.
        language: which is read.
        words: what fills ``{item}`` and the like in every text; None for passages.
    """

    table: StringTable = field(repr=False)
    language: Language
    words: Mapping[str, str] | None = field(default=None, repr=False)

    def of_units(self, unit: str, *, ranked: bool) -> Strings:
        """The same texts where judgments name units.

        >>> table = StringTable({"lost": {"en": "no {item} found", "ko": "찾은 {item} 없음"}})
        >>> strings = table.strings("en")
        >>> strings("lost"), strings.of_units("page", ranked=True)("lost")
        ('no passage found', 'no unit (page) found')

        Args:
            unit: what a unit is.
            ranked: whether cutoffs count units, too.
        """
        filled = {key: text.format(unit=unit) for key, text in UNIT_WORDS[self.language].items()}
        words = _words(filled, filled if ranked else WORDS[self.language])
        return replace(self, words=words)

    def __call__(self, key: str, /, **facts: object) -> str:
        """The text of a key, filled.

        Args:
            key: of the table.
            facts: what fills its placeholders: texts, whole numbers, or phrases, which are
                written in the same language. Other numbers are rounded before, by
                ``ragscore.elements``.

        Raises:
            KeyError: the table lacks the key, or a placeholder has no fact.
        """
        texts = {name: self.say(fact) for name, fact in facts.items()}
        try:
            words = _PASSAGES[self.language] if self.words is None else self.words
            return self.table[key][self.language].format(**{**words, **texts})
        except KeyError as missing:
            known = f"the text {key!r} needs {missing}"
            raise KeyError(known if key in self.table else f"no text has the key {key!r}") from None

    def counted(self, key: str, count: int) -> str:
        """How many: the text of ``KEY_one`` for one, of ``KEY`` with its ``count`` for any other.

        >>> strings = StringTable().strings("en")
        >>> strings.counted("count_queries", 1), strings.counted("count_queries", 1200)
        ('1 query', '1,200 queries')
        """
        return self(f"{key}_one" if count == 1 else key, count=f"{count:,}")

    def say(self, fact: object) -> object:
        """A phrase as its text; anything else as it is."""
        # Nearly all are texts or numbers, and the protocol is slow to look for its method.
        if type(fact) in (str, int):
            return fact
        return fact.text_in(self) if isinstance(fact, Phrase) else fact

    def sentences(self, phrases: Iterable[Phrase]) -> str:
        """Sentences one behind the other."""
        return " ".join(phrase.text_in(self) for phrase in phrases)

    def names(self, names: Iterable[str]) -> str:
        """Names as a sentence lists them: the first five, long ones shortened, and how many more.

        >>> StringTable().strings("en").names("abcdefg")
        'a, b, c, d, e and 2 more'
        """
        listed, more = few(names)
        return self("names_more", names=listed, more=f"{more:,}") if more else listed


@runtime_checkable
class Phrase(Protocol):
    """A text that is still to be written in the reader's language."""

    def text_in(self, strings: Strings, /) -> str:
        """Its text in the language of the strings."""
        ...


@dataclass(frozen=True)
class Sentence:
    """A sentence, or a piece of one, that is still to be written in the reader's language.

    Attributes:
        key: of a table of strings.
        facts: what fills it; see :meth:`Strings.__call__`.
    """

    key: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def text_in(self, strings: Strings, /) -> str:
        """Its text, filled."""
        return strings(self.key, **self.facts)


@dataclass(frozen=True)
class Listed:
    """Names or phrases in a row: the first three, and how many others there are.

    Attributes:
        parts: texts or phrases, at least one.
        last: how the last one is joined: ``and`` or ``or``.
    """

    parts: tuple[Any, ...]
    last: Literal["and", "or"] = "and"

    def text_in(self, strings: Strings, /) -> str:
        """The names, joined."""
        shown = [str(strings.say(part)) for part in self.parts[:LISTED]]
        if hidden := len(self.parts) - len(shown):
            shown.append(strings.counted("others", hidden))
        *first, last = shown
        return strings(self.last, names=", ".join(first), last=last) if first else last


@dataclass(frozen=True)
class Joined:
    """All phrases or texts of a row, with commas.

    Attributes:
        parts: texts or phrases.
    """

    parts: tuple[Any, ...]

    def text_in(self, strings: Strings, /) -> str:
        """The parts, joined."""
        return ", ".join(str(strings.say(part)) for part in self.parts)


class Note(str):
    """An English sentence that can also be shown in the reader's language.

    Notes are recorded in English wherever they are kept; a writer translates them as phrases.
    """

    _table: StringTable
    _key: str
    _facts: Mapping[str, Any]

    def __new__(cls, table: StringTable, key: str, /, **facts: object) -> Note:
        """The English sentence of a key of a table, filled."""
        note = super().__new__(cls, table.strings("en")(key, **facts))
        note._table, note._key, note._facts = table, key, facts
        return note

    def text_in(self, strings: Strings, /) -> str:
        """The sentence in the language of the strings."""
        return self._table.strings(strings.language)(self._key, **self._facts)

    def __deepcopy__(self, memo: object, /) -> Note:
        return self

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


@dataclass(frozen=True)
class Names:
    """Names as a sentence lists them; see :meth:`Strings.names`."""

    names: tuple[str, ...]

    def text_in(self, strings: Strings, /) -> str:
        """The names, and how many more there are."""
        return strings.names(self.names)
