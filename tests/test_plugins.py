"""A package that a stranger installs adds one of everything: the package of docs/extend.md."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.factories.manifests import resealed

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", PAGE, re.DOTALL))
FILES["added.yaml"] = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0]
COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("ragscore ")
]
MARK = """\
from pathlib import Path

with Path("imported").open("a") as marks:
    marks.write(__name__ + "\\n")
"""
PROGRAM = """\
import shlex
import sys
from ragscore.cli import main

codes = [main(shlex.split(command)) for command in sys.argv[1:]]
print("codes:", *codes, file=sys.stderr)
sys.exit(max(codes))
"""
LAWS = {
    "passages.list": "Rent is due on the first day of each month.\n"
    "A tenant may keep one cat or one small dog.\n"
    "The landlord repairs the roof.\n"
    "Notice is three months.\n",
    "queries.list": "When is rent due?\nMay I keep a dog?\nWho repairs the roof?\n",
    "answers.list": "1\n2\n3 4\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the package of the page is installed, and its experiment was run."""
    folder = tmp_path_factory.mktemp("stranger")
    for name, text in FILES.items():
        path = folder / ("site" if name.startswith("our_package/") else "") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "site" / "our_package" / "__init__.py").write_text(MARK, encoding="utf-8")
    project = tomllib.loads(FILES["pyproject.toml"])["project"]
    info = folder / "site" / f"our_package-{project['version']}.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(metadata)
    points = (
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in named.items())
        for group, named in project["entry-points"].items()
    )
    (info / "entry_points.txt").write_text("\n".join(points))
    laws = folder / "laws"
    laws.mkdir()
    for name, text in LAWS.items():
        (laws / name).write_text(text, encoding="utf-8")
    (folder / "old.pairs").write_text("q1 p1 p3\nq2 p4 p2\nq3 p3\n", encoding="utf-8")
    qrels = "q1 0 p1 1\nq2 0 p2 1\nq3 0 p3 1\nq3 0 p4 1\n"
    (folder / "qrels.txt").write_text(qrels, encoding="utf-8")
    done(folder, "run added.yaml --output result --quiet")
    return folder


def done(folder: Path, *commands: str, code: int = 0, installed: bool = True) -> str:
    """What commands print that one process runs."""
    path = [str(ROOT), *([str(folder / "site")] if installed else [])]
    run = subprocess.run(
        [sys.executable, "-W", "error:Pydantic serializer:UserWarning", "-c", PROGRAM, *commands],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "COLUMNS": "200"},
        check=False,
    )
    assert run.returncode == code, run.stderr
    return run.stdout + run.stderr


def imported(folder: Path) -> bool:
    """Whether the package was imported since this was called."""
    mark = folder / "imported"
    there = mark.exists()
    mark.unlink(missing_ok=True)
    return there


def test_the_page_adds_one_of_everything() -> None:
    groups = re.findall(r"^\| `(ragscore\.\w+)` \|", PAGE, re.MULTILINE)
    assert set(groups) == set(tomllib.loads(FILES["pyproject.toml"])["project"]["entry-points"])


def test_a_run_uses_what_the_package_adds(folder: Path) -> None:
    summary = json.loads((folder / "result" / "summary.json").read_text(encoding="utf-8"))
    means = {(row["retriever"], row["measure"]): row["value"] for row in summary["results"]}
    assert {retriever for retriever, _ in means} == {
        "longest",
        "words",
        "vectors",
        "both",
        "short",
        "old",
    }
    assert {"nDCG@3", "Found@3", "P(denominator=returned)@3"} == {name for _, name in means}
    assert means["longest", "Found@3"] == pytest.approx(1.0)
    assert (folder / "result" / "report" / "added" / "plain" / "tables.txt").read_text()
    assert "3 queries were scored" in (folder / "result" / "report.html").read_text()


