"""Judgments go over to passages that were cut in another way, and nothing is lost silently."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore import load_dataset
from ragscore.anchoring.migrate import migrate
from ragscore.anchoring.migrated import migrated_schema
from ragscore.cli import main
from ragscore.dataset import Corpus, Dataset, Documents, Ids
from ragscore.errors import ConfigError, DataError
from ragscore.formats import write_dataset

WORDS = [f"{first}{second}{third}" for first in "kmprst" for second in "aeiou" for third in "lnz"]
SENTENCES = {
    "rent": "Rent is due on the first day of each month, by transfer to the account of the owner.",
    "late": "It is late after five clear days, and a second letter costs the tenant ten pounds.",
    "cat": "A tenant may keep one cat, and has to ask in writing before any other animal moves in.",
}
TEXT = " ".join(SENTENCES.values())
GRADES: dict[str, dict[str, float]] = {"q1": {"rent": 2, "cat": 0}, "q2": {"rent": 1, "late": 1}}


def corpus(texts: dict[str, str]) -> Corpus:
    return Corpus(Ids(texts), list(texts.values()))


def dataset(texts: dict[str, str], judged: Any = GRADES) -> Dataset:
    queries = dict.fromkeys(("q", "q1", "q2"), "?")
    return Dataset.from_rows(texts, queries, judged)


def rows(found: Any) -> dict[str, dict[str, Any]]:
    return {
        row.query_id: row.model_dump(exclude_defaults=True, exclude={"query_id"})
        for row in found.rows
    }


OLD = dataset(SENTENCES)


def test_the_same_passages_under_other_ids() -> None:
    new = corpus({f"new-{name}": f"  {text}\r\n" for name, text in SENTENCES.items()})
    found = migrate(OLD, new)
    assert found.counts == {"mapped": 3, "merged": 0, "repeated": 0, "split": 0, "lost": 0}
    assert rows(found) == {
        "q1": {"passages": {"new-rent": 2, "new-cat": 0}},
        "q2": {"passages": {"new-rent": 1, "new-late": 1}},
    }
    assert found.complete
    assert found.dropped == 0


def test_passages_that_were_put_together() -> None:
    both = f"{SENTENCES['rent']} {SENTENCES['late']}"
    found = migrate(OLD, corpus({"both": both, "cat": SENTENCES["cat"]}))
    assert (found.counts["merged"], found.counts["mapped"]) == (2, 1)
    # One passage covers both needs: there are still two.
    assert rows(found) == {
        "q1": {"passages": {"both": 2, "cat": 0}},
        "q2": {"needs": [["both"], ["both"]]},
    }


def test_passages_that_were_cut() -> None:
    half = len(SENTENCES["rent"]) // 2
    parts = {"one": SENTENCES["rent"][:half], "two": SENTENCES["rent"][half:]}
    found = migrate(OLD, corpus({**parts, "late": SENTENCES["late"], "cat": SENTENCES["cat"]}))
    assert (found.counts["split"], found.counts["mapped"]) == (1, 2)
    assert rows(found)["q1"] == {"passages": {"cat": 0}, "needs": [{"one": 2, "two": 2}]}
    assert rows(found)["q2"] == {"needs": [["one", "two"], ["late"]]}
    (split,) = [text for text in found.texts if text.fate == "split"]
    assert split.text == SENTENCES["rent"]
    assert [place.id for place in split.places] == ["one", "two"]
    assert split.held > 0.98


def test_passages_that_repeat_and_passages_that_are_gone() -> None:
    new = {"one": SENTENCES["rent"], "two": SENTENCES["rent"] + " And more.", "cat": "A dog."}
    found = migrate(OLD, corpus(new))
    assert (found.counts["repeated"], found.counts["lost"]) == (1, 2)
    assert rows(found)["q2"] == {"needs": [["one", "two"]]}
    assert found.lost_needs == ("q2",)
    assert found.dropped == 1
    assert not found.complete


def test_documents_take_the_place_of_passages() -> None:
    texts = {"a.md": TEXT.replace(" ", "\n", 3), "b.md": "Nothing of it."}
    documents = Documents(Ids(texts), list(texts.values()))
    found = migrate(OLD, documents)
    assert found.into == "documents"
    assert found.dropped == 1
    cited = [row.evidence for row in found.rows]
    assert [[span.grade for span in spans] for spans in cited] == [[2], [1, 1]]
    for spans in cited:
        for span in spans:
            assert span.start is not None
            assert span.quote == texts[span.document][span.start : span.end]
    assert " ".join((cited[1][1].quote or "").split()) == SENTENCES["late"]
    # Back again: what was evidence is found in the passages that it came from.
    there = Dataset.from_rows(None, {"q1": "?", "q2": "?"}, list(found.rows), documents=texts)
    relevant = {
        query: {name: grade for name, grade in grades.items() if grade > 0}
        for query, grades in GRADES.items()
    }
    back = migrate(there, corpus(SENTENCES))
    assert rows(back) == {query: {"passages": grades} for query, grades in relevant.items()}


def test_an_edited_passage_goes_over_and_a_rewritten_one_is_lost() -> None:
    edited = SENTENCES["rent"].replace("first", "1st")
    assert migrate(OLD, corpus({**SENTENCES, "rent": edited})).counts["lost"] == 0
    rewritten = "The rent is to be paid monthly, on day one, to the landlord's bank account."
    lost = migrate(OLD, corpus({**SENTENCES, "rent": rewritten}))
    assert [text.id for text in lost.texts if text.fate == "lost"] == ["rent"]


@pytest.mark.parametrize(
    ("text", "new", "fate", "goes_to"),
    [
        ("Cats: one.", ["Cats: one."], "mapped", ["0"]),
        ("Cats: one.", ["Dogs: none. Cats: one. Birds: two."], "merged", ["0"]),
        ("one", ["Dogs: none, and no stones. Cats: one."], "merged", ["0"]),
        ("one", ["Dogs: none, and no stones."], "lost", []),
        ("Cats: one.", ["Cats: one.", "Dogs: none. Cats: one."], "mapped", ["0"]),
        ("Cats: one.", ["Cats: one.", "Cats:  one."], "repeated", ["0", "1"]),
        ("Cats: one.", ["Cats: one. A.", "Dogs: none. Cats: one."], "lost", []),
        ("고양이", ["고양이는 한 마리만 키웁니다."], "merged", ["0"]),
    ],
)
def test_short_texts(text: str, new: list[str], fate: str, goes_to: list[str]) -> None:
    """Exactly as they stand, as whole words, and not where several texts hold them by chance."""
    texts = {str(number): each for number, each in enumerate(new)}
    found = migrate(dataset({"p": text}, {"q": {"p": 1}}), corpus(texts))
    assert [each.fate for each in found.texts] == [fate]
    (row,) = found.rows or [None]
    listed = [] if row is None else [*row.graded(), *(name for need in row.needs for name in need)]
    assert listed == goes_to


@pytest.mark.parametrize(("text", "fate"), [("one cat", "mapped"), ("one", "lost")])
def test_short_evidence(text: str, fate: str) -> None:
    target = Documents(Ids(["d"]), ["A tenant may keep one cat, and one dog."])
    found = migrate(dataset({"p": text}, {"q": {"p": 1}}), target)
    assert [each.fate for each in found.texts] == [fate]
    assert found.complete == (fate == "mapped")


def test_a_near_duplicate_is_another_text(root: Path) -> None:
    """The figure for 2025 and that for 2026 differ in three words, and each goes to its own."""
    folder = root / "datasets" / "harbour-tenancy"
    found = migrate(folder, folder / "documents")
    assert found.counts["mapped"] == len(found.texts) == 162
    assert found.lost_needs == ()
    quoted = load_dataset(folder, documents="documents", ground_truth="ground_truth_evidence.jsonl")
    back = migrate(quoted, folder)
    assert back.counts["mapped"] + back.counts["merged"] == len(back.texts) == 132


def test_a_chunk_that_cuts_a_text_off_holds_it_too() -> None:
    """As where chunks overlap; one that holds other words there is another text."""
    text = f"{SENTENCES['rent']} {SENTENCES['late']}"
    new = {"all": text, "cut": text[4:], "other": f"None {text[4:]}"}
    found = migrate(dataset({"p": text}, {"q": {"p": 1}}), corpus(new))
    assert rows(found)["q"]["needs"] == [["all", "cut"]]


def test_copies_become_needs_of_the_same_evidence() -> None:
    """Two passages with one text were two needs; one place in a document covers both."""
    twice = dataset({"a": SENTENCES["cat"], "b": SENTENCES["cat"]}, {"q": {"a": 1, "b": 1}})
    target = Documents(Ids(["d"]), [TEXT])
    (row,) = migrate(twice, target).rows
    assert [len(need) for need in row.needs] == [1, 1]
    again = Dataset.from_rows(None, {"q": "?"}, [row], documents={"d": TEXT})
    assert again.evidence is not None
    assert again.evidence.need.tolist() == [0, 1]


def test_needs_stay_needs() -> None:
    judged = [{"query_id": "q1", "needs": [["rent", "late"], {"cat": 2.0}]}]
    names = {f"new-{name}": text for name, text in SENTENCES.items()}
    found = migrate(dataset(SENTENCES, judged), corpus(names))
    assert rows(found) == {"q1": {"needs": [["new-rent", "new-late"], {"new-cat": 2.0}]}}


def test_forbidden_passages_stay_forbidden() -> None:
    judged = [{"query_id": "q1", "passages": ["rent"], "forbidden": ["cat", "late"]}]
    both = f"{SENTENCES['rent']} {SENTENCES['late']}"
    old = dataset(SENTENCES, judged)
    found = migrate(old, corpus({"both": both, "new-cat": SENTENCES["cat"]}))
    assert rows(found) == {"q1": {"passages": {"both": 1}, "forbidden": ["new-cat"]}}
    assert found.forbidden_dropped == 1
    assert not found.complete
    assert "1 forbidden passage was dropped" in str(found)


def cut(words: list[str], lengths: list[int]) -> dict[str, str]:
    """Passages of so many words each, in turn."""
    passages, at = {}, 0
    while at < len(words):
        length = lengths[len(passages) % len(lengths)]
        passages[f"{at}-{length}"] = " ".join(words[at : at + length])
        at += length
    return passages


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(8, 40), min_size=1, max_size=3))
def test_there_and_back(seed: int, lengths: list[int]) -> None:
    drawn = random.Random(seed)
    words = [drawn.choice(WORDS) + drawn.choice(WORDS) for _ in range(120)]
    old = cut(words, [20, 25])
    judged = {"q": {name: float(drawn.randint(0, 3)) for name in old}}
    before = dataset(old, judged)
    relevant = {name: grade for name, grade in judged["q"].items() if grade > 0}
    # The same cut under other ids: every judgment goes there and comes back.
    renamed = {f"new {name}": text for name, text in old.items()}
    there = migrate(before, corpus(renamed))
    back = migrate(dataset(renamed, list(there.rows)), corpus(old))
    assert back.rows[0].graded() == judged["q"]
    # Another cut: whatever it merges or splits, what was relevant still is when it is back.
    new = cut(words, lengths)
    # A piece of less than 12 characters is not found at either end.
    there = migrate(before, corpus(new), coverage=0.8)
    assert there.complete
    if there.rows:
        back = migrate(dataset(new, list(there.rows)), corpus(old))
        (row,) = back.rows
        covering = {name for need in row.needs for name in need} | {
            name for name, grade in row.graded().items() if grade > 0
        }
        assert relevant.keys() <= covering
    # Into the document and back: the judgments to the last bit.
    document = Documents(Ids(["d"]), ["\n".join(words)])
    spans = migrate(before, document)
    assert spans.counts["lost"] == spans.counts["split"] == 0
    if relevant:
        cited = Dataset.from_rows(
            None, {"q": "?"}, list(spans.rows), documents={"d": document.texts[0]}
        )
        assert migrate(cited, corpus(old)).rows[0].graded() == relevant


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_dataset(OLD, tmp_path / "old")
    (tmp_path / "new" / "documents").mkdir(parents=True)
    (tmp_path / "new" / "documents" / "lease.md").write_text(TEXT)
    output = tmp_path / "truth.jsonl"
    arguments = ["migrate", str(tmp_path / "old"), str(tmp_path / "new")]
    assert main([*arguments, "-o", str(output)]) == 0
    assert "one new place holds exactly this text" in capsys.readouterr().out
    first = json.loads(output.read_text().splitlines()[0])
    assert first["evidence"][0]["quote"] == SENTENCES["rent"]
    assert main([*arguments, "-o", str(output)]) == 2
    passages = [{"id": "p", "text": SENTENCES["late"]}]
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in passages))
    lost = ["migrate", str(tmp_path / "old"), str(tmp_path / "new.jsonl")]
    assert main([*lost, "--language", "ko"]) == 3
    assert "잃은 텍스트" in capsys.readouterr().out
    assert main([*lost, "--format", "json"]) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["counts"]["lost"] == 2
    assert set(migrated_schema()["properties"]) == set(document)


def test_an_experiment_names_the_dataset(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its options: the ground truth that it reads, and the documents."""
    configs = root / "configs"
    assert main(["anchor", str(configs / "evidence.yaml"), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"]["exact"] == 138
    assert main(["check", str(configs / "evidence.yaml")]) == 0
    assert "harbour-tenancy: 27 documents, 185 passages, 87 queries" in capsys.readouterr().out
    new = tmp_path / "rows.jsonl"
    documents = root / "datasets" / "harbour-tenancy" / "documents"
    assert main(["migrate", str(configs / "needs.yaml"), str(documents), "-o", str(new)]) == 0
    needs = {row["query_id"]: row.get("needs") for row in map(json.loads, new.open())}
    assert len(needs["q33"]) == 3
    assert main(["convert", str(configs / "needs.yaml"), str(tmp_path / "copy")]) == 0
    assert main(["migrate", str(configs / "units.yaml"), str(documents)]) == 3
    assert "its judgments name units (metadata.chapter)" in capsys.readouterr().err
    assert main(["migrate", str(configs / "forbidden.yaml"), str(configs / "needs.yaml")]) == 0
    assert "Judged texts of harbour-tenancy in harbour-tenancy" in capsys.readouterr().out
    assert main(["power", str(configs / "evidence.yaml")]) == 0
    assert "harbour-tenancy: 74 judged queries" in capsys.readouterr().out
    several = tmp_path / "several.yaml"
    several.write_text("datasets: [a, b]\nretrievers: {bm25: {kind: bm25}}\n")
    assert main(["check", str(several)]) == 2
    assert "it names several datasets: a, b. Name the folder" in capsys.readouterr().err


def test_what_cannot_be_migrated(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"0\.2 is not above"):
        migrate(OLD, corpus({}), coverage=0.2)
    with pytest.raises(DataError, match="no judged passages with texts"):
        migrate(Dataset.from_rows(None, {"q": "?"}, {"q": ["a"]}), corpus(SENTENCES))
    with pytest.raises(DataError, match="no such file"):
        migrate(OLD, tmp_path / "nowhere")
    (tmp_path / "x.pdf").write_bytes(b"%PDF")
    with pytest.raises(DataError, match="a file of another kind"):
        migrate(OLD, tmp_path / "x.pdf")
