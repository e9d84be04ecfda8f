"""One row of a file checked by its pydantic model, and what is wrong with it in plain words."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ragscore.dataset.columns import IdsAs, is_whole
from ragscore.errors import did_you_mean
from ragscore.formats.reading.lines import File
from ragscore.formats.reading.problems import TooManyError
from ragscore.formats.reading.table_file import TableFile
from ragscore.json_data import load_json
from ragscore.models import Document, GroundTruth, Passage, Query
from ragscore.validation.annotations import keys_of
from ragscore.validation.findings import Finding, error_findings, show_path
from ragscore.validation.wording import JSON

AnyRow = TypeVar("AnyRow", bound=BaseModel)
IdRow = TypeVar("IdRow", Passage, Query, Document)
ID_KEYS = frozenset({"id", "_id", "query_id", "passages"})
ONE_OBJECT = "Write one complete JSON object on each line"
NAME_KEYS = "Name other keys under `columns`"
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
    """The row that one line holds; None if it is reported instead.

    Args:
        ids: ``text`` takes whole numbers as ids, which the file counts.
    """
    row = _row(line, model, file, number, ids)
    if row is None:
        return None
    # Inside of a text a quote has a backslash, so this finds few words but the row's own keys.
    seen = _quoted_keys(model).findall(line)
    if len(seen) == len(set(seen)):
        return row
    twice = _keys_given_twice(line)
    for key in twice:
        file.problem(f"{key}: the key occurs twice", line=number, instead="Keep one of the two")
    return None if twice else row


def _row(line: str, model: type[AnyRow], file: File, number: int, ids: IdsAs) -> AnyRow | None:
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first["type"] == "json_invalid":
            reason = str(first["ctx"]["error"]).replace("line 1 column", "column")
            file.problem(f"not JSON: {reason}", line=number, instead=ONE_OBJECT)
            return None
        values = json.loads(line, parse_int=_whole_number)
        changed = _ids_as_text(values, model, error) if ids == "text" else 0
        if not changed:
            hint = NAME_KEYS if model in (Passage, Query, GroundTruth) else ""
            report(error, model, values, file, number, hint)
            return None
        file.numeric_ids += changed
        return model.model_validate_json(json.dumps(values))


def _whole_number(digits: str) -> float:
    """A number of any length: Python refuses to read whole ones of several thousand digits."""
    return int(digits) if len(digits) < sys.int_info.str_digits_check_threshold else float(digits)


def _ids_as_text(values: Any, model: type[BaseModel], error: ValidationError) -> int:
    """Put quotes around the ids that are whole numbers; how many they are, and 0 if something
    else is wrong too."""
    wrong = error_findings(model, values, error, JSON)
    if not all(_is_numeric_id(finding, values) for finding in wrong):
        return 0
    for finding in wrong:
        *path, last = finding.path
        holder = _at(values, path)
        holder[last] = str(holder[last])
    return len(wrong)


def _is_numeric_id(finding: Finding, values: Any) -> bool:
    return (
        finding.type == "string_type"
        and finding.path[0] in ID_KEYS
        and is_whole(_at(values, finding.path))
    )


def _at(values: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        values = values[step]
    return values


@cache
def _quoted_keys(model: type[BaseModel]) -> re.Pattern[str]:
    """Finds the keys of a row as they stand in JSON."""
    return re.compile(f'"(?:{"|".join(map(re.escape, keys_of(model)))})"')


def _keys_given_twice(line: str) -> list[str]:
    """Keys of the row itself that occur twice: JSON keeps the last and says nothing."""
    return _repeated(json.loads(line, object_pairs_hook=list))


def _repeated(pairs: list[tuple[str, Any]]) -> list[str]:
    return [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]


class JsonTable(TableFile):
    """JSON lines as a table: its columns are the keys of their objects, and ``metadata.id`` is a
    key inside of another.

    Args:
        file: the JSON lines.
        wanted: keys that every row has.
        optional: name and usual name of keys that rows may lack; one with another name than the
            usual one is in some row.
        ids: ``text`` takes whole numbers as ids, which the file counts.
    """

    def __init__(
        self,
        file: File,
        wanted: Sequence[str],
        optional: Sequence[tuple[str, str]],
        ids: IdsAs,
    ) -> None:
        super().__init__(file, wanted, optional)
        self.ids = ids

    def rows(self) -> Iterator[tuple[int, Any]]:
        """Line number and object of each line that has what it needs."""
        named = [name for name, usual in self.optional if name != usual]
        lacking, seen, read = set(named), dict[str, None](), 0
        for line, text in json_lines(self.file):
            row = _object(text, self.file, line)
            if row is None:
                continue
            read += 1
            self.columns = list(row)
            self.at = dict.fromkeys((name for name, _ in self.optional if _has(row, name)), 0)
            lacking -= self.at.keys()
            if lacking:
                seen.update(dict.fromkeys(self.columns))
            lacks = [name for name in self.wanted if _value(row, name) is None]
            for name in lacks:
                if _has(row, name):
                    what, instead = f"{name}: null where text is expected", ""
                else:
                    what, instead = f"the key '{name}' is missing", _found(name, row)
                self.file.problem(what, line=line, instead=instead)
            if not lacks:
                yield line, row
        if 0 < read == self.file.rows_seen:  # else others may have it
            for name in filter(lacking.__contains__, named):
                self.file.problem(f"no row has the key '{name}'", instead=_found(name, seen))

    def value(self, values: Any, column: str) -> Any:
        """The value of one key, None if the row lacks it."""
        return _value(values, column)

    def id(self, values: Any, column: str, line: int) -> str | None:
        """An id; None if it is reported instead."""
        given = self.value(values, column)
        if isinstance(given, str):
            return given
        if self.ids == "text" and is_whole(given):
            self.file.numeric_ids += 1
            return str(given)
        what = f"{column}: {JSON.describe(given)} where text is expected"
        instead = f'Write "{given}" in quotes, or {IDS_TEXT}' if is_whole(given) else ""
        self.file.problem(what, line=line, instead=instead)
        return None


def first_keys(file: File) -> set[str]:
    """Keys of the first line's object; none where it is broken, which is reported later."""
    peek = File(file.path, type(file.problems)(), encoding=file.encoding)
    row = _object(next(peek.lines(), ""), peek, 1)
    return set(row or ())


