"""``ragscore show`` and ``ragscore list results``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.factories import results
from tests.factories.command import Ragscore


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds results."""
    top = tmp_path_factory.mktemp("results")
    results.small(top / "tenancy")
    results.two_datasets(top / "both")
    return top


def test_a_result_in_the_terminal(ragscore: Ragscore, places: Path) -> None:
    done = ragscore("show", places / "tenancy")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "tenancy"
    assert not any(line.endswith(" ") for line in lines)
    assert "\x1b" not in done.stdout
    for heading in (
        "Retrievers by nDCG@10",
        "Where they differ",
        "How it was computed",
        "All measures",
    ):
        assert heading in lines
    (row,) = [line for line in lines if re.match(r"words +0\.5\d\d \[", line)][:1]
    assert row.count("[") >= 5, "a pipe gets every column on one line"
    assert "more with --section computed" in done.stdout


def test_one_section_in_korean(ragscore: Ragscore, places: Path) -> None:
    done = ragscore("show", places / "both", "--section", "verdict", "--language", "ko")
    assert (done.returncode, done.stderr) == (0, "")
    assert "insurer-handbook-ko" in done.stdout
    assert "구별" in done.stdout or "없습니다" in done.stdout
    assert "--section" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nowhere",), 3, "nowhere: no such folder"),
        (("TENANCY", "--section", "curve"), 2, "--section: no section is named 'curve'. Did you"),
    ],
)
def test_wrong_usage(
    arguments: tuple[str, ...], code: int, said: str, ragscore: Ragscore, places: Path
) -> None:
    given = [places / "tenancy" if one == "TENANCY" else one for one in arguments]
    done = ragscore("show", *given)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


def test_the_results_beneath_a_folder(ragscore: Ragscore, places: Path) -> None:
    done = ragscore("list", "results", places)
    assert (done.returncode, done.stderr) == (0, "")
    header, *rows = (re.split(r" {2,}", line) for line in done.stdout.splitlines())
    assert header == [
        *("name", "created", "dataset", "queries", "retrievers", "leader", "verdict", "folder")
    ]
    found = {(row[0], row[2]): row for row in rows}
    assert set(found) == {
        ("tenancy", "harbour-tenancy"),
        ("two-handbooks", "harbour-tenancy"),
        ("two-handbooks", "insurer-handbook-ko"),
    }
    row = found["tenancy", "harbour-tenancy"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", row[1])
    assert row[3:5] == ["87", "3"]
    assert re.fullmatch(r"[\w-]+ nDCG@10 0\.\d{3}", row[5])
    assert row[6:] == ["Not decided", str(places / "tenancy" / "result")]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("results",), 3, "results: no such folder. Name the folder that holds results"),
        (("results", "empty"), 3, "empty: this folder holds no result"),
        (("measures", "empty"), 2, "empty: 'measures' takes no folder. Write: ragscore list meas"),
    ],
)
def test_no_results(
    arguments: tuple[str, ...], code: int, said: str, ragscore: Ragscore, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    done = ragscore("list", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
