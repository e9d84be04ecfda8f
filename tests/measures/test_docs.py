"""The example of docs/measures.md prints what stands below it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "measures.md"
EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)


def test_the_example_of_incomplete_judgments(capsys: pytest.CaptureFixture[str]) -> None:
    (example, printed), *_ = EXAMPLE.findall(PAGE.read_text(encoding="utf-8"))
    exec(compile(example, str(PAGE), "exec"), {})
    assert capsys.readouterr().out == printed
