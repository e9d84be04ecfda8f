"""The settings of an experiment file, and what changed between two, path by path."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ragscore.errors import DataError
from ragscore.json_data import MAX_NESTING, TOO_DEEP

MAX_CHARACTERS = 4_000_000
"""Characters of experiment.yaml that are read; parsing takes a second for each million."""


@dataclass(frozen=True)
class ChangedSetting:
    """One path of a config whose value differs.

    Attributes:
        path: ``retrievers.bm25.k1``, ``datasets[0].path``.
        kind: what happened to it.
        before, after: the values as JSON, empty if the path is not there.
    """

    path: str
    kind: Literal["added", "removed", "changed"]
    before: str
    after: str


def changed_settings(before: str, after: str) -> tuple[ChangedSetting, ...]:
    """What differs between two texts of experiment.yaml, in the order of the later one.

    A whole branch that is new or gone is one line. The order of keys does not matter; that of
    lists does.

    Raises:
        DataError: ragscore did not write one of the texts.

    >>> for setting in changed_settings("{a: {k1: 1.5}, b: 1}", "{a: {k1: 0.9}, c: [x, y]}"):
    ...     print(setting.path, setting.kind, [setting.before, setting.after])
    a.k1 changed ['1.5', '0.9']
    c added ['', '["x", "y"]']
    b removed ['1', '']
    """
    return tuple(_differing(settings(before), settings(after), ""))


def settings(text: str) -> Any:
    """The data of a text of experiment.yaml.

    Raises:
        DataError: it is not YAML, is nested too deep, or has aliases, which ragscore never writes.
    """
    import yaml

    if len(text) > MAX_CHARACTERS:
        what = f"it has {len(text):,} characters, and at most {MAX_CHARACTERS:,} are read"
        raise DataError(what, where="experiment.yaml")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        # A few lines of aliases can stand for gigabytes of values, and libyaml's loader crashes
        # where brackets are nested too deeply; its events are read one by one.
        depth = 0
        for event in yaml.parse(text, Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            what = ""
            if isinstance(event, yaml.AliasEvent):
                what = "it has aliases, which ragscore never writes"
            elif depth > MAX_NESTING:
                what = TOO_DEEP
            if what:
                at: Any = event.start_mark
                raise DataError(what, where=f"experiment.yaml:{at.line + 1}:{at.column + 1}")
        return yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        first = str(error).partition("\n")[0]
        raise DataError(f"it cannot be read as YAML: {first}", where="experiment.yaml") from error


def _differing(before: Any, after: Any, path: str) -> Iterator[ChangedSetting]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in [*after, *(key for key in before if key not in after)]:
            yield from _at(f"{path}.{key}" if path else str(key), before, after, key)
    elif _rows(before) and _rows(after):
        first, second = dict(enumerate(before)), dict(enumerate(after))
        for number in range(max(len(first), len(second))):
            yield from _at(f"{path}[{number}]", first, second, number)
    elif (text := _text(before)) != (other := _text(after)):
        yield ChangedSetting(path, "changed", text, other)


def _at(
    path: str, before: Mapping[Any, Any], after: Mapping[Any, Any], key: Any
) -> Iterator[ChangedSetting]:
    if key not in before:
        yield ChangedSetting(path, "added", "", _text(after[key]))
    elif key not in after:
        yield ChangedSetting(path, "removed", _text(before[key]), "")
    else:
        yield from _differing(before[key], after[key], path)


def _rows(value: Any) -> bool:
    """A list of mappings, which are compared one by one; other lists are one value."""
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and bool(value)
        and all(isinstance(row, Mapping) for row in value)
    )


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
