"""``check_dataset``: what is planted is found, alone and together, and nothing else is."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ragscore import ConfigError, DataError, Dataset, DatasetCheck, check_dataset
from ragscore.cli import main
from ragscore.diagnose.check_run import CHECKS, check_schema
from ragscore.diagnose.text_faults import damage
from ragscore.formats import load_dataset, write_dataset
from tests.factories.static_model import save_static_model

N = 40
LONG = "the lift of building {0} is checked by the keeper on day {0} of each month at noon"


class Rows:
    """A clean dataset that trouble can be planted in."""

    def __init__(self) -> None:
        words = random.Random(14)
        self.passages = {
            f"p{at}": " ".join(f"word{words.randrange(5000)}" for _ in range(30)) for at in range(N)
        }
        self.queries: dict[str, Any] = {f"q{at}": f"what of case{at}?" for at in range(N)}
        self.judged = {f"q{at}": {f"p{at}": 1, f"p{(at + 1) % N}": 0} for at in range(N)}
        self.needs: list[dict[str, Any]] = []

    def dataset(self) -> Dataset:
        rows: list[Any] = [
            {"query_id": query, "passages": graded}
            for query, graded in self.judged.items()
            if not any(row["query_id"] == query for row in self.needs)
        ]
        return Dataset.from_rows(
            self.passages,
            [{"id": query, "text": text} for query, text in self.queries.items()],
            [*rows, *self.needs],
            allow_missing=True,
        )


def unreachable_passages(rows: Rows) -> None:
    rows.passages["p0"] = " "
    rows.judged["q1"] = {"gone": 1, "p1": 1}


def empty_queries(rows: Rows) -> None:
    rows.queries["q2"] = " "


def uncovered_needs(rows: Rows) -> None:
    rows.needs.append({"query_id": "q3", "needs": [["p3"], ["nowhere"]]})


def contradicting_queries(rows: Rows) -> None:
    rows.queries["q4"], rows.queries["q5"] = "When is it due?", "when is it DUE"


def graded_apart(rows: Rows) -> None:
    rows.passages["p6"] = rows.passages["p7"].upper() + " "


def unjudged_copies(rows: Rows) -> None:
    rows.passages["p8"] = rows.passages["p20"]


def copies_judged_together(rows: Rows) -> None:
    rows.passages["p10"] = rows.passages["p11"]
    rows.judged["q10"] = {"p10": 1, "p11": 1}
    rows.judged["q11"] = {"p11": 1, "p10": 1}


def queries_without_judgments(rows: Rows) -> None:
    rows.queries["new"] = "and of this?"


def queries_without_relevant(rows: Rows) -> None:
    rows.judged["q13"] = {"p13": 0}


def repeated_queries(rows: Rows) -> None:
    rows.queries["q14"] = rows.queries["q15"] = "Who repairs the roof?"
    rows.judged["q14"] = rows.judged["q15"]


def copied_questions(rows: Rows) -> None:
    for at in (23, 24, 25, 26, 27):
        rows.passages[f"p{at}"] += f" {LONG.format(at)}"
        rows.queries[f"q{at}"] = f"When is it that {LONG.format(at)}?"


def ids_alike(rows: Rows) -> None:
    rows.passages["P30"] = "another text of its own that nobody else has"


def damaged_texts(rows: Rows) -> None:
    rows.passages["p31"] += " caf\u00c3\u00a9"


def nearly_equal_graded_apart(rows: Rows) -> None:
    rows.passages["p33"] = rows.passages["p32"] + " more"


def reordered_queries(rows: Rows) -> None:
    rows.queries["q34"], rows.queries["q35"] = "does rain follow wind", "does wind follow rain"


def hub_passages(rows: Rows) -> None:
    for at in range(40, 240):
        rows.queries[f"q{at}"] = f"what of case{at}?"
        rows.passages[f"p{at}"] = f"only number{at} stands in this one"
        rows.judged[f"q{at}"] = {f"p{at}": 1, **({"p39": 1} if at < 100 else {})}


def unused_grades(rows: Rows) -> None:
    rows.judged["q36"] = {"p36": 3}


def duplicated_passages(rows: Rows) -> None:
    rows.passages["x"] = rows.passages["y"] = "nobody judged this text and its copy"


def nearly_equal_passages(rows: Rows) -> None:
    rows.passages["z1"] = " ".join(f"other{at}" for at in range(30))
    rows.passages["z2"] = rows.passages["z1"] + " end"


def broken_words(rows: Rows) -> None:
    rows.passages["p37"] += " the retrie-\nval of a w o r d of passages"
    rows.passages["p38"] += " no retrieval without words, no word without letters"


def tiny_passages(rows: Rows) -> None:
    rows.passages["page"] = "- 17 -"


def repeated_phrases(rows: Rows) -> None:
    for at in range(20):
        words = [f"sheet{at}x{word}" for word in range(30)]
        words.insert(at, f"The general terms of ACME, page {at}")
        rows.passages[f"sheet{at}"] = " ".join(words)


PLANTS: dict[str, Callable[[Rows], None]] = {
    name: globals()[name.replace("-", "_")]
    for name in CHECKS
    if name not in ("cut-passages", "unplaced-quotes")
}
"""What plants the trouble of each check."""
ALSO = {
    "unreachable-passages": {"tiny-passages"},
    "uncovered-needs": {"unreachable-passages"},
    "graded-apart": {"duplicated-passages", "unjudged-copies"},
    "unjudged-copies": {"duplicated-passages"},
    "copies-judged-together": {"duplicated-passages"},
    "copied-questions": {"repeated-phrases"},
    "nearly-equal-graded-apart": {"nearly-equal-passages"},
}
"""What else is true where it is planted."""


def found(rows: Rows) -> set[str]:
    return {finding.check for finding in check_dataset(rows.dataset()).findings}


def test_clean_data_has_no_findings() -> None:
    checked = check_dataset(Rows().dataset())
    assert checked.findings == ()
    assert str(checked).endswith("23 checks.\nNothing was found.")


@pytest.mark.parametrize("name", PLANTS)
def test_what_is_planted_alone_is_found_alone(name: str) -> None:
    rows = Rows()
    PLANTS[name](rows)
    assert found(rows) - {name} <= ALSO.get(name, set())
    (finding,) = (one for one in check_dataset(rows.dataset(), checks=[name]).findings)
    assert 0 < finding.count <= finding.of
    assert finding.examples
    assert finding.severity == CHECKS[name].severity


def test_what_is_planted_together_is_all_found() -> None:
    rows = Rows()
    for plant in PLANTS.values():
        plant(rows)
    assert found(rows) == set(PLANTS)
    checked = check_dataset(rows.dataset())
    severities = [finding.severity for finding in checked.findings]
    assert severities == sorted(severities, key=("error", "warning", "note").index)
    assert len(checked.at_least("error")) == 5
    assert checked.at_least("note") == checked.findings


def test_counts_and_examples_are_exact() -> None:
    rows = Rows()
    for name in ("unreachable-passages", "graded-apart", "unjudged-copies", "uncovered-needs"):
        PLANTS[name](rows)
    by_name = {one.check: one for one in check_dataset(rows.dataset()).findings}
    # p0 is relevant for q0, "gone" for q1; q3 has a need that the corpus lacks.
    assert by_name["unreachable-passages"].count == 3
    assert set(by_name["unreachable-passages"].examples) == {"q0: p0", "q1: gone", "q3: nowhere"}
    assert by_name["graded-apart"].examples == ("q6: p6 (1), p7 (0)",)
    assert "q8: p8 (1) = p20 (-)" in by_name["unjudged-copies"].examples
    # A query without needs needs each of its passages.
    uncovered = [example.partition(" ")[0] for example in by_name["uncovered-needs"].examples]
    assert uncovered == ["q0", "q1", "q3"]
    assert by_name["uncovered-needs"].examples[2] == 'q3 "what of case3?": needs.1'


def test_copies_that_cover_one_need_are_no_trouble() -> None:
    rows = Rows()
    rows.passages["p1"] = rows.passages["p2"]
    rows.judged["q1"], rows.judged["q2"] = {"p1": 1, "p2": 1}, {"p1": 1, "p2": 1}
    rows.needs = [{"query_id": query, "needs": [["p1", "p2"]]} for query in ("q1", "q2")]
    rows.judged["q0"] = {"p0": 1}
    assert found(rows) == {"duplicated-passages"}
    rows.needs[0]["needs"] = [["p1"], ["p2"]]
    assert found(rows) == {"duplicated-passages", "copies-judged-together"}


def test_questions_told_apart_by_metadata_are_not_repeated() -> None:
    metadata = [{"tenant": "north"}, {"tenant": "south"}]
    queries = [
        {"id": f"q{at}", "text": "When is rent due?", "metadata": known}
        for at, known in enumerate(metadata)
    ]
    passages = {"a": "In the north on the first.", "b": "Down south on the last."}
    judged = {"q0": ["a"], "q1": ["b"]}
    assert check_dataset(Dataset.from_rows(passages, queries, judged)).findings == ()


def test_evidence_in_documents_answers_queries() -> None:
    text = "Rent is due on the first. A tenant may keep a cat."
    rows = [
        {"query_id": query, "evidence": [{"document": "d", "quote": quote}]}
        for query, quote in (("q", "Rent is due"), ("r", "keep a cat"), ("s", "Rent is due"))
    ]
    asked = {"q": "What holds?", "r": "what holds", "s": "When is it due?", "t": "Why?"}
    data = Dataset.from_rows(None, asked, rows, documents={"d": text})
    by_name = {one.check: one.examples for one in check_dataset(data).findings}
    assert set(by_name) == {"contradicting-queries", "queries-without-judgments"}
    assert by_name["queries-without-judgments"] == ('t "Why?"',)


def test_judgments_without_a_corpus_are_checked_as_far_as_that_goes() -> None:
    data = Dataset.from_rows(None, {"q": "why?", "r": "Why"}, {"q": ["a"], "r": ["b"]})
    assert [one.check for one in check_dataset(data).findings] == ["contradicting-queries"]


@pytest.mark.parametrize(
    ("text", "damaged"),
    [
        ("it\u00e2\u0080\u0099s", True),
        ("it\u00e2\u20ac\u2122s", True),
        ("\u00ec\u2022\u02c6\u00eb\u2026\u2022", True),  # Korean read as Windows-1252
        ("lost \ufffd", True),
        ("lost \u00ef\u00bf\u00bd and \uc81c1\uc870", True),
        ("lost \u5360\uc3d9\uc619", True),
        ("안녕하세요".encode("cp949").decode("latin-1"), True),
        ("보증금은 31일 안에".encode("cp949").decode("cp1252"), True),
        ("똠방각하 펲시콜라".encode("cp949").decode("latin-1"), True),
        ("제1조 임대차".encode().decode("cp949", "replace"), True),
        ("ÄÖÜäöüß, Größe, ação, naïveté; ÀÁÂÃ, éèêë", False),
        ("Łódź, Příliš žluťoučký kůň", False),
        ("\u00bbCAF\u00c9\u00ab und \u201eMEN\u00dc\u201c", False),
        ("\u00c0 la carte, \u00e0 \u00ab midi \u00bb, S\u00e3o Paulo \u2013 A\u00c7\u00c3O", False),
        ("안녕하세요 \u201c문단\u201d", False),
    ],
)
def test_damage_is_told_from_letters_with_marks(text: str, damaged: bool) -> None:
    assert bool(damage(text)) is damaged


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("the retrie- val of it", "retrie | val"),
        ("pre- and post-war, e-\nmail of the val", ""),
        ("the retrie\nval of it", "retrie | val"),
        ("some\nthing with something, some thing", ""),
        ("계약을 해\n지하는 날", "해 | 지하는"),
        ("R e t r i e v a l of it", "R e t r i e v a l"),
        ("c h a p t e r s", "c h a p t e r s"),
        ("a b c d e f g h i j, x y z, i . e .", ""),
        ("그 때 그 곳 에 서", ""),
    ],
)
def test_words_in_pieces(text: str, broken: str) -> None:
    passages = {"a": text, "b": "retrieval, email, some, thing, something. 해지하는 해"}
    data = Dataset.from_rows(passages, {"q": "?"}, {"q": ["a"]})
    findings = check_dataset(data, checks=["broken-words"]).findings
    assert [one.examples for one in findings] == ([(f"a: {broken!r}",)] if broken else [])


def test_headers_of_pages_in_passages_and_in_lines() -> None:
    rows = Rows()
    repeated_phrases(rows)
    (finding,) = check_dataset(rows.dataset(), checks=["repeated-phrases"]).findings
    assert (finding.count, finding.of) == (20, N + 20)
    assert finding.examples == ('"the general terms of acme" (20)',)
    pages = (f"Terms of the ACME house, page {at}\nword{at} on\nthe page\n" for at in range(12))
    documents = {"d": "".join(pages), "e": "Only one line.\n" * 40}
    row = {"query_id": "q", "evidence": [{"document": "d", "quote": "word7 on"}]}
    data = Dataset.from_rows(None, {"q": "?"}, [row], documents=documents)
    (finding,) = check_dataset(data, checks=["repeated-phrases"]).findings
    assert (finding.count, finding.examples) == (1, ('"Terms of the ACME house, page 0" (12)',))


def test_quotes_without_a_certain_place_are_findings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "t.md").write_text("Rent is due on the first. Pets are welcome.")
    (tmp_path / "queries.jsonl").write_text(
        '{"id": "q", "text": "When?"}\n{"id": "r", "text": "when"}\n'
    )
    evidence = [
        {"document": "t.md", "quote": "Rent is due on the last."},
        {"document": "t.md", "quote": "e"},
        {"document": "t.md", "start": 0, "end": 4, "quote": "Pets"},
        {"document": "t.md", "quote": "on the first."},
    ]
    rows = [{"query_id": "q", "evidence": evidence}, {"query_id": "r", "evidence": evidence[3:]}]
    (tmp_path / "ground_truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(DataError, match="the quote"):
        load_dataset(tmp_path)
    found, *others = check_dataset(tmp_path).findings
    assert (found.check, found.count, found.of) == ("unplaced-quotes", 3, 5)
    assert found.examples == (
        'q: t.md "Rent is due on the last." (0)', 'q: t.md "e" (7)', 'q: t.md "Pets" (1)',
    )  # fmt: skip
    assert [one.check for one in others] == ["contradicting-queries"]
    assert main(["check", str(tmp_path)]) == 1
    assert "unplaced-quotes" in capsys.readouterr().out
    rows[1]["evidence"] = evidence[:1]
    (tmp_path / "ground_truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [one.check for one in check_dataset(tmp_path).findings][:1] == ["unplaced-quotes"]
    assert "queries-without-judgments" not in str(check_dataset(tmp_path))
    evidence[0]["document"] = "s.md"
    (tmp_path / "ground_truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(DataError, match="there is no document"):
        check_dataset(tmp_path)


def test_documents_without_passages_are_checked_as_passages() -> None:
    question = "Which of the two cats of the keeper sleeps in the old shed?"
    documents = {
        "menu": "A caf\u00c3\u00a9 is open.",
        "whole": f"A caf\u00e9 is open. {question} The grey one.",
        "copy": f"A caf\u00e9 is open. {question} The grey one.",
    }
    row = {"query_id": "q", "evidence": [{"document": "whole", "quote": "The grey one."}]}
    data = Dataset.from_rows(None, {"q": question}, [row], documents=documents)
    found = check_dataset(data)
    assert {finding.check for finding in found.findings} == {
        "damaged-texts",
        "duplicated-passages",
        "copied-questions",
        "unjudged-copies",
    }
    (damaged,) = (one for one in found.findings if one.check == "damaged-texts")
    assert damaged.examples == ("menu: '\u00c3\u00a9'",)
    assert (found.documents, found.evidence, found.passages) == (3, 1, 0)
    assert "hub-passages" not in found.checks
    assert "Each document is checked as one passage." in str(found)


def test_the_datasets_that_ship_are_clean(root: Path) -> None:
    for folder in (root / "datasets").glob("*/"):
        assert check_dataset(folder).findings == (), folder.name


RIGHT = {
    "adi": {},
    "autorag-ko-tutorial": {"broken-words": 23, "repeated-phrases": 6},
    "cacm": {"queries-without-judgments": 12},
    "cranfield": {
        "unreachable-passages": 1,
        "broken-words": 3,
        "copied-questions": 1,
        "tiny-passages": 2,
        "nearly-equal-passages": 2,
    },
    "xquad-en": {"repeated-queries": 5, "copied-questions": 30},
}
"""Findings in public collections that were read one by one, and are true."""


@pytest.mark.parametrize("name", RIGHT)
def test_public_collections(conformance: Path, name: str) -> None:
    checked = check_dataset(conformance / "collections" / name)
    assert {one.check: one.count for one in checked.findings} == RIGHT[name]


def test_passages_longer_than_an_encoder_reads(tmp_path: Path) -> None:
    encoder = {"kind": "static", "model": str(save_static_model(tmp_path / "model", limit=300))}
    rows = Rows()
    assert check_dataset(rows.dataset(), encoder=encoder).findings == ()
    rows.passages["p5"] = "rent " * 400
    (finding,) = check_dataset(rows.dataset(), encoder=encoder).findings
    assert (finding.check, finding.count) == ("cut-passages", 1)
    assert finding.examples[0].startswith("p5 (")
    assert finding.examples[0].endswith(" > 300)")
    assert str(finding.why).endswith("Relevant for a query: 1 of these passages.")
    with pytest.raises(ConfigError, match=r"encoder: unknown encoder 'minilms'\. Did you mean"):
        check_dataset(rows.dataset(), encoder="minilms")


def test_the_page_lists_every_check(root: Path) -> None:
    page = (root / "docs" / "check.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| (\w+) \|", page, re.MULTILINE)
    assert rows == [(name, check.severity) for name, check in CHECKS.items()]


def test_an_unknown_check_is_an_error() -> None:
    with pytest.raises(ConfigError, match="unknown check 'hubs'"):
        check_dataset(Rows().dataset(), checks=["hubs"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with one error and one note."""
    rows, folder = Rows(), tmp_path_factory.mktemp("checked") / "planted"
    graded_apart(rows)
    write_dataset(rows.dataset(), folder)
    return folder


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 1),
        (["--fail-on", "never"], 0),
        (["--check", "duplicated-passages"], 0),
        (["--check", "duplicated-passages", "--fail-on", "note"], 1),
        (["--check", "duplicated-passages", "--fail-on", "warning"], 0),
        (["--check", "hubs"], 2),
        (["--encoder", "nothing"], 2),
    ],
)
def test_the_exit_code(folder: Path, options: list[str], code: int) -> None:
    assert main(["check", str(folder), *options]) == code


def test_json_is_what_python_has(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(folder), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, check_schema())
    checked = check_dataset(load_dataset(folder))
    assert document == checked.to_dict()
    read = copy.deepcopy(document)
    del read["schema"]
    assert DatasetCheck.from_dict(read).to_dict() == document


def test_korean_and_markdown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(folder), "--language", "ko", "--format", "markdown"]) == 1
    shown = capsys.readouterr().out
    assert "오류 graded-apart" in shown
    assert "Why" not in shown
