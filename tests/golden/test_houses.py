"""What ragscore shows of ten results is what was committed: ``digests.txt``, a line a text; and all
that it says there stands in the catalogue of translations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ragscore.messages import PASSAGES, Message, catalogue
from tests.golden.houses import DIGESTS, written_texts

CHANGED = """
{count} of {total} texts are not those of {file}:
{changed}
They stand in {folder}
To see what changed, run `python -m tests.golden.houses FOLDER` in both commits, and `diff -r`.
If all of it is meant, run `python -m tests.golden.houses --write`, and say in the commit which
texts changed, and why.
"""


class Shown(NamedTuple):
    """Ten results: their folder and digests, the texts of all messages made, and of those that a
    writer wrote without a fact for a name."""

    folder: Path
    digests: list[str]
    said: set[str]
    unfilled: set[str]


@pytest.fixture(scope="session")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    shown = Shown(tmp_path_factory.mktemp("houses"), [], set(), set())
    make, write = Message.__init__, Message.text

    def made(self: Message, template: str, *others: Any, **named: Any) -> None:
        make(self, template, *others, **named)
        shown.said.add(self.key)

    def text(
        self: Message, language: str = "en", words: Mapping[str, Message] | None = None
    ) -> str:
        if not set(re.findall(r"\{(\w+)\}", self.template)) <= {*self.facts, *PASSAGES}:
            shown.unfilled.add(self.template)
        return write(self, language, words)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Message, "__init__", made)
        patched.setattr(Message, "text", text)
        shown.digests.extend(written_texts(shown.folder))
    return shown


def test_what_is_shown_is_what_was_committed(shown: Shown) -> None:
    committed = DIGESTS.read_text(encoding="utf-8").splitlines()
    changed = sorted({line.rpartition(" ")[0] for line in set(shown.digests) ^ set(committed)})
    if changed:
        listed = "\n".join(f"  {text}" for text in changed)
        said = CHANGED.format(
            count=len(changed),
            total=len(shown.digests),
            file=DIGESTS,
            changed=listed,
            folder=shown.folder,
        )
        pytest.fail(said, pytrace=False)


def test_all_that_is_said_is_in_the_catalogue(shown: Shown) -> None:
    """Texts joined of others are templates of numbers and punctuation alone."""
    sentences = {text for text in shown.said if re.search(r"[^\W\d]", text)}
    assert sentences
    assert sorted(sentences - catalogue("ko").keys()) == []


def test_every_name_in_what_is_said_is_filled(shown: Shown) -> None:
    assert sorted(shown.unfilled) == []
