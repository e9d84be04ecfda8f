"""numpy without threads of its own, for commands that multiply no matrices.

OpenBLAS, which numpy's wheels hold, starts a thread for each core when it is loaded, and each
of them keeps its core busy for some 50 milliseconds: as long as scoring a small run takes.
"""

from __future__ import annotations

import os
import sys

BLAS_THREADS = "OPENBLAS_NUM_THREADS"


def load_numpy() -> None:
    """Load numpy so, unless it is loaded or the user says how many threads there should be.

    The environment is left as it was, for what this process starts.
    """
    if "numpy" in sys.modules or BLAS_THREADS in os.environ:
        return
    os.environ[BLAS_THREADS] = "1"
    try:
        import numpy  # noqa: F401
    finally:
        del os.environ[BLAS_THREADS]
