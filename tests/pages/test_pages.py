"""Every code block of the documentation runs as it stands, and prints what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages.blocks import Block, blocks_of
from tests.pages.printed import missing_line, refreshed
from tests.pages.walk import Walk

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "datasets").rglob("*.md")),
]
NEEDED = {"compare.md": "kiwipiepy", "README.md": "sentence_transformers"}
"""Optional packages that a page's commands need."""
MOST_NOT_RUN = 16
SLOW = (
    "chunkers.md",
    "compare.md",
    "gate.md",
    "report.md",
    "results.md",
    "retrievers.md",
    "scale.md",
    "sweep.md",
    "tune.md",
)
"""Pages whose commands take seconds each; what they show is run by ``.ci/run``."""


def names(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.usefixtures("vectors_kept")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.slow if page.name in SLOW else ())
        for page in PAGES
        if blocks_of(page)
    ],
    ids=names,
)
def test_every_block_runs_and_prints_what_is_shown(page: Path, tmp_path: Path) -> None:
    if page.name in NEEDED:
        pytest.importorskip(NEEDED[page.name])
    for block, printed in Walk(tmp_path).down(page).items():
        missing = missing_line(block.body, printed)
        assert missing is None, f"{block.place} shows a line that is not printed:\n{missing}"


def test_few_blocks_are_not_run_and_each_says_why() -> None:
    left_out = [block for page in PAGES for block in blocks_of(page) if block.not_run]
    assert len(left_out) <= MOST_NOT_RUN, [block.place for block in left_out]
    assert all(len(block.not_run.split()) > 2 for block in left_out)


def test_each_walk_starts_with_an_empty_cache(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(
        "```sh\nragscore run configs/quickstart.yaml --only bm25\n```\n\n```\n"
        "Retriever  nDCG@10  mAP@10  mRR@10    P@10    R@10   F1@10  Success@10   R@100  p50 (ms)\n"
        "bm25        0.5531  0.4658  0.6417  0.1365  0.6323  0.2135      0.8514  0.8847    0.13\n"
        "queries with a tie across rank 10: bm25 6\n```\n"
    )
    for day in ("first", "second"):
        (tmp_path / day).mkdir()
        ((block, printed),) = Walk(tmp_path / day).down(tmp_path / "page.md").items()
        assert missing_line(block.body, printed) is None


def test_every_fence_is_a_block() -> None:
    for page in PAGES:
        fences = page.read_text(encoding="utf-8").count("```")
        assert fences == 2 * len(blocks_of(page)), page


def page_of(text: str, folder: Path) -> list[Block]:
    (folder / "page.md").write_text(text, encoding="utf-8")
    return blocks_of(folder / "page.md")


def test_a_block_knows_its_comment(tmp_path: Path) -> None:
    text = (
        "<!-- file: a/b.txt -->\n```text\nx\n```\n<!-- not run: for a reason -->\n\n```sh\ny\n```\n"
    )
    text += "```yaml\n# named.yaml\ndataset: x\n```\n"
    file, left_out, named = page_of(text, tmp_path)
    assert (file.file, file.body, file.line) == ("a/b.txt", "x\n", 3)
    assert (left_out.not_run, left_out.file) == ("for a reason", "")
    assert (named.file, named.not_run) == ("named.yaml", "")


@pytest.mark.parametrize(
    ("shown", "printed", "missing"),
    [
        ("a 1.000\nb\n", "a 1.001\nb\n", None),
        ("a 1.00\n", "a 1.10\n", "a 1.00"),
        ("a\nb\n", "a\n\nb\n", "a (and what follows, in this order)"),
        ("a\n...\nc\n", "x\na\nb\nc\n", None),
        ("c\n...\na\n", "a\nb\nc\n", "a"),
        ("R p50 (ms)\na 1.0 7\n", "R p50 (ms)\na 1.0 900\n", None),
        ("R p50 (ms)\na 1.0 7\n", "R p50 (ms)\na 2.0 7\n", "a 1.0"),
        ("decide: a 12 ms, b 0.42 ms.\n", "decide: a 1,403 ms, b 3.1 ms.\n", None),
    ],
)
def test_what_is_shown_is_found(shown: str, printed: str, missing: str | None) -> None:
    assert missing_line(shown, printed) == missing


def test_a_block_is_written_anew_and_stays_cut() -> None:
    shown = "Use k = 3\n\n...\nHeld out 0.5\n"
    printed = "Use k = 4\n\ntable\nHeld out 0.6\nend\n"
    assert refreshed(shown, printed) == "Use k = 4\n\n...\nHeld out 0.6\n"
    table = "a 1\nb 2\np: what it means\n"
    assert refreshed(table, "a 3\nb 4\nc 5\np: what it means\n\nnext\n") == (
        "a 3\nb 4\nc 5\np: what it means\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```sh\nragscore list nothing\n```\n", "page.md:2"),
        ("```sh\nls\n```\n", "page.md:2: ls"),
        ("```ruby\nputs\n```\n", "nothing runs ruby"),
        ("```yaml\nretrieverz: {}\n```\n", "retrieverz"),
        ("```python\nassert 1 == 2, 'wrong'\n```\n", "wrong"),
    ],
)
def test_a_block_that_does_not_run_fails(text: str, message: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    with pytest.raises(Exception, match=message):
        Walk(tmp_path / "folder").down(page)
