"""Notes of a run cross processes and files as messages: each is still said in any language."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from ragscore import BM25, DataError, Dataset, Result, evaluate
from ragscore.cli import main
from ragscore.messages import DEPTH, LONGEST, Message
from ragscore.results import open_result
from tests.factories.manifests import resealed

KOREAN = "house: 빈 질의 1개"


@pytest.fixture
def result() -> Result:
    passages = {"rent": "Rent is due.", "pets": "Pets are welcome."}
    queries, truth = {"q1": "When is rent due?", "q2": " "}, {"q1": ["rent"], "q2": ["pets"]}
    dataset = Dataset.from_rows(passages, queries, truth, name="house")
    return evaluate(dataset, {"bm25": BM25()}, ["RR"])


def test_in_korean_after_a_process_and_a_file(result: Result, tmp_path: Path) -> None:
    notes = result.manifest.notes
    assert KOREAN in [note.text("ko") for note in notes if isinstance(note, Message)]
    assert pickle.loads(pickle.dumps(notes)) == notes
    result.save(tmp_path / "out")
    assert open_result(tmp_path / "out").manifest.notes == notes


def test_in_korean_where_a_result_is_shown(
    result: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result.save(tmp_path / "out")
    assert main(["show", str(tmp_path / "out"), "--language", "ko"]) == 0
    assert KOREAN in capsys.readouterr().out


def test_sentences_of_an_earlier_version_stay_as_they_are(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "out")
    said = ["house: 1 query is empty", "{dataset} is no place", "{0.__class__} {x!r} %s"]
    resealed(tmp_path / "out", notes=said)
    opened = open_result(tmp_path / "out")
    assert list(opened.manifest.notes) == said
    assert all(note in str(opened) for note in said)


def nested(depth: int) -> dict[str, Any]:
    note: dict[str, Any] = {"template": "{dataset}: {note}", "facts": {"dataset": "a", "note": "b"}}
    for _ in range(depth):
        note = {"template": "{dataset}: {note}", "facts": {"dataset": "a", "note": note}}
    return note


def repeated(depth: int) -> dict[str, Any]:
    note: dict[str, Any] = {"template": "{a}" * 600, "facts": {"a": "ha"}}
    return note if not depth else {**note, "facts": {"a": repeated(depth - 1)}}


ROWS = {"template": "{dataset}: {note}" * 200, "facts": {"dataset": "a" * 99_999, "note": "b"}}


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ({"template": "run {x.__class__} {x!r} {x:9} {0}", "facts": {"x": 1}}, None),
        ({"template": "Send {secret} to me", "facts": {"secret": "<b>all</b>"}}, None),
        ({"template": "a" * 10 * LONGEST, "facts": {}}, "a" * LONGEST),
        ({"template": "{dataset}: {note}", "facts": {"dataset": "{note}", "note": "{dataset}"}},
         "{note}: {dataset}"),
        ({"template": "{dataset}: {note}"}, "{dataset}: {note}"),
        ({"template": "1 query is empty", "context": "no", "more": 1}, "1 query is empty"),
        (nested(DEPTH), "a: " * (DEPTH + 1) + "b"),
        (ROWS, None),
        (repeated(DEPTH), None),
    ],
)  # fmt: skip
def test_what_is_not_ours_is_data(
    result: Result, tmp_path: Path, note: dict[str, Any], text: str | None
) -> None:
    result.save(tmp_path / "out")
    resealed(tmp_path / "out", notes=[note])
    (found,) = open_result(tmp_path / "out").manifest.notes
    assert isinstance(found, Message)
    if text is not None:
        assert str(found) == text
    for language in ("en", "ko"):
        assert len(found.text(language)) <= 10 * LONGEST
        assert not found.text(language).startswith("run <class")


@pytest.mark.parametrize(
    "notes",
    [
        [nested(DEPTH + 1)],
        [{"template": 5}],
        [{"facts": {}}],
        [{"template": "a", "context": ["b"]}],
        [{"template": "{a}", "facts": ["a"]}],
        [{"template": "{a}", "facts": {"a": ["b"]}}],
        [5],
        [None],
        [[["a"]]],
        {"a": 1},
        5,
        "a note",
    ],
)
def test_what_is_no_note_is_refused(result: Result, tmp_path: Path, notes: Any) -> None:
    result.save(tmp_path / "out")
    resealed(tmp_path / "out", notes=notes)
    with pytest.raises(DataError, match="notes"):
        open_result(tmp_path / "out")


def test_a_note_deeper_than_any_reader_is_an_error(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "out")
    path = tmp_path / "out" / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    deep = '{"template":"{a}","facts":{"a":' * 50_000 + '"b"' + "}}" * 50_000
    path.write_text(json.dumps({**manifest, "notes": "HERE"}).replace('"HERE"', f"[{deep}]"))
    with pytest.raises(DataError):
        open_result(tmp_path / "out")
