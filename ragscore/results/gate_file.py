"""gate.json: the outcome of a gate, read back."""

from __future__ import annotations

from pydantic import ValidationError

from ragscore.errors import DataError
from ragscore.gate import GateOutcome
from ragscore.json_data import parse_json
from ragscore.results.manifest_file import DAMAGED


def read_gate(content: bytes, where: str) -> GateOutcome:
    """The outcome that gate.json records.

    Args:
        content: of the file.
        where: the file, for messages.

    Raises:
        DataError: it is not what a gate records.
    """
    try:
        document = parse_json(content)
    except ValueError as error:
        raise DataError(f"it cannot be read: {error}", where=where, instead=DAMAGED) from error
    try:
        found = GateOutcome.from_dict(document)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        what = f"it is not the outcome of a gate: {place}: {first['msg']}"
        raise DataError(what, where=where, instead=DAMAGED) from error
    if not found.conditions:
        raise DataError("it has no condition", where=where, instead=DAMAGED)
    return found
