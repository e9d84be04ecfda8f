"""The settings of an experiment file."""

from __future__ import annotations

from typing import Any

from ragscore.errors import DataError
from ragscore.json_data import MAX_NESTING, TOO_DEEP

MAX_CHARACTERS = 4_000_000
"""Characters of experiment.yaml that are read; parsing takes a second for each million."""


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
