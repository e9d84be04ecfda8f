"""No value of the environment that a config names is in anything that a command prints or writes,
also where the systems repeat it in every way."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.factories.command import run
from tests.factories.systems.echoing import PLACES, echoes, echoing_server

KEY = 's3cr/et "k&y"+=='
SECRETS = {
    "SEARCH_KEY": KEY,
    "SEARCH_LOGIN": "dXNlcjpwYSRzd29yZC0xMg==",  # user:pa$sword-12
    "SEARCH_PART": "s3cr/et",
    "SEARCH_SHORT": "zq7",
    "SEARCH_PATH": "tenant-forty-two",
}
HIDDEN = {
    form
    for value in (KEY, "pa$sword-12", "s3cr/et", "tenant-forty-two")
    for form in echoes(value)[:7]
} | {"s3cr", "k&y", "pa$sw", "forty-two"}
"""None of these may be seen, nor the beginning of one that was cut."""
RETRIEVER = """\
  {place}-{allowed}:
    kind: http
    url: "{url}/{place}?tenant=${{SEARCH_PATH}}"
    headers: {{X-Api-Key: "${{SEARCH_KEY}}", Authorization: "Basic ${{SEARCH_LOGIN}}"}}
    body: {{query: "{{query}}", key: "${{SEARCH_PART}} ${{SEARCH_SHORT}} ${{SEARCH_KEY}}"}}
    response: {{ids: "hits[*].id", scores: "hits[*].score"}}
    max_errors: {allowed}
    retries: 0
"""
PROGRAM = """\
  program:
    kind: command
    command: [sh, echo.sh]
    env: {KEY: "${SEARCH_KEY}", SHORT: "${SEARCH_SHORT}"}
    log: program.log
    max_errors: 4
    retries: 0
"""
# An error, an id, a log line, a line that is not JSON, and an end: each repeats the value.
ECHO = r"""
echo "starting with $KEY $SHORT" >&2
echo "starting with $KEY $SHORT"
while read -r line; do
  id=${line#*\"id\": \"}; id=${id%%\"*}
  escaped=$(printf %s "$KEY" | sed 's/"/\\"/g')
  case $id in
    q1) echo "{\"id\": \"$id\", \"error\": \"refused $escaped $SHORT\"}" ;;
    q2) echo "{\"id\": \"$id\", \"ids\": [\"$escaped\"]}" ;;
    q3) echo "{\"id\": \"$escaped\"}" ;;
    *) echo "ends with $KEY" >&2; exit 1 ;;
  esac
done
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    numbers = range(1, 5)
    rows = {
        "passages": [{"id": f"p{number}", "text": f"passage {number}"} for number in numbers],
        "queries": [{"id": f"q{number}", "text": f"passage {number}"} for number in numbers],
        "ground_truth": [{"query_id": f"q{at}", "passages": {f"p{at}": 1}} for at in numbers],
    }
    for name, lines in rows.items():
        (data / f"{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (tmp_path / "echo.sh").write_text(ECHO)
    return tmp_path / "experiment.yaml"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the program is for sh")
def test_no_value_is_printed_or_written(config: Path) -> None:
    folder = config.parent
    environment = {**SECRETS, "RAGSCORE_CACHE": str(folder / "cache")}
    with echoing_server() as url:
        # Queries that fail, and retrievers that do.
        wanted = [*((place, 4) for place in PLACES), ("status", 0), ("long", 0), ("line", 0)]
        retrievers = [RETRIEVER.format(place=at, url=url, allowed=most) for at, most in wanted]
        config.write_text(
            "dataset: data\nmeasures: [R@5]\nretrievers:\n"
            + "".join(retrievers)
            + PROGRAM
            + "gate: {min: {R@5: 0.9}}\ncompare: false\n"
        )
        printed = []
        for command in (
            ("validate", config),
            ("run", config, "--dry-run"),
            ("run", config, "--output", folder / "out", "--debug"),
            ("gate", folder / "out", "--format", "junit"),
            ("gate", folder / "out", "--format", "markdown"),
            ("show", folder / "out"),
        ):
            done = run(*command, cwd=folder, **environment)
            assert "unexpected" not in done.stderr, done.stderr
            printed += [done.stdout, done.stderr]
    files = [path for path in folder.rglob("*") if path.is_file() and path != config]
    assert (folder / "out" / "manifest.json") in files
    assert (folder / "program.log") in files
    texts = {str(path): path.read_bytes().decode("utf-8", "replace") for path in files}
    texts.update({f"printed {at}": text for at, text in enumerate(printed)})
    names = "\n".join(map(str, folder.rglob("*")))
    for where, text in {**texts, "names of files": names}.items():
        joined = re.sub(r"\s*\n[\s│|]*", "", text)  # what a terminal broke into lines
        for form in HIDDEN:
            assert form not in text, (where, form)
            assert form not in joined, (where, form)
        assert not re.search(r"\bzq7\b", text), where
    assert "starting with ${SEARCH_KEY} ${SEARCH_SHORT}" in (folder / "program.log").read_text()
    assert "${SEARCH_KEY}" in "\n".join(printed)
