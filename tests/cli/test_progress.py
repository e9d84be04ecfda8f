"""Progress and notes: on stderr, few lines in a pipe, a bar in a terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ragscore.cli import progress_display as shown
from ragscore.cli.progress_display import ProgressBars, ProgressLines, open_progress
from ragscore.messages import _, counted


def work(total: int = 8) -> None:
    with open_progress(quiet=False) as progress:
        progress.note("8 [bold] passages")
        with progress.stage("encode", total, "passages") as stage:
            for _ in range(total):
                stage.advance()


def test_a_note_is_shown_in_the_language_of_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    note = counted("1 query is empty", "{count} queries are empty", 2)
    with open_progress(quiet=False, language="ko") as progress:
        progress.note(_("{dataset}: {note}", dataset="faq", note=note))
    assert capsys.readouterr().err == "참고: faq: 빈 질의 2개\n"


def test_a_quick_stage_says_only_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    work()
    out, err = capsys.readouterr()
    assert out == ""
    note, closing = err.splitlines()
    assert note == "note: 8 [bold] passages"
    assert closing.startswith("encode: 8 passages in 0.0 s")


def test_a_slow_stage_says_its_quarters(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown, "QUARTER_AFTER", 0.0)
    work()
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" passages")[0] for line in lines[1:4]] == [
        "encode: 2 of 8",
        "encode: 4 of 8",
        "encode: 6 of 8",
    ]
    assert "left)" in lines[1]


def test_a_stage_that_does_not_move_says_so_too(capsys: pytest.CaptureFixture[str]) -> None:
    heard = ""
    with ProgressLines(every=0.01).stage("searching ours", 300, "queries"):
        while heard.count("\n") < 2:
            heard += capsys.readouterr().err
    assert heard.startswith("searching ours: 0 of 300 queries after ")


def test_a_stage_that_fails_claims_no_end(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="broken"), ProgressLines().stage("encode", 8):
        raise ValueError("broken")
    assert capsys.readouterr().err == ""


def test_a_stage_without_work_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLines().stage("encode queries", 8):
        pass
    assert capsys.readouterr().err == ""


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with open_progress(quiet=True) as progress, progress.stage("encode", 2) as stage:
        progress.note("unheard")
        stage.advance(2)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (41.4, "41 s"), (200, "3 min 20 s"), (3900, "1 h 5 min")],
)
def test_durations(seconds: float, said: str) -> None:
    assert shown._duration(seconds) == said


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("environment", "live", "coloured"),
    [
        ({}, True, True),
        ({"NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"CI": "true"}, False, False),
    ],
)
def test_terminal(environment: dict[str, str], live: bool, coloured: bool) -> None:
    written = in_terminal("from tests.cli.test_progress import work; work()", environment)
    assert "note: 8 [bold] passages" in written
    assert "encode: 8 passages in 0.0 s" in written
    assert ("\x1b[2K" in written) == live
    assert bool(set(written.split("\x1b[")[1:]) and "\x1b[38;" in written) == coloured


def in_terminal(code: str, environment: dict[str, str]) -> str:
    """What a program writes to stderr where stderr is a terminal."""
    import pty
    import subprocess

    ours, theirs = pty.openpty()
    base = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stderr=theirs,
        cwd=Path(__file__).parents[2],
        env={**base, "TERM": "xterm-256color", **environment},
    )
    os.close(theirs)
    parts = []
    # A pseudo-terminal that nobody holds open any more reads as an error on Linux.
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert process.wait() == 0
    return b"".join(parts).decode()


def test_bars_end_where_they_are_put_away() -> None:
    with ProgressBars() as bars:
        bars.stage("encode", 3).advance(1)
        assert bars.display.live.is_started
    assert not bars.display.live.is_started
