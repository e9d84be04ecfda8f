"""Runs and judgments as one JSON object, the way Python programs keep them.

::

    {"q1": {"a": 2.5, "b": 1.0}, "q2": {}}       a run: score by passage
    {"q1": ["a", "b"]}                           a run: passages, best first
    {"q1": [["a", 2.5], ["b", 1.0]]}             a run: passages with scores
    {"q1": {"a": 1, "b": 0}}                     judgments: grade by passage
    {"q1": ["a", "b"]}                           judgments: grade 1 each
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragscore.formats.reading.lines import File
from ragscore.formats.reading.problems import Problems
from ragscore.json_data import Pairs, load_json
from ragscore.run import Returned

RUN = 'A run is {"query": {"passage": score}} or {"query": ["passage", ...]}, best first'
JUDGMENTS = 'Judgments are {"query": {"passage": grade}} or {"query": ["passage", ...]}'


UNREAD = object()
"""In place of a value that could not be read, which is reported."""


def parsed(text: str, file: File, instead: str) -> Any:
    """The value of a whole file of JSON, its objects as :class:`Pairs`; :data:`UNREAD` where that
    is reported instead."""
    if not file.intact:
        return UNREAD
    try:
        return load_json(text, object_pairs_hook=Pairs)
    except json.JSONDecodeError as error:
        what = f"not JSON: {error.msg} at column {error.colno}"
        file.problem(what, line=error.lineno, instead=instead)
    except ValueError as error:
        file.problem(f"not JSON that can be read: {error}", instead=instead)
    return UNREAD


class JsonObject:
    """One JSON file.

    Args:
        kind: what a number in it means.
        instead: what it is to hold.
        noun: what its keys name.
    """

    def __init__(
        self, path: Path, problems: Problems, kind: str, instead: str, noun: str = "query"
    ) -> None:
        self.file = File(path, problems, max_line_bytes=None)
        self.kind, self.instead, self.noun = kind, instead, noun
        self.text = ""

    def queries(self) -> Iterator[tuple[str, Any]]:
        """Each key and what stands there for it; one that is there twice is reported."""
        self.text = "\n".join(self.file.lines(crlf=True))
        value = parsed(self.text, self.file, self.instead)
        if value is UNREAD:
            return
        if not isinstance(value, Pairs):
            self.file.problem(
                f"{_named(value)} where an object is expected", line=1, instead=self.instead
            )
            return
        seen: set[str] = set()
        for query, inside in value:
            if query in seen:
                self._problem(f"the {self.noun} occurs twice", query, instead="Join its entries")
            elif not query or query.isspace():
                self._problem(f"the {self.noun} id is empty", query)
            else:
                yield query, inside
            seen.add(query)

    def returned(self, query: str, value: Any) -> Returned:
        """What a query got, as :class:`Run` takes it."""
        if isinstance(value, Pairs):
            return [pair for pair in value if self._good(query, *pair)]
        if not isinstance(value, list):
            self._problem(f"{_named(value)} where its passages are expected", query)
            return []
        if value and all(isinstance(item, list) for item in value):
            pairs = []
            for item in value:
                if len(item) != 2 or not isinstance(item[0], str):
                    self._problem('["passage", score] is expected', query)
                elif self._good(query, item[0], item[1]):
                    pairs.append((item[0], float(item[1])))
            return pairs
        return [passage for passage in value if self._is_id(query, passage)]

    def refuse_mixed(self, returned: dict[str, Returned]) -> None:
        """Report the first query whose passages have scores where the others' have none."""
        kind: bool | None = None
        for query, passages in returned.items():
            if not passages:
                continue
            scored = not isinstance(passages[0], str) if isinstance(passages, list) else True
            if kind is not None and scored != kind:
                this, others = ("has", "have none") if scored else ("has no", "have some")
                self._problem(
                    f"the query {this} scores, and those before {others}",
                    query,
                    instead="Give scores for every passage or for none",
                )
                return
            kind = scored

    def judged(self, query: str, value: Any) -> dict[str, float]:
        """The grades of one query."""
        if isinstance(value, Pairs):
            pairs = [(passage, float(grade)) for passage, grade in value
                     if self._good(query, passage, grade)]  # fmt: skip
        elif isinstance(value, list):
            pairs = [(passage, 1.0) for passage in value if self._is_id(query, passage)]
        else:
            self._problem(f"{_named(value)} where its passages are expected", query)
            return {}
        grades = dict(pairs)
        if len(grades) < len(pairs):
            named = Counter(passage for passage, _ in pairs)
            twice = next(passage for passage, count in named.items() if count > 1)
            self._problem(
                f"the passage '{twice}' is judged twice", query, twice, "Keep one judgment"
            )
        return grades

    def _good(self, query: str, passage: str, value: Any) -> bool:
        if not self._is_id(query, passage):
            return False
        if isinstance(value, bool) or not isinstance(value, int | float):
            what = f"{_named(value)} where a {self.kind} is expected"
        elif not _is_finite(value):
            what = (
                f"the {self.kind} of passage '{passage}' is {value:.6g}"
                if isinstance(value, float)
                else f"the {self.kind} of passage '{passage}' is too large"
            )
        else:
            return True
        self._problem(what, query, passage, f"A {self.kind} is a finite number")
        return False

    def _is_id(self, query: str, passage: Any) -> bool:
        if not isinstance(passage, str):
            quoted = f"Write {json.dumps(str(passage))} in quotes"
            number = isinstance(passage, int | float) and not isinstance(passage, bool)
            what = f"{_named(passage)} where a passage id is expected"
            self._problem(what, query, instead=quoted if number else self.instead)
            return False
        if not passage or passage.isspace():
            self._problem("the passage id is empty", query)
            return False
        return True

    def _problem(self, what: str, query: str, passage: str = "", instead: str = "") -> None:
        what = f"{self.noun} '{query}': {what}" if query else what
        line = self._line_of(query, passage)
        self.file.problem(what, line=line, instead=instead or self.instead)

    def _line_of(self, query: str, passage: str) -> int:
        """The line where a query's passage, or the query, stands; 0 if it is not found."""
        at = _place_of_key(self.text, query, 0, r"\s*:\s*[^\s,}]")
        if at >= 0 and passage:
            inside = _place_of_key(self.text, passage, at + 1, "")
            at = inside if inside >= 0 else at
        return self.text.count("\n", 0, at) + 1 if at >= 0 else 0


def _place_of_key(text: str, key: str, start: int, behind: str) -> int:
    written = {json.dumps(key), json.dumps(key, ensure_ascii=False)}
    pattern = re.compile(f"(?:{'|'.join(map(re.escape, sorted(written)))}){behind}")
    found = pattern.search(text, start)
    return found.start() if found else -1


def _is_finite(value: int | float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _named(value: object) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return f"the text {json.dumps(value[:40], ensure_ascii=False)}"
    return "an object" if isinstance(value, Pairs) else "a list"
