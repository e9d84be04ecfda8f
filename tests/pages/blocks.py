"""The fenced blocks of a Markdown page, with what the comment before a block says of it.

``<!-- file: NAME -->``      the block is the content of this file, and the next blocks find it
``<!-- not run: REASON -->`` the block is shown only
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FENCED = re.compile(
    r"(?:^<!-- (?P<verb>file|not run): (?P<what>[^\n]+?) -->\n+)?"
    r"^```(?P<language>\w*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
NAMED = re.compile(r"# ([\w-]+\.\w+)\n")


@dataclass(frozen=True)
class Block:
    """One fenced block.

    Attributes:
        page: the file that it stands in.
        line: number of its first line, from 1.
        start, end: where its body stands in the page's text, in characters.
        language: what follows the fence; empty for what a command prints.
        body: its lines.
        file: the file whose content it is, named by a comment or by a first line ``# NAME``.
        not_run: why it is shown only; empty for a block that is run.
    """

    page: Path
    line: int
    start: int
    end: int
    language: str
    body: str
    file: str
    not_run: str

    @property
    def place(self) -> str:
        """Page and line, as editors read them."""
        return f"{self.page.name}:{self.line}"


def blocks_of(page: Path) -> list[Block]:
    """All blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCED.finditer(text):
        body, verb, what = match["body"], match["verb"], match["what"] or ""
        named = NAMED.match(body) if match["language"] in ("yaml", "python") else None
        found.append(
            Block(
                page,
                text.count("\n", 0, match.start("body")) + 1,
                match.start("body"),
                match.end("body"),
                match["language"],
                body,
                file=what if verb == "file" else named[1] if named else "",
                not_run=what if verb == "not run" else "",
            )
        )
    return found
