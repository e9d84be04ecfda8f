"""Optional packages: looked for, and not imported until a test that needs them runs."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def needs(*modules: str) -> pytest.MarkDecorator:
    """Skips a test, or with ``pytestmark`` a file of tests, unless all of these are installed.

    ``pytest.importorskip`` at the top of a file would load torch in every process that collects.
    """
    absent = [module for module in modules if find_spec(module) is None]
    return pytest.mark.skipif(bool(absent), reason=f"{', '.join(absent)} is not installed")
