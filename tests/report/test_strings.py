"""The report's words: both languages alike, none missing, none for nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from ragscore.messages import text_of
from ragscore.report.strings import STRINGS
from ragscore.results.strings import NOTES
from ragscore.scoring.profiles import PROFILES
from ragscore.strings import COMMON, FILLED

REPORT = Path(__file__).resolve().parents[2] / "ragscore" / "report"
HANGUL = re.compile("[가-힣]")


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(REPORT.rglob("*.py")):
        if path.parent.name != "strings":
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def asked() -> Iterator[tuple[Path, ast.Call]]:
    """Every call of the strings: ``strings(...)`` or ``data.strings(...)``."""
    for path, tree in modules():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func
            called = name.id if isinstance(name, ast.Name) else getattr(name, "attr", "")
            if called == "strings":
                yield path, node


def pattern(node: ast.expr) -> str | None:
    """The keys that an argument may be, as a pattern; None where the code does not say."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    if isinstance(node, ast.JoinedStr):
        parts = (
            re.escape(str(one.value)) if isinstance(one, ast.Constant) else r"\w+"
            for one in node.values
        )
        return "".join(parts)
    return None


def test_what_the_code_asks_for_is_there_with_its_facts() -> None:
    checked = 0
    for path, call in asked():
        where = f"{path.name}:{call.lineno}"
        wanted = pattern(call.args[0])
        if wanted is None:
            continue
        keys = [key for key in STRINGS if re.fullmatch(wanted, key)]
        assert keys, f"{where}: no key {wanted}"
        given = {one.arg for one in call.keywords}
        if None in given:  # facts that are handed on
            continue
        fits = [key for key in keys if placeholders(STRINGS[key]["en"]) <= given | FILLED]
        assert fits, f"{where}: {keys} with {given}"
        checked += 1
    assert checked > 100


@pytest.mark.slow
def test_every_key_is_used() -> None:
    texts = {
        node.value
        for _, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    patterns = {
        pattern(call.args[0]) for _, call in asked() if isinstance(call.args[0], ast.JoinedStr)
    }
    patterns |= {  # ``strings.counted`` has a text of its own for one
        f"{pattern(node.args[0])}_one"
        for _, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "counted"
    }
    unused = [
        key
        for key in STRINGS.keys() - COMMON.keys() - NOTES.keys()
        if key not in texts and not any(re.fullmatch(one, key) for one in patterns if one)
    ]
    assert not unused


def test_what_a_profile_leaves_to_words_is_there_in_korean() -> None:
    for profile in PROFILES.values():
        assert bool(profile.exceptions) == bool(HANGUL.search(text_of(profile.exceptions, "ko")))
