"""``--unit``: every command that reads judgments reads those of units."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.factories import command

PAGES = ("harbour", "fees", "rules", "boats", "cats")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset whose judgments name pages, and two runs of passages."""
    made = tmp_path_factory.mktemp("paged")
    data = made / "data"
    data.mkdir()
    passages = [
        {"id": f"{page}-{part}", "text": f"{page} part {part}", "metadata": {"page": page}}
        for page in PAGES
        for part in range(2)
    ]
    queries = [{"id": f"q{at}", "text": f"what of {page}"} for at, page in enumerate(PAGES)]
    truth = [{"query_id": f"q{at}", "passages": {page: 1}} for at, page in enumerate(PAGES)]
    tables = {"passages": passages, "queries": queries, "ground_truth": truth}
    for name, rows in tables.items():
        (data / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, first in (("one", 0), ("two", 1)):
        lines = []
        for at in range(len(PAGES)):
            other = PAGES[(at + 1) % len(PAGES)]
            order = [f"{other}-0", f"{other}-1", f"{PAGES[at]}-0"]
            order = order[2:] + order[:2] if at % 2 == first else order
            lines += [f"q{at} Q0 {id} {n} {9 - n} {name}\n" for n, id in enumerate(order)]
        (made / f"{name}.run").write_text("".join(lines))
    return made


COMMANDS = (
    (["score", "{one}", "--qrels", "{data}", "-m", "R@2"], "R@2"),
    (["compare", "{one}", "{two}", "--qrels", "{data}", "-m", "R@2"], "R@2"),
    (["tune", "{one}", "--qrels", "{data}", "--rule", "recall", "--target", "1"], "k = 2"),
    (["changes", "{one}", "{two}", "--qrels", "{data}", "-k", "2"], "5"),
    (["gate", "{one}", "--qrels", "{data}", "--min", "R@2=1"], "PASS"),
    (["reconcile", "{one}", "--qrels", "{data}", "-m", "R@2", "--value", "1.0"], "R@2"),
    (["check", "{data}"], "10 passages"),
)


@pytest.mark.parametrize(("words", "shown"), COMMANDS, ids=[words[0] for words, _ in COMMANDS])
def test_every_command_reads_judgments_of_units(folder: Path, words: list[str], shown: str) -> None:
    places = {"one": folder / "one.run", "two": folder / "two.run", "data": folder / "data"}
    given = [word.format(**places) for word in words]
    done = command.run(*given, "--unit", "metadata.page")
    assert done.returncode == 0, done.stderr
    assert shown in done.stdout
    if words[0] in ("score", "compare", "gate"):
        assert "(metadata.page): each unit ranks where its first passage does" in done.stderr
    refused = command.run(*given)
    assert refused.returncode != 0
    assert "harbour" in refused.stderr


@pytest.mark.parametrize(("words", "shown"), COMMANDS, ids=[words[0] for words, _ in COMMANDS])
def test_every_command_reads_the_dataset_of_an_experiment(
    folder: Path, words: list[str], shown: str
) -> None:
    """Its unit holds, as everything else that the experiment says of the dataset."""
    experiment = folder / "x.yaml"
    experiment.write_text(
        "dataset: {path: data, unit: metadata.page}\nretrievers: {bm25: {kind: bm25}}\n"
    )
    places = {"one": folder / "one.run", "two": folder / "two.run", "data": experiment}
    done = command.run(*(word.format(**places) for word in words))
    assert (done.returncode, shown in done.stdout) == (0, True), done.stderr
    others = "datasets: [data, {path: data, name: more}]"
    experiment.write_text(f"{others}\nretrievers: {{bm25: {{kind: bm25}}}}\n")
    refused = command.run(*(word.format(**places) for word in words))
    assert refused.returncode == 2
    assert "x.yaml: it names several datasets: data, more" in refused.stderr


def test_reconcile_takes_judgments_in_either_place_once(folder: Path) -> None:
    words = [
        "reconcile",
        folder / "one.run",
        "-m",
        "R@2",
        "--value",
        "1",
        "--unit",
        "metadata.page",
    ]
    places = [folder / "data"], ["--qrels", folder / "data"]
    assert [command.run(*words, *place).returncode for place in places] == [0, 0]
    for given, said in ((places[0] + places[1], "are given twice"), ([], "no judgments are given")):
        done = command.run(*words, *given)
        assert (done.returncode, said in done.stderr) == (2, True)


def test_a_unit_says_what_cutoffs_count(folder: Path) -> None:
    given = ("score", folder / "one.run", "--qrels", folder / "data", "-m", "R@2", "--unit")
    by_passages = command.run(*given, "{field: page, cutoff: passages}", "--format", "json")
    (row,) = json.loads(by_passages.stdout)["results"]
    assert row["value"] == 0.6
    wrong = command.run(*given, "{field: page, cutoff: chapters}")
    assert wrong.returncode == 2
    assert "--unit" in wrong.stderr
    assert "Write metadata.document" in command.run(*given, "page").stderr


def test_a_unit_without_a_dataset_is_refused(folder: Path, tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q0 0 harbour 1\n")
    refused = command.run(
        "compare", folder / "one.run", "--qrels", qrels, "--unit", "metadata.page"
    )
    assert refused.returncode == 2
    assert "--unit: a file of judgments does not say" in refused.stderr
