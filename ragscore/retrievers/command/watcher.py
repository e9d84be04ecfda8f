"""Watcher: ends the processes of a group where ragscore was killed before it could do so itself."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import suppress

# It reads until ragscore dismisses it by a line; the end of its stdin says that ragscore is gone.
_SCRIPT = 'read -r line || { kill -s TERM -- "-$1"; sleep "$2"; kill -s KILL -- "-$1"; }'


class Watcher:
    """A process of ``sh`` with a session of its own, which whatever ends ragscore leaves alone;
    nothing where there is no ``sh``, and on Windows, which has no groups that can be ended so.

    Args:
        group: the process at the head of the group.
        grace: seconds that its processes get to end once they are asked to.
    """

    def __init__(self, group: int, grace: float) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        shell = shutil.which("sh")
        if sys.platform == "win32" or shell is None:
            return
        with suppress(OSError):
            self._process = subprocess.Popen(
                [shell, "-c", _SCRIPT, "ragscore-watcher", str(group), f"{grace:g}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,  # those of ragscore would stay open with it
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd="/",
                start_new_session=True,
            )

    def dismiss(self) -> None:
        """End it: the group has ended."""
        if self._process is None or self._process.stdin is None:
            return
        with suppress(OSError):
            self._process.stdin.write(b"\n")
        with suppress(OSError):
            self._process.stdin.close()
        self._process.wait()
