"""JsonPath: where in a response something stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator

from ragscore.described import in_short

_STEP = re.compile(
    r"""\.?(?P<name>[^\s.\[\]"'*$]+)"""
    r"""|\[(?P<place>[0-9]{1,9})\]"""
    r"""|(?P<each>\[\*\])"""
    r"""|\["(?P<quoted>[^"]+)"\]"""
    r"""|\['(?P<single>[^']+)'\]"""
)
EACH = None
"""The step ``[*]``."""
Step = str | int | None


class NotThereError(LookupError):
    """A response has nothing at a path; the message says how far it goes, and what is there."""


@lru_cache(256)
def steps_of(path: str) -> tuple[Step, ...]:
    """The steps of a path: names, places in lists, and :data:`EACH`.

    Raises:
        ValueError: it is no path; says what one looks like.

    >>> steps_of("$.hits[*].metadata['doc id']")
    ('hits', None, 'metadata', 'doc id')
    """
    rest = path.strip().removeprefix("$")
    steps: list[Step] = []
    at = 0
    while at < len(rest):
        found = _STEP.match(rest, at)
        if found is None:
            raise ValueError(
                f"'{path}' is not a path: {in_short(rest[at:])} cannot be read. "
                'Write names, places and [*], such as results[*].metadata["doc id"]'
            )
        name = found["name"] or found["quoted"] or found["single"]
        steps.append(int(found["place"]) if found["place"] else EACH if found["each"] else name)
        at = found.end()
    return tuple(steps)


def _checked(path: str) -> str:
    if steps_of(path).count(EACH) != 1:
        raise ValueError(
            f"'{path}' does not go through one list of passages. Write [*] once, after the list: "
            f"{path.removesuffix('[]')}[*]"
            if EACH not in steps_of(path)
            else f"'{path}' has [*] more than once. Write it once, after the list of passages"
        )
    return path


ListPath = Annotated[str, AfterValidator(_checked)]
"""A path such as `results[*].id`, with one `[*]`: one value for each passage."""


def values_at(data: Any, path: str) -> list[Any]:
    """The values at a path with one ``[*]``, one for each item of its list; a list that is null has
    none.

    Raises:
        NotThereError: a name or place on the way is missing, also in one item alone.

    >>> values_at({"hits": [{"id": "a"}, {"id": "b"}]}, "hits[*].id")
    ['a', 'b']
    """
    return list(_walk(data, steps_of(path), ""))


def _walk(data: Any, steps: tuple[Step, ...], walked: str) -> Iterator[Any]:
    for at, step in enumerate(steps):
        if step is EACH:
            if data is None:
                return
            if not isinstance(data, list):
                raise NotThereError(f"{walked or 'it'} is {in_short(data)}, not a list")
            for place, item in enumerate(data):
                yield from _walk(item, steps[at + 1 :], f"{walked}[{place}]")
            return
        if isinstance(step, int):
            if not isinstance(data, list) or step >= len(data):
                raise NotThereError(f"{walked or 'it'} has no place {step}: {in_short(data)}")
        elif not isinstance(data, dict) or step not in data:
            raise NotThereError(f"{walked or 'it'} has no '{step}': {in_short(data)}")
        data = data[step]
        walked += f"[{step}]" if isinstance(step, int) else f".{step}" if walked else step
    yield data
