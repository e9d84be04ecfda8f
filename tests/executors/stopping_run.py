"""``ragscore`` with workers that stop: FOLDER STOP, as ``witnessed`` takes them, then a command."""

from __future__ import annotations

import sys
from pathlib import Path

from ragscore.cli import main
from tests.factories.ray_blocks import witnessed

if __name__ == "__main__":
    folder, stop, *arguments = sys.argv[1:]
    with witnessed(Path(folder), stop):
        sys.exit(main(arguments))
