"""Messages: sentences in English where they are said, written in a reader's language by writers.

A text is a :class:`Message` until a writer prints it: only writers know the language. The Korean of
each stands in ``locale/ko.po`` by its English. Names of retrievers and measures may be any text, so
Korean puts no particle behind a name that would have to change with its last sound.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Annotated, Any, TypeAlias, cast

from ragscore.names import CATALOGUES, LANGUAGES, few

DEPTH, LONGEST = 8, 2000
"""Of a message in a file: messages inside each other, letters of a text."""
LISTED = 3
"""A sentence lists this many pieces; the others are counted."""
_PLACE = re.compile(r"\{(\w+)\}")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Message:
    """A sentence, or a piece of one, in English; :meth:`text` gives it in a language.

    Attributes:
        template: with ``{name}`` for each fact.
        facts: texts, whole numbers, messages.
        context: what tells it from another of the same English; mostly empty.
    """

    template: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    context: str = ""

    def text(self, language: str = "en", words: Mapping[str, Message] | None = None) -> str:
        """The sentence in a language; in English where nobody has translated it."""
        template = catalogue(language).get(self.key, self.template)
        return _filled(template, self.facts, language, PASSAGES if words is None else words)

    @property
    def key(self) -> str:
        """What a catalogue has it under."""
        return f"{self.context}\4{self.template}" if self.context else self.template

    def given(self, **facts: Any) -> Message:
        """The same with more facts."""
        return Message(self.template, {**self.facts, **facts}, self.context)

    def to_dict(self) -> dict[str, Any]:
        """What it is, ready for JSON."""

        def plain(fact: Any) -> Any:
            if isinstance(fact, Message):
                return fact.to_dict()
            return fact if isinstance(fact, int) else str(fact)  # such as an error

        facts = {name: plain(fact) for name, fact in self.facts.items()}
        return {"template": self.template, "facts": facts, "context": self.context}

    @classmethod
    def read(cls, value: Any) -> Message:
        """What :meth:`to_dict` gave, from a file that anybody may have written: a sentence that is
        not ours is kept as data, and cut.

        Raises:
            ValueError: it is no message.
        """
        return _read(value)[0]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return _schema(cls.read, cls.to_dict)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        return {"type": "object"}

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Message({str(self)!r})"

    def __format__(self, spec: str) -> str:
        raise TypeError("an f-string would lose the translation: join messages, or say str()")

    def __bool__(self) -> bool:
        return bool(self.template)

    def __hash__(self) -> int:
        return hash((self.template, self.context))


def _read(value: Any, depth: int = 0) -> tuple[Message, int]:
    """A message, and how many letters it has at most."""
    if isinstance(value, Message):
        return value, 0
    if isinstance(value, str):
        value = {"template": value}
    held = value if isinstance(value, dict) else {}
    template, given, context = (held.get(name) for name in ("template", "facts", "context"))
    shaped = isinstance(template, str) and isinstance(given or {}, dict)
    if not (shaped and isinstance(context or "", str)) or depth > DEPTH:
        raise ValueError("a message has a template and facts, which are texts, numbers or messages")
    facts, sizes = dict[str, Any](), dict[str, int]()
    for name, fact in (given or {}).items():
        if isinstance(fact, dict):
            facts[name], sizes[name] = _read(fact, depth + 1)
        elif isinstance(fact, str | int | float | None):
            facts[name] = fact if isinstance(fact, int) else str(fact)[:LONGEST]
            sizes[name] = len(str(fact))
        else:
            raise ValueError(f"the fact {name!r} of a message is no text, number or message")
    found = Message(str(template)[:LONGEST], facts, context or "")
    places = _PLACE.findall(found.template)
    size = len(found.template) + sum(sizes.get(name, 0) for name in places)
    if size > 10 * LONGEST:  # too long to be filled
        return _data(found.template)
    # What joins others has no letters of its own.
    if found.key in _known() or not _LETTER.search(_PLACE.sub("", found.template)):
        return found, size
    return _data(_filled(found.template, facts, "en", {}))


def _data(text: str) -> tuple[Message, int]:
    """A text that is none of ours, cut, as a message; and its size."""
    return Message("{0}", {"0": text[:LONGEST]}), min(len(text), LONGEST)


def _schema(read: Callable[[Any], Any], write: Callable[[Any], Any]) -> Any:
    from pydantic_core import core_schema

    written = core_schema.plain_serializer_function_ser_schema(write)
    return core_schema.no_info_plain_validator_function(read, serialization=written)


@dataclass(frozen=True)
class _InJson:
    """How a text stands in JSON: in English, or as the message that it is."""

    as_message: bool

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        def read(value: Any) -> Any:
            return value if isinstance(value, str) else Message.read(value)

        def write(value: Any) -> Any:
            return value.to_dict() if isinstance(value, Message) and self.as_message else str(value)

        return _schema(read, write)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {"type": ["string", "object"] if self.as_message else "string"}


Text: TypeAlias = Annotated[str | Message, _InJson(as_message=False)]
"""What an element holds: a text as it is, or one that its writer translates. English in JSON."""
KeptText: TypeAlias = Annotated[str | Message, _InJson(as_message=True)]
"""The same where JSON is read again, and shown in another language."""
PASSAGES: Mapping[str, Message] = {}
"""What fills ``{item}`` and the like where judgments name passages."""


def _filled(
    template: str, facts: Mapping[str, Any], language: str, words: Mapping[str, Message]
) -> str:
    def fact(found: re.Match[str]) -> str:
        name = found[1]
        if name not in facts and name not in words:
            return found[0]
        return text_of(facts[name] if name in facts else words[name], language, words)

    return _PLACE.sub(fact, template) if "{" in template else template


def text_of(thing: object, language: str = "en", words: Mapping[str, Message] | None = None) -> str:
    """A message in a language; anything else as it is."""
    return thing.text(language, words) if isinstance(thing, Message) else str(thing)


def _(template: str, /, **facts: Any) -> Message:
    """The message of a template, whose ``{name}`` are filled with facts: texts, whole numbers, or
    messages. Other numbers are rounded before, by ``ragscore.elements``.

    >>> str(_("{n} found", n=3))
    '3 found'
    """
    return Message(template, facts)


def _c(context: str, template: str, /, **facts: Any) -> Message:
    """A message whose English is that of another one, and its translation is not."""
    return Message(template, facts, context)


def counted(one: str, many: str, count: int, /, **facts: Any) -> Message:
    """How many: one template for 1, the other with ``{count}`` for any other number.

    >>> str(counted("1 query", "{count} queries", 1200))
    '1,200 queries'
    """
    return Message(one if count == 1 else many, {"count": f"{count:,}", **facts})


def joined(parts: Iterable[Text], between: str = " ") -> Message:
    """Texts one behind the other.

    >>> str(joined(["One.", "Two."]))
    'One. Two.'
    """
    held = {str(place): part for place, part in enumerate(parts)}
    return Message(between.join(f"{{{place}}}" for place in held), held)


def listed(parts: Sequence[Text], last: str = "and", *, most: int = LISTED) -> Text:
    """Names or messages in a row: the first three, and how many others there are.

    >>> str(listed(["a", "b"], "or")), str(listed("abcde"))
    ('a or b', 'a, b, c and 2 others')

    Args:
        parts: at least one.
        last: how the last one is joined: ``and`` or ``or``.
        most: how many are named, by default three.
    """
    shown = list(parts[:most])
    if hidden := len(parts) - len(shown):
        shown.append(counted("1 other", "{count} others", hidden))
    *first, end = shown
    if not first:
        return end
    names = joined(first, ", ")
    if last == "or":
        return _("{names} or {last}", names=names, last=end)
    return _("{names} and {last}", names=names, last=end)


def few_names(names: Iterable[str]) -> Text:
    """Names as a sentence lists them: the first five, long ones shortened, and how many more.

    >>> str(few_names("abcdefg"))
    'a, b, c, d, e and 2 more'
    """
    shown, more = few(names)
    return _("{names} and {more} more", names=shown, more=f"{more:,}") if more else shown


def unit_words(unit: str, *, ranked: bool) -> dict[str, Message]:
    """What fills ``{item}`` and the like where judgments name units.

    Args:
        unit: what a unit is.
        ranked: whether cutoffs count units, too.
    """
    units = _words(
        _("unit ({unit})", unit=unit),
        _("units ({unit})", unit=unit),
        _("Units ({unit})", unit=unit),
    )
    return units if ranked else {**units, **{name: PASSAGES[name] for name in _RANKED}}


_RANKED = ("ranked", "ranked_items", "Ranked_items")


def _words(item: Message, items: Message, start: Message) -> dict[str, Message]:
    judged = {"item": item, "items": items, "Items": start}
    return {**judged, **dict(zip(_RANKED, judged.values(), strict=True))}


PASSAGES = _words(_("passage"), _("passages"), _("Passages"))


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """By English template, the translation; empty for English."""
    path = CATALOGUES / f"{language}.json"
    found: dict[str, str] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found


@cache
def _known() -> frozenset[str]:
    """What some catalogue has."""
    return frozenset().union(*map(catalogue, LANGUAGES))


class InLanguage:
    """What can only be made in a language: a chart, which needs the widths of its texts."""

    def in_language(self, language: str, words: Mapping[str, Message]) -> Any:
        """It, made."""
        raise NotImplementedError


def translated(thing: Any, language: str, words: Mapping[str, Message] | None = None) -> Any:
    """Elements with every message in them as text: what a writer does first.

    Args:
        thing: an element, a message, or tuples, lists and mappings of them.
        language: of the reader.
        words: what fills ``{item}`` and the like; by default those for passages.
    """
    words = PASSAGES if words is None else words
    if isinstance(thing, Message):
        return thing.text(language, words)
    if isinstance(thing, InLanguage):
        return thing.in_language(language, words)
    if isinstance(thing, tuple | list):
        return type(thing)(translated(part, language, words) for part in thing)
    if isinstance(thing, dict):
        return {key: translated(value, language, words) for key, value in thing.items()}
    if is_dataclass(thing) and not isinstance(thing, type):
        changed = {}
        for own in fields(thing):
            value = getattr(thing, own.name)
            if type(value) not in _PLAIN and own.init:
                changed[own.name] = translated(value, language, words)
        return replace(cast("Any", thing), **changed) if changed else thing
    return thing


_PLAIN = frozenset({str, int, float, bool, type(None)})
Say: TypeAlias = Callable[[Text], str]
"""What a writer calls: a text in its language."""
