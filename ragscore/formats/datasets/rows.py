"""One row of a file checked by its pydantic model, and what is wrong with it in plain words."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ragscore.dataset.columns import IdsAs, is_whole
from ragscore.errors import did_you_mean
from ragscore.formats.reading.lines import File

AnyRow = TypeVar("AnyRow", bound=BaseModel)
ID_KEYS = frozenset({"id", "_id", "query_id", "passages"})
IDS_TEXT = "set ids: text to take whole numbers as text"


def json_lines(file: File) -> Iterator[tuple[int, str]]:
    """The lines of a JSONL file; one that holds a single value over many lines is refused."""
    for number, line in file.rows():
        if number == 1 and line.strip() in ("[", "{"):
            file.problem(
                "the file is one JSON value over many lines",
                line=number,
                instead="Write one JSON object on each line (JSONL)",
            )
            return
        yield number, line


def json_rows(file: File, model: type[AnyRow], ids: IdsAs) -> Iterator[tuple[int, AnyRow]]:
    """Line number and row of every line of a JSONL file that is a good row."""
    for number, line in json_lines(file):
        row = json_row(line, model, file, number, ids)
        if row is not None:
            yield number, row


def json_row(line: str, model: type[AnyRow], file: File, number: int, ids: IdsAs) -> AnyRow | None:
    """The row that one line holds; None where it is reported instead.

    Args:
        ids: ``text`` takes whole numbers as ids, which the file counts.
    """
    try:
        row = model.model_validate_json(line)
    except ValidationError as error:
        taken = _with_ids_as_text(line, model, error) if ids == "text" else None
        if taken is None:
            report(error, model, file, number)
            return None
        row, count = taken
        file.numeric_ids += count
    # Inside of a text a quote has a backslash, so this finds few words but the row's own keys.
    seen = _quoted_keys(model).findall(line)
    if len(seen) == len(set(seen)):
        return row
    twice = _keys_given_twice(line)
    for key in twice:
        file.problem(f"{key}: the key is there twice", line=number, instead="Keep one of the two")
    return None if twice else row


def _with_ids_as_text(
    line: str, model: type[AnyRow], error: ValidationError
) -> tuple[AnyRow, int] | None:
    """The row with quotes around ids that are whole numbers, and how many they are; None where
    something else is wrong."""
    wrong = [details["loc"] for details in error.errors() if _is_numeric_id(details)]
    with suppress(ValueError):  # also a number of more digits than Python reads
        values = json.loads(line)
        for loc in wrong:
            *path, last = [part for part in loc if not _is_branch(part)]
            holder = values
            for part in path:
                holder = holder[part]
            holder[last] = str(holder[last])
        return model.model_validate_json(json.dumps(values)), len(wrong)
    return None


def _is_numeric_id(details: ErrorDetails) -> bool:
    return details["type"] == "string_type" and _is_id(details) and is_whole(details["input"])


def _is_id(details: ErrorDetails) -> bool:
    return bool(details["loc"]) and details["loc"][0] in ID_KEYS


@cache
def _quoted_keys(model: type[BaseModel]) -> re.Pattern[str]:
    """Finds the keys of a row as they stand in JSON."""
    keys = (re.escape(field.alias or name) for name, field in model.model_fields.items())
    return re.compile(f'"(?:{"|".join(keys)})"')


def _keys_given_twice(line: str) -> list[str]:
    """Keys of the row itself that occur twice: JSON keeps the last and says nothing."""
    pairs: list[tuple[str, Any]] = json.loads(line, object_pairs_hook=list)
    return [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]


def made_row(
    model: type[AnyRow], values: Mapping[str, Any], file: File, line: int, unit: str = ""
) -> AnyRow | None:
    """A row from values that were read as text; None where it is reported instead."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        report(error, model, file, line, unit)
        return None


def report(
    error: ValidationError, model: type[BaseModel], file: File, line: int, unit: str = ""
) -> None:
    """Report everything that pydantic found wrong with a row."""
    for details in error.errors(include_url=False):
        plain = _in_plain_words(details, model)
        if plain is not None:
            file.problem(plain[0], line=line, instead=plain[1], unit=unit)


def _in_plain_words(details: ErrorDetails, model: type[BaseModel]) -> tuple[str, str] | None:
    """What and what instead; None for the branch of a union that was not meant."""
    value, kind = details["input"], details["type"]
    branches = [str(part).partition("[")[0] for part in details["loc"] if _is_branch(part)]
    if branches and (kind, branches[0]) in (("dict_type", "dict"), ("list_type", "list")):
        # Neither branch fits a number or a text: say it once.
        if branches[0] == "list" or isinstance(value, list):
            return None
        what = f"{_named(value)} where grades by passage id, or a list of ids, are expected"
        return f"{_path(details)}: {what}", 'Write {"passage id": grade} or ["passage id"]'
    names = [field.alias or name for name, field in model.model_fields.items()]
    path = _path(details)
    if kind == "json_invalid":
        reason = str(details["ctx"]["error"]).replace("line 1 column", "column")
        return f"not JSON: {reason}", "Write one complete JSON object on each line"
    if kind == "model_type":
        return f"{_named(value)} where an object is expected", f"Its keys: {', '.join(names)}"
    if kind == "extra_forbidden":
        return f"{path}: unknown key", did_you_mean(path, names)
    if kind == "missing":
        keys = ", ".join(value) if isinstance(value, dict) else ""
        return f"the key '{path}' is missing", f"Found: {keys}" if keys else ""
    what, instead = _expected(kind, value)
    if _is_numeric_id(details):
        instead = f"{instead}, or {IDS_TEXT}"
    return (f"{path}: {what or details['msg']}", instead)


def _expected(kind: str, value: object) -> tuple[str, str]:
    named = _named(value)
    if kind == "string_type":
        if value is None:
            return "null where text is expected", 'Write "" for an empty text'
        if isinstance(value, bool | int | float):
            return f"{named} where text is expected", f'Write "{json.dumps(value)}" in quotes'
        return f"{named} where text is expected", ""
    if kind == "string_too_short":
        return "the id is empty", "Every row needs an id of its own"
    if kind == "float_type":
        quoted = isinstance(value, str) and _is_number(value)
        return f"{named} where a number is expected", f"Write {value}" if quoted else ""
    table = {
        "finite_number": ("the number is not finite", "A grade is a finite number"),
        "bool_type": (f"{named} where true or false is expected", "Write true or false"),
        "list_type": (f"{named} where a list is expected", "Write it in [ ]"),
        "dict_type": (f"{named} where an object is expected", "Write it in { }"),
        "literal_error": (f"{named} is not known", 'Write "binary" or "ranked"'),
    }
    return table.get(kind, ("", ""))


def _is_branch(part: int | str) -> bool:
    return isinstance(part, str) and part.startswith(("dict[", "list["))


def _path(details: ErrorDetails) -> str:
    return ".".join(
        str(part) for part in details["loc"] if part != "[key]" and not _is_branch(part)
    )


def _named(value: object) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {json.dumps(value[:40], ensure_ascii=False)}"
    return "a list" if isinstance(value, list | tuple) else "an object"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
