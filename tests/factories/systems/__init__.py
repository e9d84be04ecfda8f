"""Systems outside, without Python, that tests ask."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@contextmanager
def node_server(script: Path, *arguments: str) -> Iterator[str]:
    """The URL of a server of Node.js that prints it when it is ready; stopped at the end."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    server = subprocess.Popen([node, str(script), *arguments], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.communicate()


def ended(pid: int) -> bool:
    """Whether a process ends within five seconds, as Linux tells of it."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False
