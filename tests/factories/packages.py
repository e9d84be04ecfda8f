"""Optional packages: looked for, and not imported until a test that needs them runs; and packages
that add something."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest


def needs(*modules: str) -> pytest.MarkDecorator:
    """Skips a test, or with ``pytestmark`` a file of tests, unless all of these are installed.

    ``pytest.importorskip`` at the top of a file would load torch in every process that collects.
    """
    absent = [module for module in modules if find_spec(module) is None]
    return pytest.mark.skipif(bool(absent), reason=f"{', '.join(absent)} is not installed")


def install(folder: Path, group: str, name: str, place: str) -> None:
    """Put a package with one entry point where Python looks for packages."""
    about = folder / "theirs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{name} = {place}\n")
