"""``ragscore anchor``: quotes become offsets, and nothing is guessed."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragscore.anchoring.anchor import anchor
from ragscore.anchoring.anchored import anchored_schema
from ragscore.anchoring.approximate import nearest
from ragscore.cli import main
from ragscore.errors import ConfigError, DataError
from ragscore.formats import load_dataset

TERMS = (
    "Rent is due\r\non the first day of each month.\r\nPets: ask first. Pets: ask first.\r\n"
    "The tenant shall return both keys on the last day of the lease."
)
KEYS = "The tenants shall return both keys at the last day of the lease."
FOUND = "The tenant shall return both keys on the last day of the lease."


def evidence(quote: str, document: str = "terms.md", **more: Any) -> dict[str, Any]:
    return {"document": document, "quote": quote, **more}


ROWS: list[dict[str, Any]] = [
    {
        "query_id": "q1",
        "evidence": [evidence("due on the first"), evidence("each month"), evidence("Pets: ask")],
    },
    {
        "query_id": "q2",
        "needs": [
            [evidence(KEYS, grade=2.0)],
            [evidence("x", "term.md"), evidence("no such words")],
        ],
        "evidence": [{"document": "terms.md", "start": 0, "end": 4}],
    },
]
HOW = ["normal", "exact", "ambiguous", "fuzzy", "wrong", "missing", "offsets"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "terms.md").write_bytes(TERMS.encode())
    lines = "".join(json.dumps({"id": name, "text": "?"}) + "\n" for name in ("q1", "q2"))
    (tmp_path / "queries.jsonl").write_text(lines)
    write(tmp_path, ROWS)
    return tmp_path


def write(folder: Path, rows: list[dict[str, Any]]) -> None:
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "ground_truth.jsonl").write_text(lines)


def test_each_way_of_finding(folder: Path) -> None:
    found = anchor(folder)
    assert [one.how for one in found.evidence] == HOW
    assert [one.line for one in found.evidence] == [1, 1, 1, 2, 2, 2, 2]
    assert not found.complete
    ambiguous, fuzzy, wrong = found.evidence[2], found.evidence[3], found.evidence[4]
    assert [TERMS[place.start : place.end] for place in ambiguous.places] == ["Pets: ask"] * 2
    assert ambiguous.place is None
    assert fuzzy.place is not None
    assert fuzzy.place.text == TERMS[fuzzy.place.start : fuzzy.place.end] == FOUND
    assert fuzzy.place.similarity == pytest.approx(1 - 3 / len(KEYS))
    assert wrong.problem is not None
    assert "Did you mean 'terms.md'" in wrong.problem
    assert set(anchored_schema()["properties"]) == set(found.to_dict())


def test_what_has_a_place_is_written_and_the_rest_is_kept(folder: Path) -> None:
    output = folder / "new.jsonl"
    anchor(folder, output=output)
    first, second = map(json.loads, output.read_text().splitlines())
    assert first["evidence"][0] == {**evidence("due on the first"), "start": 8, "end": 25}
    assert first["evidence"][2] == ROWS[0]["evidence"][2]
    assert second["needs"][0][0]["quote"] == FOUND
    assert second["needs"][0][0]["grade"] == 2.0
    assert second["needs"][1] == ROWS[1]["needs"][1]
    with pytest.raises(ConfigError, match="the file exists"):
        anchor(folder, output=output)
    before = output.read_bytes()
    assert anchor(folder, ground_truth="new.jsonl", output=output, overwrite=True).counts == {
        **{"offsets": 4, "exact": 0, "normal": 0, "fuzzy": 0},
        **{"ambiguous": 1, "missing": 1, "wrong": 1},
    }
    assert output.read_bytes() == before


def test_what_was_anchored_loads(folder: Path) -> None:
    write(folder, [{"query_id": "q1", "evidence": [evidence(KEYS), evidence("each  month")]}])
    with pytest.raises(DataError, match="ragscore anchor"):
        load_dataset(folder)
    assert anchor(folder, output=folder / "new.jsonl").complete
    dataset = load_dataset(folder, ground_truth="new.jsonl")
    assert dataset.documents is not None
    assert dataset.evidence is not None
    assert dataset.evidence.texts(dataset.documents) == [FOUND, "each month"]


def test_a_second_place_that_is_nearly_as_similar(folder: Path) -> None:
    text = "Return the red key on Monday. Return the rid key on Monday."
    (folder / "documents" / "terms.md").write_text(text)
    write(folder, [{"query_id": "q1", "evidence": [evidence("Return the rod key on Monday.")]}])
    found = anchor(folder).evidence[0]
    assert found.how == "ambiguous"
    assert [place.text for place in found.places] == [text[:29], text[30:]]


def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = folder / "new.jsonl"
    assert main(["anchor", str(folder), "-o", str(output)]) == 3
    shown = capsys.readouterr().out
    assert "The tenants shall return both keys at" in shown
    assert "The tenant shall return both keys on" in shown
    assert "3 pieces kept as in the ground truth" in shown
    assert main(["anchor", str(folder), "--format", "json", "--similarity", "1"]) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["counts"]["fuzzy"] == 0
    assert document["written"] is None
    assert main(["anchor", str(folder), "-o", str(output)]) == 2
    assert main(["anchor", str(folder), "--language", "ko"]) == 3
    assert "찾은 글" in capsys.readouterr().out
    write(folder, [{"query_id": "q1", "evidence": [evidence("each month")]}])
    assert main(["anchor", str(folder), "-o", str(output), "--overwrite"]) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"similarity": 0.3}, "0.3 is not above 0.5"),
        ({"documents": "nowhere"}, "there is no folder or file 'nowhere'"),
        ({"corpus": False}, "the dataset has no documents"),
    ],
)
def test_what_cannot_be_anchored(folder: Path, options: Any, message: str) -> None:
    with pytest.raises((ConfigError, DataError), match=message):
        anchor(folder, **options)


def edits(text: str, wanted: str) -> int:
    row = list(range(len(wanted) + 1))
    for number, one in enumerate(text, 1):
        new = [number]
        for at, other in enumerate(wanted, 1):
            new.append(min(row[at] + 1, new[-1] + 1, row[at - 1] + (one != other)))
        row = new
    return row[-1]


@given(
    st.text("ab c", min_size=1, max_size=18),
    st.text("ab c", min_size=1, max_size=8),
    st.sampled_from([0.6, 0.75, 0.9, 1.0]),
)
@example("aaaaaa", "aa ", 0.6)
def test_the_nearest_places_are_those_of_brute_force(
    text: str, wanted: str, similarity: float
) -> None:
    spans = [(i, j) for i in range(len(text)) for j in range(i + 1, len(text) + 1)]
    least = min(edits(text[start:end], wanted) for start, end in spans)
    found = nearest(text, wanted, similarity)
    assert bool(found) == (1 - least / len(wanted) >= similarity - 1e-9)
    if found:
        assert found[0].edits == least
    for place in found:
        assert edits(text[place.start : place.end], wanted) == place.edits
    by_place = sorted(found, key=lambda place: place.start)
    assert all(one.end <= two.start for one, two in pairwise(by_place))


def test_the_questions_of_the_span_data(conformance: Path, tmp_path: Path) -> None:
    """Three documents, 276 questions, answers as quotes with offsets."""
    spans = conformance / "spans"
    texts = {path.name: path.read_bytes().decode() for path in spans.glob("*.md")}
    questions = [json.loads(line) for line in (spans / "questions.jsonl").read_text().splitlines()]
    queries = [{"id": question["id"], "text": question["text"]} for question in questions]
    given = [
        {"document": question["document"], "start": span["start"], "end": span["end"]}
        for question in questions
        for span in question["spans"]
    ]
    rows = [
        {
            "query_id": question["id"],
            "evidence": [{"document": question["document"], **span} for span in question["spans"]],
        }
        for question in questions
    ]
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in queries))
    write(tmp_path, rows)
    dataset = load_dataset(tmp_path, documents=str(spans))
    assert dataset.documents is not None
    assert dataset.evidence is not None
    assert (len(dataset.documents), len(dataset.queries)) == (3, 276)
    assert dataset.counts["queries_without_judgments"] == 0
    # As quotes, each is found where it was, but for those that stand in several places.
    found = dataset.evidence.texts(dataset.documents)
    assert sorted(found) == sorted(
        texts[e["document"]][e["start"] : e["end"]].strip() for e in given
    )
    for row in rows:
        for span in row["evidence"]:
            span["quote"] = texts[span["document"]][span.pop("start") : span.pop("end")]
    write(tmp_path, rows)
    anchored = anchor(tmp_path, documents=str(spans))
    assert anchored.counts["exact"] + anchored.counts["ambiguous"] == len(given)
    assert anchored.counts["exact"] > 0.98 * len(given)
    for evidence, span in zip(anchored.evidence, given, strict=True):
        places = [(place.start, place.end) for place in (evidence.place, *evidence.places) if place]
        assert (span["start"], span["end"]) in places
