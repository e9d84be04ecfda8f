"""``python -m ragscore`` is the command ``ragscore``."""

from __future__ import annotations

import sys

from ragscore.cli import main

if __name__ == "__main__":
    sys.exit(main())
