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
        **{"differs": 0, "offsets": 4, "exact": 0, "normal": 0, "fuzzy": 0},
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
    assert "3 pieces were left as they are" in shown
    assert main(["anchor", str(folder), "--format", "json", "--similarity", "1"]) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["counts"]["fuzzy"] == 0
    assert document["written"] is None
    assert main(["anchor", str(folder), "-o", str(output)]) == 2
    assert main(["anchor", str(folder), "--language", "ko"]) == 3
    assert "찾은 텍스트" in capsys.readouterr().out
    write(folder, [{"query_id": "q1", "evidence": [evidence("a parking place")]}])
    assert main(["anchor", str(folder), "-o", str(output), "--overwrite"]) == 3
    assert "1 piece was left as it is: its place is uncertain" in capsys.readouterr().out
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


DIFFERENT = [
    ("The deposit is returned within 31 days of the lease's end.", "31", "90", "31 / 90"),
    ("Subletting is not permitted in any part of the building.", " not", "", "not / -"),
    ("The tenant does keep the garden in order in the summer.", "does", "doesn't", "- / n't"),
    ("It is lawful to enter without notice in an emergency.", "lawful", "unlawful",
     "lawful / unlawful"),
    ("보증금은 계약이 끝난 날부터 31일 안에 임차인에게 돌려준다.", "31", "90", "31 / 90"),
    ("임차인은 집주인의 동의를 받지 않고 방을 다시 빌려줄 수 있다.", "있다", "없다", "- / 없"),
    ("이 건물의 복도와 계단에서는 흡연과 취사가 가능합니다.", "가능", "불가능", "- / 불가"),
    ("Pay 1,000 won and then 3 won for each further page.", "1,000", "1,001", "1000 / 1001"),
    ("Pay 3 won first and then 5 won for each further page.", "3 won first and then 5",
     "5 won first and then 3", "3, 5 / 5, 3"),
    ("The pipes are drained where it falls below -5 degrees.", "-5", "5", "-5 / 5"),
    ("The pipes are drained where it falls below 5 degrees.", "5", "\N{MINUS SIGN}5", "5 / -5"),
    ("기온이 (-5도) 아래로 내려가면 수도관의 물을 모두 뺀다.", "-5", "5", "-5 / 5"),
]  # fmt: skip


@pytest.mark.parametrize(("quote", "mine", "theirs", "apart"), DIFFERENT)
def test_a_number_or_a_negation_that_differs_is_no_match(
    quote: str, mine: str, theirs: str, apart: str, folder: Path, capsys: Any
) -> None:
    there = quote.replace(mine, theirs, 1)
    (folder / "documents" / "terms.md").write_text(f"Terms.\n{there}\nThe end.", encoding="utf-8")
    write(folder, [{"query_id": "q1", "evidence": [evidence(quote), evidence("The ends.")]}])
    found = anchor(folder, similarity=0.85, output=folder / "new.jsonl")
    assert [one.how for one in found.evidence] == ["differs", "fuzzy"]
    assert not found.complete
    assert apart in found.evidence[0].apart
    assert found.evidence[0].place is not None
    assert found.evidence[0].place.text == there
    first, second = json.loads((folder / "new.jsonl").read_text())["evidence"]
    assert (first, second["quote"]) == (evidence(quote), "The end.")
    command = ["anchor", str(folder), "--similarity", ".85", "-o", str(folder / "new.jsonl")]
    assert main([*command, "--overwrite"]) == 3
    shown = capsys.readouterr().out
    assert shown.index("A number or a negation differs") < shown.index("Fuzzy matches")
    assert main([*command, "--overwrite", "--allow-differing"]) == 0
    first, _ = json.loads((folder / "new.jsonl").read_text())["evidence"]
    assert first["quote"] == there


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("Pay 1,000 won for the five pages.", "Pay 1000 won for the 5 pages."),
        ("You don't pay rent for the last month.", "You do not pay rent for the last month."),
        ("Pay 12 000 won, and 1'000 more for keys.", "Pay 12,000 won, and 1000 more for keys."),
        ("Return the keys on day 07 of the month.", "Return the key on day 7 of the month."),
        ("임차인은 방을 빌려주지 않는다. 계약 해지의 사유다.",
         "임차인은 방을 빌려주지 않습니다. 계약해지의 사유다."),
    ],
)  # fmt: skip
def test_the_same_number_and_negation_in_other_words(quote: str, there: str, folder: Path) -> None:
    (folder / "documents" / "terms.md").write_text(there, encoding="utf-8")
    write(folder, [{"query_id": "q1", "evidence": [evidence(quote)]}])
    assert [one.how for one in anchor(folder, similarity=0.8).evidence] == ["fuzzy"]


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("Ring the bell 3-5 times at door A-5 of the hall.",
         "Ring the bell 3\N{EN DASH}5 times at dour A 5 of the hall."),
        ("It is 5%-10% of the rent, or 3 - 5 won for each day.",
         "It is 5% 10% of the rent, or 3 \N{EM DASH} 5 won for each dey."),
    ],
)  # fmt: skip
def test_a_hyphen_of_a_range_or_a_word_is_no_sign(quote: str, there: str, folder: Path) -> None:
    (folder / "documents" / "terms.md").write_text(there, encoding="utf-8")
    write(folder, [{"query_id": "q1", "evidence": [evidence(quote)]}])
    assert anchor(folder, similarity=0.85).evidence[0].how == "fuzzy"
