"""Named pipes in place of files: nothing waits for one."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from tests.factories.command import Ragscore
from tests.factories.gated import saved
from tests.factories.hostile_results import POSIX, no_reader

pytestmark = POSIX


@pytest.mark.parametrize(
    "command", ["validate", "run", "stage encode", "stage search", "reduce", "check"]
)
def test_an_experiment_that_is_a_pipe_is_refused(
    ragscore: Ragscore, tmp_path: Path, command: str
) -> None:
    os.mkfifo(tmp_path / "x.yaml")
    with no_reader([tmp_path / "x.yaml"]):
        done = ragscore(*command.split(), "x.yaml")
    instead = "Write the experiment to a file, and name that"
    said = f"x.yaml: it is a named pipe, not a file. {instead}\n"
    assert (done.returncode, done.stderr) == (2, said)


@pytest.mark.parametrize("read", [False, True])
def test_what_is_written_into_a_pipe_is_read_by_somebody(
    ragscore: Ragscore, tmp_path: Path, read: bool
) -> None:
    saved(tmp_path / "result", 40)
    os.mkfifo(tmp_path / "pipe")
    arrived: list[str] = []
    for arguments, environment, code, said in (
        (("tune", "result", "--csv", "pipe"), {}, 1, "the curves cannot be written: "),
        (
            ("gate", "result", "--min", "P@1=0.5"),
            {"GITHUB_STEP_SUMMARY": str(tmp_path / "pipe")},
            1,
            "the summary of the job cannot be written: ",
        ),
    ):
        if not read:
            done = ragscore(*arguments, **environment)
            assert done.returncode == code
            assert f"pipe: {said}it is a named pipe, not a file" in done.stderr
            continue
        reader = Thread(target=lambda: arrived.append((tmp_path / "pipe").read_text("utf-8")))
        reader.start()
        opened = os.open(tmp_path / "pipe", os.O_WRONLY)  # once it reads
        done = ragscore(*arguments, **environment)
        os.close(opened)
        reader.join()
        assert (done.returncode, "cannot be written" in done.stderr) == (0, False)
    if read:
        assert arrived[0].startswith("dataset,")
        assert "PASS" in arrived[1]
