"""Loading numpy and scipy quickly, for the commands of a process of its own.

OpenBLAS, which numpy's wheels hold, starts a thread for each core when it is loaded, and each
of them keeps its core busy for some 50 milliseconds: as long as scoring a small run takes. And
scipy loads all of numpy only to name its parts among its own, which takes as long again.
"""

from __future__ import annotations

import os
import sys
from importlib.util import LazyLoader, find_spec, module_from_spec

BLAS_THREADS = "OPENBLAS_NUM_THREADS"
UNUSED = (
    "numpy.f2py",
    "numpy.testing",
    "numpy.ctypeslib",
    "numpy.polynomial",
    "numpy.char",
    "numpy.ma",
)
"""Parts of numpy that nothing here uses, and scipy only names."""


def load_numpy() -> None:
    """Load numpy without threads of its own, for a command that multiplies no matrices, unless it
    is loaded or the user says how many threads there should be.

    The environment is left as it was, for what this process starts.
    """
    if "numpy" in sys.modules or BLAS_THREADS in os.environ:
        return
    os.environ[BLAS_THREADS] = "1"
    try:
        import numpy  # noqa: F401
    finally:
        del os.environ[BLAS_THREADS]


def defer_unused() -> None:
    """Load the unused parts of numpy when something of them is read, not when scipy imports them;
    for a command that computes intervals."""
    for name in UNUSED:
        spec = find_spec(name) if name not in sys.modules else None
        if spec is None or spec.loader is None:
            continue
        spec.loader = LazyLoader(spec.loader)
        module = sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(module)
        parent, _, attribute = name.rpartition(".")
        setattr(sys.modules[parent], attribute, module)
