"""``ragscore report`` and the report that ``run`` writes."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.factories import results
from tests.factories.command import Ragscore


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result folder without a report."""
    return results.tiny(tmp_path_factory.mktemp("reported"))


@pytest.fixture
def copied(result: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may write to."""
    return Path(shutil.copytree(result, tmp_path / "result"))


def files(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def test_run_writes_a_report_and_says_where(
    ragscore: Ragscore, starter: Path, tmp_path: Path
) -> None:
    done = ragscore("run", starter, "--output", "out", "--only", "bm25")
    assert done.returncode == 0, done.stderr
    out = tmp_path / "out"
    assert done.stdout.splitlines()[-2:] == [
        f"report: {out / 'report.html'}",
        f"written to {out}",
    ]
    assert "report: " in done.stderr, "the stage with its time"
    assert {"report.html", "report/report.md", "report/report.tex"} <= files(out)
    recorded = json.loads((out / "manifest.json").read_bytes())["files"]
    assert not [name for name in recorded if name.startswith("report")]

    flags = ("--output", "out", "--only", "bm25", "--overwrite", "--set", "report=false")
    again = ragscore("run", starter, *flags)
    assert again.returncode == 0, again.stderr
    assert "report: " not in again.stdout + again.stderr
    assert not [name for name in files(out) if "report" in name]


def test_a_report_is_written_into_its_result(ragscore: Ragscore, copied: Path) -> None:
    before = files(copied)
    done = ragscore("report", copied, "--language", "ko")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == str(copied / "report.html")
    assert done.stdout.splitlines()[1].startswith(f"{copied / 'report'} (")
    assert 'lang="ko"' in (copied / "report.html").read_text(encoding="utf-8")
    added = files(copied) - before
    assert {"report.html", "report/report.md", "report/tables/leaderboard.csv"} <= added
    quiet = ragscore("report", copied, "--format", "csv", "-q")
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert files(copied) == before | added


def test_before_and_after(ragscore: Ragscore, copied: Path, result: Path) -> None:
    done = ragscore("report", result, copied, "--section", "changes", "--section", "verdict")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == str(copied / "before-after.html")
    assert not (copied / "report.html").exists()
    text = (copied / "before-after" / "report.md").read_text(encoding="utf-8")
    assert text.index('<a id="changes">') < text.index('<a id="verdict">')


@pytest.mark.parametrize(
    ("output", "formats", "found"),
    [
        ("page.html", (), {"page.html"}),
        ("page.HTM", (), {"page.HTM"}),
        ("page.html", ("html", "csv"), {"page.html", "page/tables"}),
        ("place", ("html",), {"place/report.html"}),
        ("place.d", ("markdown",), {"place.d/report/charts", "place.d/report/report.md"}),
    ],
)
def test_where_it_is_written(
    output: str,
    formats: tuple[str, ...],
    found: set[str],
    ragscore: Ragscore,
    result: Path,
    tmp_path: Path,
) -> None:
    flags = [part for name in formats for part in ("--format", name)]
    flags += ["--section", "curves"]
    done = ragscore("report", result, "--output", output, *flags)
    assert done.returncode == 0, done.stderr
    written = files(tmp_path)
    assert {
        next((place for place in found if name.startswith(place)), name) for name in written
    } == found
    assert not (result / "report.html").exists()
    named = {Path(line.rpartition(" (")[0] or line).as_posix() for line in done.stdout.splitlines()}
    assert all(any(one.startswith(name) for name in named) for one in found)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nowhere",), 3, "nowhere: no such folder. Name a folder that `ragscore run` wrote"),
        (("RESULT", "nowhere"), 3, "nowhere: no such folder"),
        (("RESULT", "RESULT"), 2, "the same result is named twice. Name the earlier"),
        (("RESULT", "--section", "verdikt"), 2, "--section: no section is named 'verdikt'. Did "),
        (
            ("RESULT", "--max-mb", "0"),
            2,
            "--max-mb: the number 0.0 is too small. It must be",
        ),
        (
            ("RESULT", "--depth", "0"),
            2,
            "--depth: the number 0 is too small. It must be",
        ),
        (
            ("RESULT", "--format", "pdf"),
            2,
            "--format: unknown report output 'pdf'. Allowed: html",
        ),
        (("RESULT", "--language", "de"), 2, "'--language'"),
        ((), 2, "Missing argument 'DIR'"),
    ],
)
def test_wrong_usage(
    arguments: tuple[str, ...], code: int, said: str, ragscore: Ragscore, result: Path
) -> None:
    given = [result if one == "RESULT" else one for one in arguments]
    done = ragscore("report", *given)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_dataset_that_is_gone_is_noted(ragscore: Ragscore, starter: Path, tmp_path: Path) -> None:
    assert ragscore("run", starter, "--output", "out", "--only", "bm25").returncode == 0
    for one in starter.parent.glob("**/queries.*"):
        one.rename(one.with_name("elsewhere"))
    done = ragscore("report", "out", "--section", "verdict", "--format", "html")
    assert done.returncode == 0, done.stderr
    assert "note: The dataset cannot be read as it was searched" in done.stderr
    assert str(tmp_path / "out" / "report.html").endswith(done.stdout.strip())
    silent = ragscore("report", "out", "--section", "verdict", "--format", "html", "--quiet")
    assert silent.stderr == ""


def test_a_damaged_result_is_told(ragscore: Ragscore, copied: Path) -> None:
    (copied / "scores.parquet").write_bytes(b"x")
    for command in ("report", "show"):
        done = ragscore(command, copied)
        assert (done.returncode, done.stdout) == (3, "")
        assert f"{copied / 'scores.parquet'}: it has 1 bytes, but" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="a browser that is a script")
def test_open_starts_a_browser(ragscore: Ragscore, copied: Path, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!{sys.executable}\nimport sys\nopen("opened", "w").write(sys.argv[1])\n')
    browser.chmod(0o755)
    done = ragscore("report", copied, "--format", "html", "--open", BROWSER=str(browser))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "opened").read_text() == (copied / "report.html").as_uri()
    done = ragscore("report", copied, "--format", "csv", "--open", BROWSER=str(browser))
    assert "there is no page to open" in done.stderr


def test_charts_as_png(ragscore: Ragscore, copied: Path) -> None:
    pytest.importorskip("vl_convert")
    done = ragscore("report", copied, "--format", "markdown", "--pictures", "png")
    assert done.returncode == 0, done.stderr
    assert (copied / "report" / "charts" / "curves-P.png").read_bytes().startswith(b"\x89PNG")
    assert not (copied / "report" / "charts" / "curves-P.svg").exists()
