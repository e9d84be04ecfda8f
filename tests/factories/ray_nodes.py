"""A Ray cluster of several nodes on one machine, each at an address of its own of 127.0.0.0/8, in a
network that nothing outside reaches."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HEAD, SECOND = "127.0.0.1", "127.0.0.2"
PORT = 6399
PYTHON = [sys.executable, "-m", "ray.scripts.scripts"]
UP, SET_FLAGS = 0x1, 0x8914


def private(command: list[str]) -> list[str] | None:
    """A command that runs in a network of its own, and as the first of processes of its own, which
    end with it; None where the system makes none."""
    own = ["unshare", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if (
        not shutil.which("unshare")
        or subprocess.run([*own, "true"], capture_output=True).returncode
    ):
        return None
    return [*own, *command]


def raise_loopback() -> None:
    """Bring the loopback interface of a new network up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        fcntl.ioctl(asked, SET_FLAGS, struct.pack("16sh", b"lo", UP))


class Nodes:
    """A cluster that ends with the block: a head with one processor, and what is added. Each node
    has a user's cache of its own."""

    def __init__(self) -> None:
        os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="disabled")
        # At the lower priority that Ray gives them, workers starve beside other tests.
        os.environ.update(RAY_worker_niceness="0")
        self.folder = tempfile.mkdtemp(prefix="rs", dir="/tmp")  # sockets have short names

    def __enter__(self) -> Nodes:
        self._ray(
            HEAD,
            "start",
            "--head",
            f"--port={PORT}",
            "--include-dashboard=false",
            f"--node-ip-address={HEAD}",
            f"--temp-dir={self.folder}",
            *self._size(),
        )
        return self

    def __exit__(self, *error: object) -> None:
        for pid in self._processes(self.folder):
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def address(self) -> str:
        return f"{HEAD}:{PORT}"

    def add(self, address: str = SECOND) -> None:
        """Start a node that joins, where it is not there; it has a GPU, the head has none."""
        if self._processes(f"--node_ip_address={address} "):
            return
        join = f"--address={self.address}"
        gpu = "--num-gpus=1"  # Ray believes it: nothing is run on one
        self._ray(address, "start", join, f"--node-ip-address={address}", gpu, *self._size())

    def kill(self, address: str = SECOND) -> None:
        """Kill a node and its workers, as a power cut does."""
        for pid in self._processes(f"--node_ip_address={address} ", f"--node-ip-address={address}"):
            os.kill(pid, signal.SIGKILL)

    def at_work(self) -> list[int]:
        """The processes of workers that have a job."""
        return self._processes("ray::TaskActor")

    def _size(self) -> list[str]:
        return ["--num-cpus=1", "--object-store-memory=80000000", "--disable-usage-stats"]

    def _ray(self, address: str, *arguments: str) -> None:
        cache = Path(self.folder, f"cache-{address}")
        for _ in range(3):  # a busy machine may be slower than Ray waits
            ended = subprocess.run(
                [*PYTHON, *arguments],
                env={**os.environ, "RAGSCORE_CACHE": str(cache)},
                capture_output=True,
                text=True,
            )
            if not ended.returncode:
                return
        raise AssertionError(ended.stderr or ended.stdout)

    def _processes(self, *named: str) -> list[int]:
        """Processes whose command line has one of these in it, and their children."""
        found, parents = set[int](), dict[int, int]()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                line = (
                    (folder / "cmdline")
                    .read_bytes()
                    .replace(b"\0", b" ")
                    .decode("utf-8", "replace")
                )
                state = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(folder.name)] = int(state[1])
            if any(text in line for text in named) and int(folder.name) != os.getpid():
                found.add(int(folder.name))
        children = {pid for pid, parent in parents.items() if parent in found}
        return sorted(found | children)
