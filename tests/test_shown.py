"""What a notebook shows as plain text: every public object in one line, whatever it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

import ragscore
from ragscore import BM25, Dataset, Faiss, Fusion, MiniLM, Passage, Rerank, Result
from ragscore.chunking import CHUNKERS
from ragscore.cli import main
from ragscore.gate import gate_result
from ragscore.spec import Spec
from tests.factories.results import DATASETS

LONGEST = 600
EMPTY_QUERY = (None, {"q": " "}, {"q": ["a"]})
LONG_NAME = "a retriever\nwith a name of two lines " * 20


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A run of many queries and long texts, with a report."""
    folder = tmp_path_factory.mktemp("shown")
    passages = {f"p{at}": f"word{at} rent\n" + "text " * 500 for at in range(40)}
    queries = {f"q{at}": f"word{at}" for at in range(40)}
    judged = {f"q{at}": [f"p{at}", f"p{(at + 1) % 40}"] for at in range(40)}
    from ragscore.formats import write_dataset

    write_dataset(Dataset.from_rows(passages, queries, judged, name="many"), folder / "many")
    experiment = folder / "x.yaml"
    experiment.write_text(
        "name: shown\ndataset: many\nmeasures: [nDCG@10, R@10]\ndepth: 20\n"
        "retrievers: {one: {kind: bm25}, other: {kind: bm25, k1: 0.1, b: 0}}\n"
        "tune: {rule: recall, target: 0.5}\ncompare: {resamples: 100}\n"
    )
    return ragscore.run_experiment(experiment, output=folder / "result")


