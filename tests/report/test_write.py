"""The files of a report: which, where, whole or not at all."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path

import polars
import pytest

from ragscore import ConfigError, DataError, MissingPackageError, evaluate, make_report, open_result
from ragscore.elements import Cell, Column, Table
from ragscore.report import ReportOptions
from ragscore.report.contents import file_name
from ragscore.report.model import WithoutScript
from ragscore.results.layout import is_report_file
from tests.factories.built_report import Data
from tests.factories.results import DATASETS
from tests.factories.sample_report import figure, report

TABLE = Table("leaders", "Leaders", (Column("x", "X"),), ((Cell(0.5, "0.500"),),))


def files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


@pytest.mark.parametrize(
    ("formats", "found"),
    [
        (["markdown"], ["report/charts/picture.svg", "report/report.md"]),
        (["latex"], ["report/report.tex", "report/tables/leaders.tex"]),
        (["csv"], ["report/tables/leaders.csv"]),
        (["csv", "csv"], ["report/tables/leaders.csv"]),
        (["html"], ["report.html"]),
    ],
)
def test_each_format_has_its_files(formats: list[str], found: list[str], tmp_path: Path) -> None:
    written = report(TABLE, figure()).write(tmp_path / "new" / "place", formats)
    assert written.folder == tmp_path / "new" / "place"
    assert files(written.folder) == sorted(written.files) == found
    assert (written.page is None) == (formats != ["html"])


def test_the_options_say_which_formats(tmp_path: Path) -> None:
    options = ReportOptions(formats=("csv", "latex"))
    report(TABLE, options=options).write(tmp_path, page="before-after.html")
    assert files(tmp_path) == [
        "before-after/report.tex",
        "before-after/tables/leaders.csv",
        "before-after/tables/leaders.tex",
    ]


def test_what_an_earlier_report_left_does_not_pass_as_this_ones(tmp_path: Path) -> None:
    other = Table("old", "", TABLE.columns, TABLE.rows)
    report(TABLE, other, figure()).write(tmp_path)
    (tmp_path / "report" / "tables" / "notes.txt").write_text("mine", encoding="utf-8")
    report(TABLE).write(tmp_path, ["csv", "markdown"])
    assert files(tmp_path) == [
        "report.html",
        "report/report.md",
        "report/report.tex",
        "report/tables/leaders.csv",
        "report/tables/leaders.tex",
        "report/tables/notes.txt",
        "report/tables/old.tex",
    ]


def test_every_file_has_a_name_of_its_own(tmp_path: Path) -> None:
    tables = [Table(id, "", TABLE.columns, TABLE.rows) for id in ("a", "A", "a/b", "a:b", "CON")]
    inside = WithoutScript((Table("stand-in", "", TABLE.columns, TABLE.rows),))
    written = report(*tables, inside, datasets=("x y", "한국어")).write(tmp_path, ["csv"])
    names = ["a", "A-2", "a-b", "a-b-2", "CON-1"]
    assert sorted(written.files) == sorted(
        f"report/tables/{dataset}-{name}.csv" for dataset in ("x-y", "한국어") for name in names
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [("../../etc", "etc"), ("", "part"), ("nul.txt", "nul.txt-1"), ("x" * 99, "x" * 60)],
)
def test_no_text_leads_elsewhere(text: str, name: str) -> None:
    assert file_name(text) == name


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("report.html", True),
        ("before-after.html", True),
        ("report", True),
        ("report/report.md", True),
        ("report/charts", True),
        ("report/charts/forest.png", True),
        ("before-after/tables/leaders.tex", True),
        (".partial-0123", True),
        ("report/tables/.partial-0123", True),
        ("report/notes.md", False),
        ("report/charts/photo.jpg", False),
        ("report/charts/deeper/x.svg", False),
        ("reports/report.md", False),
        ("thesis.html", False),
    ],
)
def test_which_names_are_a_reports(name: str, ours: bool) -> None:
    assert is_report_file(name) == ours


def test_charts_as_png(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    report(figure(), options=ReportOptions(pictures="png")).write(tmp_path, ["markdown"])
    assert files(tmp_path) == ["report/charts/picture.png", "report/report.md"]
    head = (tmp_path / "report" / "charts" / "picture.png").read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", head[16:24])
    assert width >= 80
    assert height >= 40
    assert "picture.png" in (tmp_path / "report" / "report.md").read_text(encoding="utf-8")


def test_what_cannot_be_written_is_told_before_anything_is(tmp_path: Path) -> None:
    made = report(TABLE)
    with pytest.raises(ConfigError, match=r"formats: unknown report output 'pdf'\. Allowed: html"):
        made.write(tmp_path / "place", ["csv", "pdf"])
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    for place in ("file", "file/inside"):
        with pytest.raises(ConfigError, match="it is a file, and the report needs a folder here"):
            made.write(tmp_path / place, ["csv"])
    assert files(tmp_path) == ["file"]


def test_png_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    png = report(figure(), options=ReportOptions(pictures="png"))
    with pytest.raises(MissingPackageError, match=r"vl-convert-python.*ragscore-eval\[png\]"):
        png.write(tmp_path, ["markdown"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_mb": 0}, "max_mb: the number 0 is too small. It must be more than 0"),
        ({"depth": 101}, "depth: the number 101 is too large. It must be at most 100"),
        ({"language": "de"}, "language: unknown value 'de'. Allowed: en, ko"),
        (
            {"formats": ("pdf",)},
            r"^formats\[0\]: unknown report output 'pdf'. Allowed: html, mark",
        ),
        (
            {"sections": "verdict"},
            r"sections: the text 'verdict' where a list is expected. Write \['verdict'\]",
        ),
        ({"formats": ()}, "formats: empty. At least one is needed"),
        ({"langauge": "ko"}, "langauge: unknown option. Did you mean 'language'"),
    ],
)
def test_wrong_options(options: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        ReportOptions().changed(**options)


def test_a_result_in_memory_has_a_report_too() -> None:
    result = evaluate(DATASETS / "harbour-tenancy", {"none": lambda query, k: []})
    assert [panel.dataset for panel in make_report(result).panels] == ["harbour-tenancy"]


def test_a_report_is_made_of_a_folder_an_opened_result_or_a_run(
    result_of: Callable[[str], Path],
) -> None:
    folder = result_of("small")
    made = [make_report(one) for one in (folder, str(folder), open_result(folder))]
    assert [one.title for one in made] == ["tenancy"] * 3
    assert make_report(folder, language="ko").options.language == "ko"
    with pytest.raises(DataError, match="no such folder"):
        make_report(folder / "none")
    with pytest.raises(ConfigError, match=r"'verdikt'\. Did you mean 'verdict'"):
        make_report(folder, sections=("verdikt",))


@pytest.mark.parametrize("kind", ["small", "hostile", "two-datasets", "one-retriever", "korean"])
def test_every_table_opens_in_polars(
    kind: str, data_of: Data, result_of: Callable[[str], Path], tmp_path: Path
) -> None:
    written = data_of(kind).write(tmp_path, ["csv"])
    assert len(written.files) > 5
    for name in written.files:
        frame = polars.read_csv(tmp_path / name)
        assert len(set(frame.columns)) == len(frame.columns)
    (leaders,) = [one for one in written.files if one.endswith("leaderboard.csv")][:1]
    frame = polars.read_csv(tmp_path / leaders)
    numbers = ["nDCG@10", "nDCG@10 low", "nDCG@10 high"]
    assert all(frame[name].dtype == polars.Float64 for name in numbers)
    scores = open_result(result_of(kind)).scores
    means = {one.retriever: one.mean("nDCG@10") for one in scores.entries[:1]}
    for retriever, mean in means.items():
        name = f"'{retriever}" if retriever.startswith(("=", "+", "-", "@")) else retriever
        assert frame.filter(polars.col("retriever") == name)["nDCG@10"].item() == mean


def test_who_writes_a_page_that_is_too_large_is_told(tmp_path: Path) -> None:
    (note,) = report(figure(), options=ReportOptions(max_mb=0.001)).write(tmp_path, ["html"]).notes
    assert "larger than max_mb=0.001" in note
    assert note in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert report(figure()).write(tmp_path, ["html"]).notes == ()