@pytest.mark.slow
def test_the_commands_of_the_page(folder: Path) -> None:
    commands = [command.removeprefix("ragscore ") for command in COMMANDS]
    again = [f"{line} --overwrite" if line.startswith("run ") else line for line in commands]
    said = done(folder, *again)
    assert "added.yaml: valid" in said
    assert "Found@3" in said
    assert "Found@2" in said


LISTED = {
    "measures": "Found .*our_package.scoring:Found",
    "retrievers": "longest .*our_package.retrieval:Longest",
    "fusion-methods": "borda .*our_package.retrieval:borda",
    "rerankers": "brief .*our_package.reranking:Brief",
    "encoders": "letters .*our_package.texts:Letters",
    "tokenizers": "trigrams .*our_package.texts:Trigrams",
    "chunkers": "lines .*our_package.texts:Lines",
    "executors": "here .*our_package.executing:Here",
    "formats": "lines .*our_package.files:LINES",
    "run-formats": "pairs .*our_package.files:PAIRS",
    "profiles": "house .*our_package.scoring:HOUSE",
    "sections": "sizes .*our_package.page:sizes",
    "outputs": "plain .*our_package.page:plain",
}


@pytest.mark.slow
def test_lists_and_the_schema_for_editors_show_it_without_importing_it(folder: Path) -> None:
    imported(folder)
    said = done(folder, *(f"list {kind}" for kind in LISTED), "schema config")
    assert [line for line in LISTED.values() if not re.search(line, said)] == []
    for name in (
        "longest",
        "borda",
        "brief",
        "letters",
        "trigrams",
        "lines",
        "here",
        "house",
        "plain",
    ):
        assert f'"{name}"' in said
    assert not imported(folder)


@pytest.mark.slow
def test_options_of_an_added_kind_are_checked_at_their_place(folder: Path) -> None:
    config = FILES["added.yaml"].replace("{kind: longest}", "{kind: longest, shortes: true}")
    (folder / "wrong.yaml").write_text(config.replace("borda", "bordar"), encoding="utf-8")
    said = done(folder, "validate wrong.yaml", code=2)
    assert (
        "wrong.yaml:3:28: retrievers.longest.shortes: unknown key. Did you mean 'shortest'?" in said
    )
    assert "retrievers.both.method: unknown fusion method 'bordar'. Did you mean 'borda'?" in said


READ = ("show result --section verdict", "list results .", "compare result", "power result")


@pytest.mark.slow
@pytest.mark.parametrize("installed", [True, False])
def test_reading_a_result_imports_no_package(installed: bool, folder: Path) -> None:
    imported(folder)
    said = done(folder, *READ, installed=installed)
    assert "Found@3" in said
    assert not imported(folder)


@pytest.mark.slow
@pytest.mark.parametrize("forged", ["profiles", "measures"])
def test_what_a_stranger_writes_into_a_result_imports_nothing(
    forged: str, folder: Path, tmp_path: Path
) -> None:
    """A result that names what is installed here, and records nothing of it; of an output, none
    ever does."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    shutil.copytree(copy / "result", copy / "forged")
    manifest = json.loads((copy / "result" / "manifest.json").read_text(encoding="utf-8"))
    added = {kind: names for kind, names in manifest["added"].items() if kind != forged}
    resealed(copy / "forged", added=added)
    imported(copy)
    reports = [f"report {name} --section verdict" for name in ("forged", "result")]
    said = done(copy, *reports, code=3)
    assert "forged/" in said
    assert "plain was not written" in said
    assert said.endswith("codes: 3 0\n")
    assert not imported(copy)


@pytest.mark.slow
def test_a_package_that_cannot_be_imported_is_one_line(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / "site" / "our_package" / "scoring.py").write_text("1 / 0\n")
    score = "score result/runs/words.trec --qrels qrels.txt -m Found@3"
    said = done(copy, score, "validate added.yaml", code=2)
    failed = "measure 'Found' of the package our-package cannot be imported: ZeroDivisionError"
    first, second = said.split("added.yaml:1:1: the ")
    assert failed in first
    assert failed in second
    assert "codes: 2 2" in second