def public_objects(result: Result) -> Iterator[tuple[str, Any]]:
    """One of every public class, and of what the public functions return."""
    assert result.folder is not None
    opened = ragscore.open_result(result.folder)
    dataset = opened.dataset()
    assert dataset.corpus is not None
    run = next(iter(result.runs.values()))
    yield from {
        "Result": result,
        "open_result": opened,
        "make_report": ragscore.make_report(opened),
        "compare": ragscore.compare(result.scores, resamples=100),
        "tune": ragscore.tune(run, dataset),
        "Dataset": dataset,
        "DatasetCheck": (checked := ragscore.check_dataset(Dataset.from_rows(*EMPTY_QUERY))),
        "DataFinding": checked.findings[0],
        "Corpus": dataset.corpus,
        "Queries": dataset.queries,
        "Qrels": dataset.qrels,
        "Ids": dataset.corpus.ids,
        "Run": run,
        "Scores": result.scores,
        "score": ragscore.score(run, dataset.qrels, ["P@5"], retriever=LONG_NAME),
        "Experiment": ragscore.load_experiment(result.folder / "experiment.yaml"),
        "Passage": Passage(id="p", text="line\n" * 10_000, metadata={"all": ["x"] * 10_000}),
        "Query": ragscore.Query(id="q" * 500, text="?" * 10_000),
        "GroundTruth": ragscore.GroundTruth(query_id="q", passages=[str(n) for n in range(999)]),
        "Rerank": Rerank(retriever="bm25", by={"kind": "mmr", "encoder": "minilm"}),
        "Fusion": Fusion(retrievers=tuple(f"retriever {at}" for at in range(100))),
        "Faiss": Faiss(encoder=MiniLM()),
        "MultiVector": ragscore.MultiVector(model="a/b"),
        "Sparse": ragscore.Sparse(model="a/b"),
        "Recorded": ragscore.Recorded(run="a/" * 500 + "x.run"),
        "Http": ragscore.Http(url="http://h/{query}", response={"ids": "[*]"}, headers={"X": "y"}),
        "Command": ragscore.Command(command=("sh", "-c", "x\n" * 1000)),
        "Custom": ragscore.Custom(use="mine:retrieve", options={"long": "x\n" * 1000}),
        "RetrieverObject": ragscore.RetrieverObject(sorted, id="metadata.source", concurrency=4),
        "SentenceTransformers": ragscore.SentenceTransformers(model="a/b"),
        "Endpoint": ragscore.Endpoint(url="http://host/" + "v" * 500, model="a/b"),
        "Precomputed": ragscore.Precomputed(passages="p.npy", queries="q.npy"),
        "Static": ragscore.Static(model="a/b"),
        "Windows": ragscore.Windows(size=9),
        "CustomChunker": ragscore.CustomChunker(use="mine:chunk", options={"long": "x\n" * 1000}),
        **{kind: chunker() for kind, chunker in CHUNKERS.items() if kind != "custom"},
        "DatasetSpec": ragscore.DatasetSpec(path="x/" * 500),
        "Cache": ragscore.Cache(result.folder / "cache"),
        "Problem": ragscore.Problem("x"),
        "parse_measure": ragscore.parse_measure("nDCG(gain={1:3,2:9})@10"),
    }.items()
    tenancy = ragscore.evaluate(
        DATASETS / "harbour-tenancy", {"one": BM25(), "other": BM25(k1=0.1, b=0)}, ["nDCG@10"]
    )
    compared = tenancy.comparison(slices=("kind",), all_pairs=True, resamples=100)
    (dataset_compared,) = compared.datasets
    measure = dataset_compared.measures[0]
    difference = measure.differences[0]
    (tuning, *_) = result.tunings
    power = ragscore.power(result)
    yield from {
        "DatasetResult": result["many"],
        "Comparison": compared,
        "DatasetComparison": dataset_compared,
        "MeasureComparison": measure,
        "Estimate": measure.means["one"],
        "Interval": difference.interval,
        "Difference": difference,
        "PairedTest": difference.test,
        "Equivalence": difference.equivalence,
        "Verdict": dataset_compared.verdict,
        "Slices": compared.slices[0],
        "Overlap": compared.overlap["harbour-tenancy"][0],
        "Tuning": tuning,
        "CrossValidated": next(iter(tuning.held_out.values())),
        "Budget": ragscore.Budget(limit=100),
        "Plan": ragscore.plan(
            ragscore.Experiment(
                dataset=str(DATASETS / "harbour-tenancy"), retrievers={"bm25": BM25()}
            )
        ),
        "Baseline": ragscore.Baseline.from_result(tenancy),
        "GateOptions": ragscore.GateOptions(max_drop={"nDCG@10": 0.02}),
        "GateResult": gate_result(tenancy, max_drop={"nDCG@10": 0.02}, baseline=tenancy),
        "GateCondition": gate_result(tenancy, min={"nDCG@10": 0.5}).conditions[0],
        "QueryFailure": ragscore.QueryFailure.of("q" * 500, "line\n" * 1000),
        "Power": power,
        "RankingChanges": ragscore.changes(result, result),
        "DatasetPower": power.datasets[0],
        "RetrieverScores": result.scores["one"],
        "ScoreRow": next(iter(result.scores.rows())),
        "Document": ragscore.Document(id="d" * 500, text="Rent is due.\n" * 500),
        "Evidence": ragscore.Evidence(document="d", quote="line\n" * 500),
        "Documents": ragscore.Documents(ragscore.Ids(["d" * 500]), ["line\n" * 500]),
        "EvidenceColumns": ragscore.EvidenceColumns.of(
            ragscore.Ids(["q"]), query=[0], document=[0], start=[0], end=[4]
        ),
        "Migrated": ragscore.Migrated(
            "a\n" * 500, "b\n", "passages", 0.9, {"mapped": 1, "lost": 0}, (), 1, (), 0
        ),
        "Converted": ragscore.Converted("a\n" * 500, "beir", (), 1, 1, 1, {}),
        "Anchored": ragscore.Anchored("a\n" * 500, 0.9, {"exact": 1, "missing": 2}, ()),
    }.items()
    for name in ("BM25", "CompareOptions", "MiniLM", "Progress", "ReportOptions", "TuneOptions"):
        yield name, getattr(ragscore, name)()


