"""What can be chosen in a measure, what each choice means, and who makes it."""

from __future__ import annotations

from typing import Any, get_args

from ragscore.docstrings import describe_field
from ragscore.measures import Measure
from ragscore.measures.base import option_text
from ragscore.scoring.option_strings import KOREAN_OPTIONS, KOREAN_USERS
from ragscore.scoring.profiles import PROFILES
from ragscore.strings import Language

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


def used_by(
    family: type[Measure], option: str, value: object, language: Language = "en"
) -> tuple[str, ...]:
    """Profiles and other tools in which an option has that value, where it is not the default."""
    profiles = (
        name
        for name, profile in PROFILES.items()
        if profile.options.get(family.name, {}).get(option, _NOTHING) == value
    )
    others = family.also_used_by.get((option, option_text(value)), ())
    if language == "ko":
        others = tuple(KOREAN_USERS.get(user, user) for user in others)
    return (*profiles, *others)


def meaning(family: type[Measure], option: str, language: Language = "en") -> str:
    """What an option decides, in one line; in English where nobody has translated it."""
    english = " ".join(describe_field(family, option).replace("``", "").split())
    return KOREAN_OPTIONS.get(english, english) if language == "ko" else english
