"""What killed processes left is swept, what living ones write is not, and files are whole."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragscore.cache import Cache
from ragscore.disk import replace_files
from ragscore.scratch import CONTENT, LOCK, PARTIAL, STALE_SECONDS, _machine, scratch, sweep

WRITER = """
import sys
from pathlib import Path
from ragscore.scratch import scratch
with scratch(Path(sys.argv[1])) as beside:
    (beside / "half").write_text("half")
    print("begun", flush=True)
    sys.stdin.read()
"""


@contextmanager
def writer(parent: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that is writing in a folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(parent)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"begun"
        yield process
        process.kill()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_a_killed_process_left_goes_and_a_living_ones_stays(tmp_path: Path) -> None:
    with writer(tmp_path) as living:
        (kept,) = names(tmp_path)
        with writer(tmp_path) as killed:
            killed.kill()
            killed.wait()
            assert len(names(tmp_path)) == 2
            sweep(tmp_path)
            assert names(tmp_path) == [kept]
            assert (tmp_path / kept / CONTENT / "half").read_text() == "half"
        living.kill()
        living.wait()
        sweep(tmp_path)
        assert names(tmp_path) == []


def test_what_this_process_writes_is_not_swept(tmp_path: Path) -> None:
    with scratch(tmp_path) as beside:
        sweep(tmp_path)
        (beside / "file").touch()
    assert names(tmp_path) == []


@pytest.mark.parametrize("left", ["nothing", "an empty lock", "content"])
def test_killed_between_two_steps(tmp_path: Path, left: str) -> None:
    with scratch(tmp_path) as beside:
        folder = tmp_path / beside.parent.name[:-1]
    folder.mkdir()
    if left != "nothing":
        (folder / LOCK).touch()
    if left == "content":
        (folder / CONTENT / "runs").mkdir(parents=True)
        (folder / CONTENT / "runs" / "file").touch()
    sweep(tmp_path)
    assert names(tmp_path) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from ragscore.disk import publish
from ragscore.scratch import scratch, sweep
parent, moment = Path(sys.argv[1]), [int(sys.argv[2])]

def seen(event, arguments):
    change = event in ("os.mkdir", "os.rename", "os.remove", "os.rmdir")
    if change or (event == "open" and str(parent) in str(arguments[0])):
        if moment[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        moment[0] -= 1

sys.addaudithook(seen)
sweep(parent)
with scratch(parent) as beside:
    (beside / "file").write_text("whole")
    (beside / "not published").mkdir()
    (beside / "not published" / "file").write_text("half")
    (beside / "out").mkdir()
    (beside / "out" / "file").write_text("whole")
    publish(beside / "out", parent / "out")
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a signal of POSIX")
def test_killed_before_every_change(tmp_path: Path) -> None:
    ended = False
    for moment in range(60):
        folder = tmp_path / str(moment)
        folder.mkdir()
        command = [sys.executable, "-c", KILLED, str(folder), str(moment)]
        ended = subprocess.run(command, check=False).returncode == 0
        sweep(folder)
        assert names(folder) in ([], ["out"]), moment
        for path in folder.iterdir():
            assert (path / "file").read_text() == "whole"
        if ended:
            break
    assert ended
    assert moment > 10


def test_another_machines_is_swept_when_nothing_in_it_changed_for_long(tmp_path: Path) -> None:
    def left(name: str, *ages: float) -> Path:
        folder = tmp_path / f"{PARTIAL}{name}"
        folder.mkdir()
        paths = [folder / f"file{number}" for number in range(len(ages))]
        for path, age in zip(paths, ages, strict=True):
            path.touch()
            os.utime(path, (time.time() - age, time.time() - age))
        os.utime(folder, (time.time() - max(ages), time.time() - max(ages)))
        return folder

    old = STALE_SECONDS + 60
    gone = left("00000000-old", old, old)
    writing = left("00000000-writing", old, 60)
    sweep(tmp_path)
    assert names(tmp_path) == [writing.name] != [gone.name]


@pytest.mark.slow
def test_a_sweep_while_a_folder_is_made_costs_nothing(tmp_path: Path) -> None:
    """Two processes make, fill and sweep at once; each finds its own folder whole."""
    program = """
import sys
from pathlib import Path
from ragscore.scratch import scratch, sweep
parent = Path(sys.argv[1])
for number in range(300):
    sweep(parent)
    with scratch(parent) as beside:
        (beside / "file").write_text(str(number))
        sweep(parent)
        assert (beside / "file").read_text() == str(number)
"""
    processes = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path)]) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    sweep(tmp_path)
    assert names(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_and_foreign_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    with scratch(tmp_path) as beside:
        name = beside.parent.name[:-1]
    (tmp_path / name).symlink_to(tmp_path / "precious")
    (tmp_path / ".partially-mine").mkdir()
    sweep(tmp_path, depth=2)
    assert names(tmp_path) == sorted([name, ".partially-mine", "precious"])


def test_the_cache_sweeps_every_kind(tmp_path: Path) -> None:
    for kind in ("vectors", "runs"):
        (tmp_path / kind).mkdir()
        with writer(tmp_path / kind) as process:
            process.kill()
            process.wait()
    Cache(tmp_path).sweep()
    assert [names(tmp_path / kind) for kind in ("vectors", "runs")] == [[], []]


def test_a_temporary_cache_goes_with_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    program = """
import os, sys, tempfile
tempfile.tempdir = sys.argv[1]
from ragscore.cache import Cache
cache = Cache()
cache.entry("kind", "key", lambda folder: (folder / "value").touch())
if sys.argv[2] == "killed":
    os._exit(9)
"""
    for ended in ("well", "killed"):
        subprocess.run([sys.executable, "-c", program, str(tmp_path), ended], check=False)
        assert len(names(tmp_path)) == (ended == "killed")
    cache = Cache()
    assert names(tmp_path) == [cache.root.parent.name]
    del cache
    assert names(tmp_path) == []


def test_files_are_replaced_when_all_of_them_are_whole(tmp_path: Path) -> None:
    replace_files(tmp_path, [("a", b"old"), ("sub/b", b"old")])
    with pytest.raises(TypeError):
        replace_files(tmp_path, [("a", b"new"), ("sub/b", "no bytes")])  # type: ignore[list-item]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "sub" / "b").read_bytes() == b"old"
    assert replace_files(tmp_path, iter([("a", b"new")])) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"new"
    assert names(tmp_path) == ["a", "sub"]


def test_the_scratch_folder_names_the_machine(tmp_path: Path) -> None:
    with scratch(tmp_path) as beside:
        assert beside.parent.name.startswith(f"{PARTIAL}{_machine()}-")
