"""What somebody has who installs ragscore: a clone, and a virtual environment of its own.

Nothing is downloaded: the packages that ragscore needs are those of this interpreter.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
"""What lets pip install the project without a network; pip reads the 0 as "no isolation"."""


def clean_clone(folder: Path) -> Path:
    """A clone of this repository, as it was committed."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone of the repository")
    subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
    return folder


def built_wheel(folder: Path) -> Path:
    """The wheel of this project."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def environment(folder: Path) -> dict[str, str]:
    """A fresh virtual environment with pip and all that ragscore needs, but without ragscore.

    Returns:
        The variables of a process that uses it.
    """
    venv.create(folder, with_pip=True)
    packages = folder / "packages"
    packages.mkdir()
    for place in (Path(each) for each in sys.path if each.endswith("site-packages")):
        for found in place.iterdir():
            if "ragscore" not in found.name and found.suffix != ".pth":
                (packages / found.name).unlink(missing_ok=True)
                (packages / found.name).symlink_to(found)
    (site,) = (folder / "lib").glob("python*/site-packages")
    (site / "packages.pth").write_text(f"{packages}\n")
    plain = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return {**plain, **OFFLINE, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
