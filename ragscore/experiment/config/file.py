"""The text of a configuration file, and problems that point into it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from ragscore.elements.plain import beginning, text_width
from ragscore.errors import ConfigError, Problem
from ragscore.files import odd_kind, open_regular

MAX_BYTES = 1 << 20
_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]"
)
_WIDTH = 100


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A place in a text: line and column, both counted from 1, in characters."""

    line: int
    column: int


@dataclass(frozen=True)
class ConfigText:
    """A text with a name, split into lines as YAML splits them."""

    name: str
    content: str
    lines: list[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", _BREAK.split(self.content))

    def problem(self, mark: Mark | None, what: str, instead: str = "") -> Problem:
        """A problem at a place of this text, with the line and a caret under the column."""
        if mark is None:
            return Problem(what, self.name, instead)
        where = f"{self.name}:{mark.line}:{mark.column}"
        return Problem(what, where, instead, self.excerpt(mark))

    def excerpt(self, mark: Mark) -> str:
        """The line of a mark, with its number, over a line with a caret; long lines are cut."""
        line = self.lines[mark.line - 1] if mark.line <= len(self.lines) else ""
        before, after = (
            _shown(part) for part in (line[: mark.column - 1], line[mark.column - 1 :])
        )
        if text_width(before) > _WIDTH * 2 // 3:
            before = "…" + beginning(before[::-1], _WIDTH // 2)[::-1]
        room = _WIDTH - text_width(before)
        if text_width(after) > room:
            after = beginning(after, room) + "…"
        gutter = f"{mark.line:5} | "
        return f"{gutter}{before}{after}\n{' ' * 5} | {' ' * text_width(before)}^"


def read_config(path: Path) -> ConfigText:
    """Read a configuration file: UTF-8, with or without a BOM.

    Raises:
        ConfigError: it is not there, not a file, too large, not UTF-8, or holds control
            characters.
    """
    name = str(path)
    try:
        with open_regular(path) as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ConfigError(_unreadable(path, error)) from None
    if len(content) > MAX_BYTES:
        raise ConfigError(
            f"larger than {MAX_BYTES >> 20} MiB, too large for an experiment",
            where=name,
            instead="Name the YAML file of an experiment here, and the dataset inside it",
        )
    return check_text(ConfigText(name, _decode(name, content)))


def check_text(text: ConfigText) -> ConfigText:
    """The text itself, where it holds no character that YAML forbids.

    Raises:
        ConfigError: names the first such character and its place.
    """
    found = UNPRINTABLE.search(text.content)
    if found is None:
        return text
    character = found.group()
    raise ConfigError(
        text.problem(
            _mark_at(text.content, found.start()),
            f"the character U+{ord(character):04X}, which text cannot hold",
            "Delete it: it is invisible in most editors",
        )
    )


def _shown(text: str) -> str:
    """The text with tabs as arrows and without characters that a terminal would obey."""
    return "".join(
        "→" if character == "\t" else character if character.isprintable() else "�"
        for character in text
    )


def _mark_at(text: str, offset: int) -> Mark:
    lines = _BREAK.split(text[:offset])
    return Mark(len(lines), len(lines[-1]) + 1)


def _decode(name: str, content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConfigError("UTF-16, not UTF-8", where=name, instead="Save the file as UTF-8")
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        text = ConfigText(name, before + content[error.start :].decode("utf-8", "replace"))
        raise ConfigError(
            text.problem(
                _mark_at(text.content, len(before)),
                f"not UTF-8: the byte 0x{content[error.start]:02X}",
                "Save the file as UTF-8; it may be Latin-1 or another older encoding",
            )
        ) from None


def _unreadable(path: Path, error: OSError | ValueError) -> Problem:
    name = str(path)
    if isinstance(error, ValueError):
        return Problem("not a file name: it holds a NUL character", repr(name))
    if path.is_dir():
        return Problem(
            "a folder, where the YAML file of an experiment is expected",
            name,
            _neighbours(path, ""),
        )
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        folder = path.parent
        if not folder.is_dir():
            return Problem("no such file", name, f"There is no folder {folder} either")
        return Problem("no such file", name, _neighbours(folder, path.name))
    if odd := odd_kind(path):
        return Problem(odd, name, "Write the experiment to a file, and name that")
    return Problem(f"cannot be read: {error.strerror or error}", name)


def _neighbours(folder: Path, wanted: str) -> str:
    """The YAML files of a folder, as a remedy: the nearest in name first."""
    try:
        names = sorted(
            entry.name for entry in folder.iterdir() if entry.suffix.lower() in (".yaml", ".yml")
        )
    except OSError:
        return ""
    near = get_close_matches(wanted, names, n=1, cutoff=0.6)
    if near:
        return f"Did you mean {str(folder / near[0])!r}?"
    if not names:
        return f"No YAML file is in {folder}"
    shown = ", ".join(str(folder / name) for name in names[:8])
    return f"The folder has: {shown}" + (f" and {len(names) - 8} more" if len(names) > 8 else "")
