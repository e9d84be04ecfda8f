"""How long a report takes to make, beside the run that it tells of, and to open in Chromium.

Real BM25s and a fusion over an invented language: 4 retrievers, 8 measures, 20 passages a query,
every passage with its text. Seconds of one process; the page's are best of three openings, from
the start of the navigation to an explorer that can be used.

    python benchmarks/report_pages.py [QUERIES ...]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from ragscore.report.html.page import page
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.results import open_result
from tests.factories.results import sized
from tests.report.browser import browser

MEGABYTES = 25


SORT = """\
const done = arguments[1], start = performance.now();
const field = document.querySelector('#explorer-0 select.sort');
field.selectedIndex = arguments[0];
field.dispatchEvent(new Event('change', {bubbles: true}));
requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
"""


def opened(path: Path, folder: Path) -> tuple[float, float]:
    """Seconds until the explorer of a page can be used, and until it is sorted by another key."""
    with browser(folder / "profile") as chromium:
        taken = []
        for _ in range(3):
            chromium.open(path)
            taken.append(float(chromium.js("return window.readyAt['explorer-0']")) / 1000)
        sorting = [chromium.driver.execute_async_script(SORT, key) for key in (1, 0, 1, 0, 1)]
    return min(taken), min(sorting) / 1000


def measured(queries: int, folder: Path) -> None:
    began = time.perf_counter()
    result = sized(folder, queries)
    times = [time.perf_counter() - began]
    report = Report(open_result(result), ReportOptions(max_mb=MEGABYTES))
    _ = report.panels
    times.append(time.perf_counter() - began)
    text = page(report)
    times.append(time.perf_counter() - began)
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8", newline="\n")
    run, sections, rendered = (b - a for a, b in zip([0.0, *times], times, strict=False))
    reported = sections + rendered
    usable, sorting = opened(path, folder)
    print(
        f"{queries:,} queries: data and run {run:.1f} s; report {reported:.1f} s "
        f"(sections {sections:.1f}, page {rendered:.1f}), "
        f"{reported / run:.2f} times; {path.stat().st_size / 1e6:.1f} MB, "
        f"usable {usable:.2f} s after opening, sorted in {sorting:.2f} s"
    )


def main() -> None:
    for queries in [int(one) for one in sys.argv[1:]] or [500, 5000]:
        with tempfile.TemporaryDirectory() as folder:
            measured(queries, Path(folder))


if __name__ == "__main__":
    main()
