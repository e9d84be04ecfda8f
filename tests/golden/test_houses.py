"""What ragscore shows of ten results is what was committed: ``digests.txt``, a line a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.houses import DIGESTS, written_texts

CHANGED = """
{count} of {total} texts are not those of {file}:
{changed}
They stand in {folder}
To see what changed, run `python -m tests.golden.houses FOLDER` in both commits, and `diff -r`.
If all of it is meant, run `python -m tests.golden.houses --write`, and say in the commit which
texts changed, and why.
"""


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder of the texts as they are now, and their digests."""
    folder = tmp_path_factory.mktemp("houses")
    return folder, written_texts(folder)


def test_what_is_shown_is_what_was_committed(texts: tuple[Path, list[str]]) -> None:
    folder, now = texts
    committed = DIGESTS.read_text(encoding="utf-8").splitlines()
    changed = sorted({line.rpartition(" ")[0] for line in set(now) ^ set(committed)})
    if changed:
        listed = "\n".join(f"  {text}" for text in changed)
        said = CHANGED.format(
            count=len(changed), total=len(now), file=DIGESTS, changed=listed, folder=folder
        )
        pytest.fail(said, pytrace=False)
