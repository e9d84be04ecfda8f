"""What the same context holds, against counting by hand; the verdict says that k is not context."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragscore import BM25, Dataset, Result, evaluate, load_experiment, open_result, run_experiment
from ragscore.chunking import CharacterChunker, SentenceChunker
from ragscore.cli import main
from ragscore.encoders.named_tokenizers import open_tokenizer
from ragscore.formats.datasets.jsonl import write_dataset
from ragscore.report.sections.equal_budgets import budget_tables
from tests.factories.verdict_cases import said

CONFIG = """
dataset: data
chunk: {kind: sentences, size: 500}
retrievers:
  small: {kind: bm25}
  large: {kind: bm25, chunk: {kind: characters, size: 1500}}
measures: [nDCG@5, AP]
depth: 30
latency: false
report: false
tune: {budget: {unit: tokens, tokenizer: minilm}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over four documents of 60 sentences, each question answered by two of them."""
    random = np.random.default_rng(4)
    words = ["harbour", "rent", "boat", "winter", "key", "lead", "crane", "tide", "fee", "dog"]

    def sentence(number: int) -> str:
        said = " ".join(random.choice(words, 14))
        return f"{said.capitalize()} berth{number}."

    documents = {f"d{at}": [sentence(60 * at + line) for line in range(60)] for at in range(4)}
    texts = {name: " ".join(lines) for name, lines in documents.items()}
    queries, truth = {}, []
    for number in range(0, 240, 30):
        pair = [documents[f"d{at // 60}"][at % 60] for at in (number, (number + 70) % 240)]
        queries[f"q{number}"] = f"{pair[0].split()[-1]} {pair[1].split()[-1]} {words[number % 7]}"
        places = (number, (number + 70) % 240)
        evidence = [
            {"document": f"d{at // 60}", "quote": quote}
            for at, quote in zip(places, pair, strict=True)
        ]
        truth.append({"query_id": f"q{number}", "evidence": evidence})
    place = tmp_path_factory.mktemp("budgets")
    write_dataset(Dataset.from_rows(None, queries, truth, documents=texts), place / "data")
    (place / "cut.yaml").write_text(CONFIG)
    run_experiment(load_experiment(place / "cut.yaml"), output=place / "out")
    return place / "out"


def by_hand(result: Result, name: str, limit: int) -> list[float]:
    """R, Complete and P of the passages that fit, each query by itself."""
    part, found = result["data"].part(name), []
    chunks, tokenizer = part.chunkings.chunks, open_tokenizer("minilm")
    for query in result.run("data", name).queries:
        evidence = part.evidence
        needed = [
            (evidence.document[row], evidence.start[row], evidence.end[row])
            for row in np.flatnonzero(evidence.query == part.queries.ids.row(query))
        ]
        ids = list(result.run("data", name).to_dict()[query])
        used, kept, held, relevant = 0, 0, set(), 0
        for passage in ids:
            row = part.corpus.ids.row(passage)
            used += tokenizer.counts([part.corpus.texts[row]])[0]
            if used > limit:
                break
            new = {
                (document, start, end)
                for document, start, end in needed
                if document == chunks.document[row]
                and chunks.start[row] <= start
                and end <= chunks.end[row]
            } - held
            kept, held, relevant = kept + 1, held | new, relevant + bool(new)
        whole = len(held) == len(needed)
        found.append((len(held) / len(needed), whole, relevant / kept if kept else 0.0))
    return np.mean(found, axis=0).tolist()


def test_what_fits_is_what_a_reader_gets(folder: Path) -> None:
    result = open_result(folder)
    (table,) = budget_tables(result["data"])
    for row in table.rows:
        name, *cells = row
        for at, limit in enumerate((1_000, 2_000, 4_000)):
            wanted = by_hand(result, name.value, limit)
            values = [cell.value for cell in cells[3 * at : 3 * at + 3]]
            np.testing.assert_allclose(values, wanted, atol=1e-12, rtol=0)
    assert str(table.title) == "What fits in a context, by its size in tokens"


def test_the_terminal_shows_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["show", str(folder), "--section", "budgets"], ["compare", str(folder)]):
        assert main(command) == 0
        assert "Complete in 2,000 tokens" in capsys.readouterr().out


def test_the_verdict_says_that_the_same_k_is_not_the_same_context(folder: Path) -> None:
    result = open_result(folder)
    verdict = result.comparison()["data"].verdict
    runs = {name: result.run("data", name) for name in ("small", "large")}
    held = {}
    for name, run in runs.items():
        places = [list(ids)[:5] for ids in run.to_dict().values()]
        spans = [[place.rpartition(":")[2].split("-") for place in ids] for ids in places]
        held[name] = np.mean([sum(int(end) - int(start) for start, end in one) for one in spans])
    assert verdict.same_k is not None
    assert (verdict.same_k.leader, verdict.same_k.k) == ("small", 5)
    assert (verdict.same_k.smallest, verdict.same_k.largest) == ("small", "large")
    assert verdict.same_k.fewest == pytest.approx(held["small"])
    assert verdict.same_k.most == pytest.approx(held["large"])
    small, large = (f"{held[name]:,.0f}" for name in ("small", "large"))
    held_by = f"; the top 5 of large are {large} characters long, those of small {small}."
    assert any(line.endswith(held_by) for line in said(verdict))
    held_by = f"상위 5의 길이는 large {large}자, small {small}자입니다."
    assert any(line.endswith(held_by) for line in said(verdict, "ko"))
    by_depth = str(result.comparison(measure="AP")["data"].verdict)
    assert "At the same k, small leads with mAP" in by_depth
    assert "the top 30 of" in by_depth


@pytest.mark.parametrize(("measure", "place"), [("R@5", 0), ("Complete@5", 1), ("P@5", 2)])
def test_the_verdict_reads_what_the_same_context_holds(
    folder: Path, measure: str, place: int
) -> None:
    result = open_result(folder)
    compared = result.comparison(measure=measure)["data"]
    context, found = compared.verdict.context, compared.in_context
    assert context is not None
    assert found is not None
    assert (context.unit, context.chosen, context.short) == ("tokens", "default", ())
    for name, mean in found.means.items():
        assert mean.value == pytest.approx(by_hand(result, name, context.limit)[place], abs=1e-12)
    assert compared.verdict.leader == max(found.means, key=lambda name: found.means[name].value)


def test_one_chunker_needs_no_such_line() -> None:
    dataset = Dataset.from_rows(
        None,
        {"a": "rent", "b": "boat"},
        [{"query_id": q, "evidence": [{"document": "d", "start": 0, "end": 4}]} for q in "ab"],
        documents={"d": "Rent is due. Boats leave."},
    )
    chunk = SentenceChunker(size=10)
    same = {"one": BM25(chunk=chunk), "two": BM25(k1=2, chunk=chunk)}
    result = evaluate(dataset, same, ["R@1"])
    assert result.comparison()["dataset"].verdict.same_k is None
    assert list(budget_tables(result["dataset"])) == []
    other = {**same, "three": BM25(chunk=CharacterChunker(size=20))}
    assert evaluate(dataset, other, ["R@1"]).comparison()["dataset"].verdict.same_k is not None
