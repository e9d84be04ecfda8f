"""The key ``report:`` of an experiment: what it takes, and what a run makes of it."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest

from ragscore import (
    ConfigError,
    MissingPackageError,
    ReportOptions,
    evaluate,
    experiment_schema,
    load_experiment,
    run_experiment,
    validate_experiment,
)
from ragscore.messages import Text
from ragscore.progress import Stage
from ragscore.results.folder_writing import check_output
from tests.factories.house import GOOD, PAIR, Write, write_config, write_dataset
from tests.factories.witness import Witness


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("report: {languge: ko}", "4:10: report.languge: unknown key. Did you mean 'language'?"),
        ("report: {language: kr}", "4:20: report.language: unknown value 'kr'. Allowed: en, ko"),
        (
            "report: {formats: [pdf]}",
            "4:20: report.formats[0]: unknown report output 'pdf'. Allowed: ",
        ),
        ("report: {formats: html}", "4:19: report.formats: the text 'html' where a list is expec"),
        ("report: {formats: []}", "4:19: report.formats: empty. At least one is needed"),
        ("report: {max_mb: 0}", "4:18: report.max_mb: the number 0 is too small. It must be more"),
        ("report: {depth: 101}", "4:17: report.depth: the number 101 is too large. It must be at"),
        ("report: maybe", "4:9: report: the text 'maybe' where a mapping of keys with values or"),
        (
            "report: {sections: [verdict, curve]}",
            "4:30: report.sections[1]: no section is named 'curve'. Did you mean 'curves'?",
        ),
    ],
)
def test_wrong_keys_have_a_place(text: str, problem: str, write: Write) -> None:
    (found,) = map(str, validate_experiment(write(GOOD + text)))
    assert found.startswith(f"x.yaml:{problem}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "report"),
    [
        (True, ReportOptions()),
        (False, False),
        (
            {"formats": ["html", "csv"], "sections": ["curves"], "max_mb": 25},
            ReportOptions(formats=("html", "csv"), sections=("curves",), max_mb=25),
        ),
    ],
)
def test_what_report_may_be(value: object, report: object, write: Write) -> None:
    path = write(GOOD + f"report: {json.dumps(value)}\n")
    assert load_experiment(path).report == report
    data = {"dataset": "x", "retrievers": {"bm25": {"kind": "bm25"}}, "report": value}
    jsonschema.validate(data, experiment_schema())


def test_python_is_told_of_an_unknown_section_too() -> None:
    with pytest.raises(ConfigError, match=r"report\.sections\[0\]: no section is named 'x'"):
        load_experiment_of({"sections": ["x"]})


def load_experiment_of(report: dict[str, object]) -> object:
    from ragscore import Experiment

    return Experiment.model_validate(
        {"dataset": "x", "retrievers": {"bm25": {"kind": "bm25"}}, "report": report}
    )


def test_a_run_writes_the_report_that_is_asked_for(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    more = "report: {formats: [html, csv], sections: [verdict, measures], language: ko}\n"
    experiment = load_experiment(write_config(tmp_path, PAIR + more, report=True))
    result = run_experiment(experiment, output=tmp_path / "out")
    assert result.page == tmp_path / "out" / "report.html"
    text = result.page.read_text(encoding="utf-8")
    assert ' lang="ko"' in text
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_bytes())
    assert manifest["report"]["sections"] == ["verdict", "measures"]
    assert not [name for name in manifest["files"] if name.startswith("report")]
    assert {path.suffix for path in (tmp_path / "out" / "report").rglob("*.*")} == {".csv"}
    again = load_experiment(tmp_path / "out" / "experiment.yaml")
    assert again.report == experiment.report


def test_a_report_is_replaced_with_its_result_and_strangers_are_kept(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    experiment = load_experiment(write_config(tmp_path, PAIR, report=True))
    out = tmp_path / "out"
    run_experiment(experiment, output=out)
    (out / "before-after.html").write_text("held against another", encoding="utf-8")
    check_output(out, overwrite=True)
    (out / "report" / "mine.md").write_text("years of work", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"did not write 'report/mine\.md'"):
        check_output(out, overwrite=True)
    (out / "report" / "mine.md").unlink()
    less = experiment.model_copy(update={"report": False})
    result = run_experiment(less, output=out, overwrite=True)
    assert result.page is None
    assert not [path.name for path in out.iterdir() if "report" in path.name]


def test_a_report_that_fails_costs_nothing(tmp_path: Path) -> None:
    """A section of another package that ends the process's memory, or a full disk: here a folder
    that stands where the page is to be."""
    write_dataset(tmp_path / "data")
    experiment = load_experiment(write_config(tmp_path, PAIR, report=True))
    told = InTheWay(tmp_path / "out" / "report.html")
    result = run_experiment(experiment, output=tmp_path / "out", progress=told)
    assert result.folder == tmp_path / "out"
    assert (tmp_path / "out" / "manifest.json").is_file()
    assert result.page is None
    assert str(result.unreported).startswith(
        f"{tmp_path / 'out'}: the report cannot be written: report.html: "
    )


class InTheWay(Witness):
    """Puts a folder where the page is to be, as soon as the report is begun."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.page = page

    def stage(self, label: Text, total: int, unit: str = "") -> Stage:
        if str(label) == "report":
            (self.page / "x").mkdir(parents=True)
        return super().stage(label, total, unit)


def test_a_report_without_a_run_is_none(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    (tmp_path / "raises_in_report.py").write_text("def retrieve(query, k):\n    raise OSError\n")
    text = "dataset: data\nretrievers:\n  a: {kind: custom, use: 'raises_in_report:retrieve'}\n"
    sys.path.insert(0, str(tmp_path))
    try:
        experiment = load_experiment(write_config(tmp_path, text, report=True))
        result = run_experiment(experiment, output=tmp_path / "out")
    finally:
        sys.path.remove(str(tmp_path))
    assert result.failures
    assert result.page is None
    assert not [note for note in result.notes if "report" in str(note)]


def test_png_without_its_package_is_told_before_searching(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_dataset(tmp_path / "data")
    experiment = load_experiment(
        write_config(tmp_path, PAIR + "report: {pictures: png}\n", report=True)
    )
    if find_spec("vl_convert") is not None:
        monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingPackageError, match=r"report\.pictures: png needs the package vl-co"):
        run_experiment(experiment, output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_evaluate_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_dataset(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    evaluate("data", {"none": lambda query, k: []}, ["P@3"], depth=4)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