def test_the_representation_of_every_public_object_is_one_line(result: Result) -> None:
    shown = set()
    for name, made in public_objects(result):
        for text in (repr(made), *(repr(part) for part in parts(made))):
            assert len(text.splitlines()) == 1, name
            assert len(text) < LONGEST, name
        assert str(made), name
        shown.add(type(made).__name__)
    classes = {
        name
        for name in ragscore.__all__
        if isinstance(getattr(ragscore, name), type)
        and not issubclass(getattr(ragscore, name), Exception)
    }
    assert classes - shown - {"Measure"} == set()  # Measure is the base of what parse_measure makes


def parts(made: Any) -> list[Any]:
    """What the fields of a result hold: a user looks at them too."""
    if not is_dataclass(made) or isinstance(made, type):
        return []
    held = [getattr(made, part.name) for part in fields(made) if not part.name.startswith("_")]
    inside = [item for value in held if isinstance(value, tuple) for item in value[:3]]
    named = [value for value in [*held, *inside] if type(value).__name__ in vars(ragscore)]
    return [*named, *getattr(made, "entries", ())]


def test_a_spec_shows_what_differs_from_its_defaults() -> None:
    assert repr(BM25()) == str(BM25()) == "BM25()"
    assert repr(BM25(k1=0.9)) == "BM25(k1=0.9)"
    fusion = Fusion(retrievers=("a", "b"), k=10)
    assert repr(fusion) == "Fusion(retrievers=('a', 'b'), k=10)"
    assert eval(repr(BM25(k1=0.9, b=0.4))) == BM25(k1=0.9, b=0.4)
    assert isinstance(fusion, Spec)


def test_what_print_shows_is_what_the_command_line_prints(
    result: Result, capsys: pytest.CaptureFixture[str]
) -> None:
    assert result.folder is not None
    experiment = str(result.folder.parent / "x.yaml")
    again = result.folder.parent / "again"
    assert main(["run", experiment, "--output", str(again)]) == 0
    shown = str(result)
    # The times are another run's; the rest is the same to the letter.
    times = re.compile(r" +\d[\d.]*( ms|†?$)|^(report:|written to|† timed) .*\n?", re.M)
    printed, expected = (
        times.sub("", text)
        for text in (capsys.readouterr().out.rstrip("\n"), shown.partition("\n\nnote: ")[0])
    )
    assert printed == expected
    assert "p50 (ms)" in shown
    verdict = result.comparison()["many"].verdict
    assert str(verdict) in shown
    assert str(verdict) in str(result.comparison())
    asked = ["--rule", "recall", "--target", "0.5", "--retriever", "one"]
    assert main(["tune", str(result.folder), *asked]) == 0
    (tuning,) = [one for one in result.tunings if one.retriever == "one"]
    assert str(tuning) == capsys.readouterr().out.rstrip("\n")


def test_print_shows_what_was_evaluated_without_a_folder() -> None:
    dataset = Dataset.from_rows(
        {"p": "rent"}, {"q": "rent", "q2": "rent"}, {"q": ["p"], "q2": ["p"]}, name="tiny"
    )
    shown = str(ragscore.evaluate(dataset, {"bm25": BM25()}, ["R@1"]))
    assert shown.splitlines() == [
        "tiny: 1 passage, 2 queries (2 averaged)",
        "Retriever    R@1",
        "bm25       1.000",
        "unjudged in the top 1: bm25 0 %",
        "",
        "note: tiny: depth 100 is cut to 1, the number of passages",
    ]


def test_a_report_is_printed_in_columns(result: Result) -> None:
    assert result.folder is not None
    report = ragscore.make_report(result.folder)
    assert "nDCG@10" in str(report)
    assert len(str(report)) < 100_000
