"""Take a picture of a report for the docs: ``python docs/picture.py [NAME [RESULT]]``.

Needs Chromium. NAME is one of PICTURES, by default ``report``; RESULT is a result folder, by
default the newest of the picture's experiment under results/. The first view of its report, or of
a report of one section, becomes docs/NAME.png.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ragscore import make_report, open_result

PICTURES = {
    "report": ("quickstart", None, (1400, 640)),
    "stages": ("rerank", ["stages"], (1200, 675)),
    "cost": ("twelve", ["cost"], (1200, 545)),
    "sweep": ("sweep", ["sweep"], (1200, 860)),
}
"""By name: the experiment in configs/, the sections (None: all), width and height."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def main(name: str = "report", folder: str | None = None) -> int:
    """Take it; the exit code."""
    if name not in PICTURES:
        print(f"no picture '{name}': name one of {', '.join(PICTURES)}", file=sys.stderr)
        return 2
    experiment, sections, (width, height) = PICTURES[name]
    result = open_result(folder or f"results/{experiment}")
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print(f"no browser: install one of {', '.join(BROWSERS)}", file=sys.stderr)
        return 1
    picture = Path(__file__).with_name(f"{name}.png")
    with tempfile.TemporaryDirectory() as scratch:
        page = Path(scratch, "report.html")
        make_report(result, sections=sections).write(scratch, ["html"])
        subprocess.run(
            [
                browser,
                *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                *("--disable-background-networking", "--no-first-run"),
                f"--user-data-dir={scratch}/profile",
                f"--window-size={width},{height}",
                f"--screenshot={picture}",
                page.resolve().as_uri(),
            ],
            check=True,
            capture_output=True,
        )
    print(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
