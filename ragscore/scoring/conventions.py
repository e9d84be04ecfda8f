"""What can be chosen in a measure, what each choice means, and who makes it."""

from __future__ import annotations

from typing import Any, get_args

from ragscore.docstrings import describe_field
from ragscore.measures import Measure
from ragscore.measures.base import option_text
from ragscore.messages import Message, Text
from ragscore.scoring.profiles import PROFILES

_NOTHING = object()


def options_of(family: type[Measure]) -> tuple[str, ...]:
    """Names of the options of a measure, its own first."""
    names = [name for name in family.model_fields if name not in ("cutoff", family.at)]
    return tuple(sorted(names, key=lambda name: name == "empty"))


def choices(family: type[Measure], option: str) -> tuple[str, ...]:
    """The words that an option takes; nothing where it takes a number alone.

    >>> from ragscore.measures import NDCG
    >>> choices(NDCG, "gain"), choices(NDCG, "relevant_from")
    (('linear', 'exp', 'binary'), ())
    """
    return tuple(_words(family.model_fields[option].annotation))


def _words(annotation: Any) -> list[str]:
    inside = get_args(annotation)
    if inside and all(isinstance(word, str) for word in inside):
        return list(inside)
    return [word for part in inside if not isinstance(part, str) for word in _words(part)]


def used_by(family: type[Measure], option: str, value: object) -> tuple[Text, ...]:
    """Profiles and other tools in which an option has that value, where it is not the default."""
    profiles = (
        name
        for name, profile in PROFILES.items()
        if profile.options.get(family.name, {}).get(option, _NOTHING) == value
    )
    return (*profiles, *family.also_used_by.get((option, option_text(value)), ()))


def meaning(family: type[Measure], option: str) -> Message:
    """What an option decides, in one line."""
    return Message(" ".join(describe_field(family, option).replace("``", "").split()))
