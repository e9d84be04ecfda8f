"""Messages: sentences in English where they are said, written in a reader's language by writers.

A text is a :class:`Message` until a writer prints it: only writers know the language. The Korean of
each stands in ``locale/ko.po`` by its English. Names of retrievers and measures may be any text, so
Korean puts no particle behind a name that would have to change with its last sound.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from ragscore.names import few

LISTED = 3
"""A sentence lists so many pieces; the others are counted."""
_PLACE = re.compile(r"\{(\w+)\}")
_FOLDER = Path(__file__).parent / "locale"


class Message(str):
    """A sentence, or a piece of one, in English; :meth:`text` gives it in a language."""

    template: str
    facts: Mapping[str, Any]
    context: str

    def __new__(
        cls, template: str, facts: Mapping[str, Any] = MappingProxyType({}), context: str = ""
    ) -> Message:
        """The English sentence, filled."""
        made = super().__new__(cls, _filled(template, facts, "en", PASSAGES))
        made.template, made.facts, made.context = template, dict(facts), context
        return made

    def text(self, language: str = "en", words: Mapping[str, Message] | None = None) -> str:
        """The sentence in a language; in English where nobody has translated it."""
        key = f"{self.context}\4{self.template}" if self.context else self.template
        template = catalogue(language).get(key, self.template)
        return _filled(template, self.facts, language, PASSAGES if words is None else words)

    def given(self, **facts: Any) -> Message:
        """The same with more facts."""
        return Message(self.template, {**self.facts, **facts}, self.context)

    def __deepcopy__(self, memo: object, /) -> Message:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, (self.template, self.facts, self.context)


Text: TypeAlias = str | Message
"""What an element holds: a text as it is, or one that its writer translates."""
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


def listed(parts: Sequence[Text], last: str = "and") -> Text:
    """Names or messages in a row: the first three, and how many others there are.

    >>> str(listed(["a", "b"], "or")), str(listed("abcde"))
    ('a or b', 'a, b, c and 2 others')

    Args:
        parts: at least one.
        last: how the last one is joined: ``and`` or ``or``.
    """
    shown = list(parts[:LISTED])
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
    path = _FOLDER / f"{language}.json"
    found: dict[str, str] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found


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
        for field in fields(thing):
            value = getattr(thing, field.name)
            if type(value) not in _PLAIN and field.init:
                changed[field.name] = translated(value, language, words)
        return replace(cast("Any", thing), **changed) if changed else thing
    return thing


_PLAIN = frozenset({str, int, float, bool, type(None)})
Say: TypeAlias = Callable[[Text], str]
"""What a writer calls: a text in its language."""
