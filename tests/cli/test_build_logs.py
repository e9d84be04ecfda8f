"""No text of the data is a command of the build server in whose log ragscore prints."""

from __future__ import annotations

import ast
import json
from contextlib import suppress
from pathlib import Path

import pytest

import ragscore.cli
from ragscore.cli import main
from ragscore.elements.plain import for_log
from tests.factories.invented_language import written

TEXTS = ("::error::boom", " \u3000::set-output name=a::b", "x ##[error]boom", "a\n::error::boom")
RETRIEVERS = """
retrievers:
  "##[error]bm25": {kind: bm25}
  words: {kind: bm25, tokenizer: words}
measures: [nDCG@10, R@5]
compare: {slices: [tags], all_pairs: true}
latency: false
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result over a dataset whose every text is a command."""
    folder = tmp_path_factory.mktemp("hostile")
    numbers = range(24)
    texts = [TEXTS[at % len(TEXTS)] for at in numbers]
    ids = [f"{text}{at}" for at, text in enumerate(texts)]
    written(
        folder / "##[error]data",
        [{"id": name, "text": f"topic{at} {texts[at]}"} for at, name in enumerate(ids)],
        [
            {"id": name, "text": f"{texts[at]} topic{at // 2}", "tags": [texts[at]]}
            for at, name in enumerate(ids)
        ],
        [{"query_id": name, "passages": {name: 1}} for name in ids],
    )
    (folder / "e.yaml").write_text(f'dataset: "##[error]data"\n{RETRIEVERS}', encoding="utf-8")
    assert main(["run", str(folder / "e.yaml"), "--output", str(folder / "out"), "-q"]) == 0
    (run, *_) = (folder / "out" / "runs").rglob("*.parquet")
    (folder / "1.parquet").write_bytes(run.read_bytes())
    # Windows has no such names.
    with suppress(OSError):
        (folder / "::error::run.json").write_text('{"q1": {"a": 1.0}}', encoding="utf-8")
    (folder / "qrels.json").write_text('{"q1": {"a": 1}}', encoding="utf-8")
    return folder


def commands(text: str) -> list[str]:
    """The lines of a log that a build server obeys."""
    lines = text.replace("\r", "\n").split("\n")
    return [line for line in lines if line.lstrip().startswith("::") or "##[" in line]


@pytest.mark.parametrize(
    "command",
    [
        "validate e.yaml",
        "run e.yaml --output new --no-cache",
        "run e.yaml --output newer --no-cache --format json",
        "compare out --slices tags",
        "compare out --slices tags --format markdown",
        "compare out --slices tags --format json",
        "compare out --slices tags --language ko",
        "show out",
        "report out",
        "tune out --rule recall --target 0.5",
        "check ##[error]data",
        "power out",
        "changes out out",
        "gate out --min nDCG@10=0.1",
        "gate out --min nDCG@10=0.9 --format junit",
        "score 1.parquet --qrels ##[error]data --per-query",
        "score 1.parquet --qrels ##[error]data --per-query --format latex",
        "score ::error::run.json --qrels qrels.json --format csv",
        "explain ::error::x",
        "show ::error::nowhere",
    ],
)
def test_no_line_is_a_command(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    main(command.split(" "))
    shown = capsys.readouterr()
    assert shown.out or shown.err
    assert not commands(shown.out + shown.err)


def test_json_reads_as_it_was(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert main(["run", "e.yaml", "--output", "again", "--no-cache", "-q", "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((folder / "again" / "summary.json").read_text(encoding="utf-8"))
    assert "##[error]bm25" in json.dumps(printed)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("::error::a", "\\::error::a"),
        ("a\n \t\u3000\u00a0::error::a\n::b", "a\n \t\u3000\u00a0\\::error::a\n\\::b"),
        ("\ufe0f::error::a", "\ufe0f\\::error::a"),
        (":\ufe0f:error::a", "\\:\ufe0f:error::a"),
        ("a ##[error]b ##vso[task.x]", "a #\\#[error]b #\\#vso[task.x]"),
        ("a::b, ## c [d]", "a::b, ## c [d]"),
    ],
)
def test_a_command_gets_a_backslash(text: str, safe: str) -> None:
    assert for_log(text) == safe


def test_commands_print_through_one_module() -> None:
    """What prints by itself would print a name of the data unescaped."""
    for file in Path(ragscore.cli.__file__).parent.glob("*.py"):
        calls = [
            node
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        ]
        assert file.name == "streams.py" or "print" not in {node.func.id for node in calls}, file
