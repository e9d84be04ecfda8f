"""Take the README's picture of a report: ``python docs/picture.py [RESULT]``.

Needs Chromium. RESULT is a result folder, by default the newest under results/quickstart; its
report.html is opened and the first view of it, 1400 x 900, becomes docs/report.png.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ragscore import open_result

PICTURE = Path(__file__).with_name("report.png")
SIZE = (1400, 900)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def main(arguments: list[str]) -> int:
    """Take it; the exit code."""
    result = open_result(arguments[0] if arguments else "results/quickstart")
    page = result.folder / "report.html"
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print(f"no browser: install one of {', '.join(BROWSERS)}", file=sys.stderr)
        return 1
    if not page.is_file():
        print(f"{page}: not there; run `ragscore report {result.folder}`", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                browser,
                *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                *("--disable-background-networking", "--no-first-run"),
                f"--user-data-dir={profile}",
                f"--window-size={SIZE[0]},{SIZE[1]}",
                f"--screenshot={PICTURE}",
                page.resolve().as_uri(),
            ],
            check=True,
            capture_output=True,
        )
    print(PICTURE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
