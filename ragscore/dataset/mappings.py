"""Plain mappings, checked as the rows of files are: ids and texts are text, grades numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from numbers import Real
from typing import Any

from ragscore.dataset.columns import is_whole
from ragscore.described import in_short
from ragscore.errors import Problem
from ragscore.validation.wording import number_text

TAKE_WHOLE_NUMBERS = 'pass ids="text" to take whole numbers as text'


def kind_of(value: Any) -> str:
    """A value as messages name it: short, on one line."""
    if value is None or isinstance(value, str | int | float):
        return in_short(value)
    kind = type(value)
    name = kind.__qualname__
    return f"a {name}" if kind.__module__ == "builtins" else f"a {kind.__module__}.{name}"


def wrong_texts(texts: Mapping[Any, Any], where: str) -> Iterator[Problem]:
    """What is wrong with a mapping of id to text; ``where`` names it."""
    for row_id, text in texts.items():
        yield from _wrong_id(row_id, where)
        if not isinstance(text, str):
            instead = 'Write "" for an empty text' if text is None else ""
            if getattr(text, "column_names", None):
                instead = f"Choose one of the splits: [{row_id!r}]"
            yield Problem(
                f"text: {kind_of(text)} where text is expected", f"{where}, id {row_id!r}", instead
            )


def wrong_judgments(judgments: Mapping[Any, Any], where: str) -> Iterator[Problem]:
    """What is wrong with a mapping of query id to grades by passage id, or to passage ids."""
    for query_id, judged in judgments.items():
        at = f"{where}, query {query_id!r}"
        yield from _wrong_id(query_id, where)
        if isinstance(judged, str) or not isinstance(judged, Iterable):
            yield Problem(
                f"{kind_of(judged)} where grades by passage id, or a list of ids, are expected", at
            )
            continue
        for passage_id in judged:
            yield from _wrong_id(passage_id, at)
        if isinstance(judged, Mapping):
            for passage_id, grade in judged.items():
                if not isinstance(grade, Real) or isinstance(grade, bool):
                    what = f"{grade!r} where a number is expected"
                elif isinstance(grade, int) and abs(grade) > sys.float_info.max:
                    what = f"{number_text(grade)} where a finite number is expected"
                else:
                    continue
                yield Problem(f"passages.{passage_id}: {what}", at)


def _wrong_id(row_id: Any, where: str) -> Iterator[Problem]:
    if not isinstance(row_id, str):
        instead = f'Write "{row_id}" in quotes'
        if is_whole(row_id):
            instead += f", or {TAKE_WHOLE_NUMBERS}"
        yield Problem(f"id: {row_id!r} where text is expected", where, instead)
    elif not row_id or row_id.isspace():
        yield Problem("the id is empty", where, "Every row needs an id of its own")
