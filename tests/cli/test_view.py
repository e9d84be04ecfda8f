"""``ragscore view`` as a process of its own: what it prints, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.factories.command import Ragscore

ROOT = Path(__file__).parents[2]


@contextmanager
def viewing(cwd: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command, running; it is ended when the test is done."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ragscore", "view", "--no-open", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", line), line
    return line


def read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return str(answer.read().decode("utf-8"))


def test_it_prints_its_address_and_serves_until_it_is_interrupted(
    ragscore: Ragscore, starter: Path, tmp_path: Path
) -> None:
    done = ragscore("run", starter, "--only", "bm25", "--output", "results/starter/one")
    assert done.returncode == 0, done.stderr
    with viewing(tmp_path, "--port", "0") as process:
        page = read(address(process))
        assert "starter" in page
        (link,) = set(re.findall(r'href="(/r/[^"#]+)"', page))
        assert process.poll() is None
        if os.name == "nt":
            return
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 0
        assert out == ""
        assert err == "Ctrl-C ends it.\n"
        assert link.endswith("/report.html")


def test_no_folder_is_a_data_error(ragscore: Ragscore) -> None:
    done = ragscore("view", "--no-open")
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.startswith("results: no such folder. ")
    assert "ragscore run" in done.stderr


def test_a_taken_port_is_told(ragscore: Ragscore, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = ragscore("view", "--no-open", "--port", str(port))
    assert done.returncode == 2
    assert re.match(rf"--port: port {port} cannot be used: .+\. Name another port", done.stderr)


@pytest.mark.slow
def test_without_a_port_a_free_one_is_found(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    with viewing(tmp_path) as one, viewing(tmp_path) as two:
        urls = [address(one), address(two)]
        assert urls[0] != urls[1]
        for url in urls:
            assert "No results yet" in read(url)
        one.kill()
        assert "note: results holds no results yet" in one.communicate()[1]


@pytest.mark.slow
def test_korean_and_quiet(tmp_path: Path) -> None:
    (tmp_path / "결과").mkdir()
    with viewing(tmp_path, "결과", "--port", "0", "--language", "ko", "--quiet") as process:
        assert "아직 결과가 없습니다" in read(address(process))
        process.kill()
        assert process.communicate()[1] == ""


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_wrong_port_is_a_usage_error(ragscore: Ragscore, port: str) -> None:
    done = ragscore("view", "--no-open", "--port", port)
    assert done.returncode == 2
    assert "--port" in done.stderr
