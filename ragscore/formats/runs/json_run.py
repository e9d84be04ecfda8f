"""json: runs as one JSON object, the way Python programs keep them.

::

    {"q1": {"a": 2.5, "b": 1.0}, "q2": {}}       score by passage
    {"q1": ["a", "b"]}                           passages, best first
    {"q1": [["a", 2.5], ["b", 1.0]]}             passages with scores
"""

from __future__ import annotations

from pathlib import Path

from ragscore.formats.reading.json_object import RUN, JsonObject
from ragscore.formats.reading.lines import plain_name
from ragscore.formats.reading.problems import collected
from ragscore.formats.runs.base import RunFormat
from ragscore.run import Returned, Run


def read_json_run(path: Path, *, name: str | None = None, strict: bool = False) -> Run:
    """A run over the passage ids that its file names; see the module for the forms.

    Raises:
        DataError: it is not JSON or no run, with lines; (strict) a passage is named twice.
    """
    returned: dict[str, Returned] = {}
    with collected() as problems:
        reader = JsonObject(path, problems, "score", RUN)
        for query, value in reader.queries():
            returned[query] = reader.returned(query, value)
        reader.refuse_mixed(returned)
    name = name or plain_name(path, FORMAT.suffixes)
    return Run.from_dict(returned, name=name, strict=strict)


FORMAT = RunFormat(
    description='{"query": {"passage": score}} or {"query": ["passage", ...]}, best first',
    suffixes=(".json",),
    example='{"q1": {"a": 2.5, "b": 1.0}, "q2": {"b": 0.5}}',
    read=read_json_run,
)
