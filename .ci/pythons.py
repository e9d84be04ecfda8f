"""The Pythons of this machine that ragscore is for, but the one that runs this: the newest of each
minor version, on PATH or among pyenv's, a line each: ``3.12 /path/to/python``."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
USABLE = "import ensurepip, sys, venv; print(*sys.version_info[:3], sys.version_info.releaselevel)"


def candidates() -> list[Path]:
    """Files that may be interpreters, by their names."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    folders = [Path(folder) for folder in os.environ["PATH"].split(os.pathsep) if folder]
    on_path = [file for folder in folders for file in folder.glob("python3.*")]
    named = [file for file in on_path if re.fullmatch(r"python3\.\d+", file.name)]
    return named + sorted(pyenv.glob("versions/3.*[0-9]/bin/python"))


def version(python: Path) -> tuple[int, ...]:
    """Of an interpreter that can make environments; () of another, such as a shim of pyenv's that
    stands for none, or one that is not released."""
    try:
        command = [str(python), "-c", USABLE]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    *numbers, release = done.stdout.split() or [""]
    return tuple(map(int, numbers)) if done.returncode == 0 and release == "final" else ()


def main() -> None:
    """Print them, the oldest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = tuple(map(int, project["requires-python"].removeprefix(">=").split(".")))
    found: dict[tuple[int, ...], tuple[tuple[int, ...], Path]] = {}
    for python in candidates():
        if (has := version(python)) >= oldest:
            found[has[:2]] = max(found.get(has[:2], (has, python)), (has, python))
    for minor, (_, python) in sorted(found.items()):
        if minor != sys.version_info[:2]:
            print(".".join(map(str, minor)), python)


if __name__ == "__main__":
    main()