def _object(line: str, file: File, number: int) -> dict[str, Any] | None:
    """The object that a line holds; None if it is reported instead."""
    twice: list[str] = []

    def inside(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice.extend(_repeated(pairs))
        return found

    try:
        row = load_json(line, object_pairs_hook=inside, parse_int=_whole_number)
    except ValueError as error:
        reason = str(error).replace("line 1 column", "column")
        file.problem(f"not JSON: {reason}", line=number, instead=ONE_OBJECT)
        return None
    if not isinstance(row, dict):
        file.problem(f"{JSON.describe(row)} where an object is expected", line=number)
        return None
    for key in twice:
        file.problem(f"{key}: the key occurs twice", line=number, instead="Keep one of the two")
    return None if twice else row


def _value(row: Mapping[str, Any], name: str, missing: Any = None) -> Any:
    if name in row or "." not in name:
        return row.get(name, missing)
    first, _, rest = name.partition(".")
    inner = row.get(first)
    return _value(inner, rest, missing) if isinstance(inner, dict) else missing


def _has(row: Mapping[str, Any], name: str) -> bool:
    return _value(row, name, row) is not row


def _found(name: str, keys: Iterable[str]) -> str:
    return f"{did_you_mean(name, keys)}. Name the right key under `columns`"


def made_row(
    model: type[AnyRow], values: Mapping[str, Any], file: File, line: int
) -> AnyRow | None:
    """A row from values that were read as text; None if it is reported instead."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        report(error, model, values, file, line)
        return None


def unique_rows(rows: Iterator[tuple[int, IdRow]], file: File) -> Iterator[IdRow]:
    """The rows whose id is there and new; the others are reported. They end where the file has too
    many problems."""
    line_of: dict[str, int] = {}
    with suppress(TooManyError):
        for line, row in rows:
            row_id = row.id
            first = line_of.setdefault(row_id, line)
            if first != line:
                what = f"the id '{row_id}' is already used in {file.place(first)}"
                file.problem(what, line=line, instead="Ids must be unique")
            elif row_id.isspace():
                instead = "Every row needs an id of its own"
                file.problem("id: the id is only white space", line=line, instead=instead)
            else:
                yield row


def report(
    error: ValidationError,
    model: type[BaseModel],
    values: Any,
    file: File,
    line: int,
    hint: str = "",
) -> None:
    """Report everything that pydantic found wrong with a row of these values; ``hint`` says what to
    do where a key is missing."""
    for finding in error_findings(model, values, error, JSON):
        what, instead = f"{show_path(finding.path)}: {finding.what}", finding.instead
        if not finding.path:
            what, instead = finding.what, f"Its keys: {', '.join(keys_of(model))}"
        elif finding.type == "missing":
            what = f"the key '{show_path(finding.path)}' is missing"
            instead = f"Found: {', '.join(values)}. {hint}".rstrip(". ") if values else ""
        elif finding.type == "extra_forbidden" and hint:
            instead = f"{instead}. {hint}"
        elif finding.type == "string_too_short":
            what, instead = (
                f"{finding.path[0]}: the id is empty",
                "Every row needs an id of its own",
            )
        elif finding.path == ("passages",):
            found = JSON.describe(values["passages"])
            what = f"passages: {found} where grades by passage id, or a list of ids, are expected"
            instead = 'Write {"passage id": grade} or ["passage id"]'
        elif _is_numeric_id(finding, values):
            instead = f"{instead}, or {IDS_TEXT}"
        file.problem(what, line=line, instead=instead)
