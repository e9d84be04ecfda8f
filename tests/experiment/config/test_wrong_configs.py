"""Wrong configs: one clear message for each fault, at its place, with the remedy."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ragscore.errors import ConfigError, Problem
from ragscore.experiment import load_experiment, validate_experiment
from tests.factories.house import GOOD, JARGON, Write
from tests.factories.wrong_experiments import EXPERIMENT_CASES, KINDS, MEASURES, OPTIONS_OF_BM25
from tests.factories.wrong_yaml import YAML_CASES

CASES = YAML_CASES | EXPERIMENT_CASES
"""A config, and the message it gets."""


def first_lines(problems: list[Problem], folder: Path) -> list[str]:
    return [str(problem).splitlines()[0].replace(str(folder), "FOLDER") for problem in problems]


@pytest.mark.parametrize("case", CASES)
def test_one_clear_message_with_a_caret_under_the_place(
    case: str, write: Write, tmp_path: Path
) -> None:
    config, message = CASES[case]
    problems = validate_experiment(write(config))
    assert first_lines(problems, tmp_path) == [message]
    assert not JARGON.search(message)
    place = re.match(r"x\.yaml:(\d+):(\d+): ", message)
    if place is None:
        return  # nothing of the file can be shown: it is empty, or in another encoding
    line, column = int(place[1]), int(place[2])
    text = config if isinstance(config, str) else config.decode("utf-8", "replace")
    shown = text.splitlines()[line - 1].replace("\t", "→").replace("\x1b", "�")
    above, below = problems[0].excerpt.splitlines()
    assert above == f"{line:5} | {shown}"
    assert below == " " * 5 + " | " + " " * (column - 1) + "^"


def test_all_faults_at_once_in_the_order_of_the_file(write: Write, tmp_path: Path) -> None:
    path = write(
        "dataset: statues\n"
        "retrievers:\n"
        "  bm25: {kind: bm25, k: 1.2, b: high}\n"
        "  dense: {kind: fais}\n"
        "  both: {kind: fusion, retrievers: [bm25, dens]}\n"
        "measures: [nDGC@10]\n"
    )
    problems = validate_experiment(path)
    assert first_lines(problems, tmp_path) == [
        "x.yaml:1:10: dataset: statues: there is no such folder. Did you mean 'statutes'?",
        "x.yaml:3:22: retrievers.bm25.k: unknown key. Did you mean 'k1'? "
        f"Allowed: kind, {OPTIONS_OF_BM25}",
        "x.yaml:3:33: retrievers.bm25.b: the text 'high' where a number is expected",
        "x.yaml:4:17: retrievers.dense.kind: unknown kind 'fais'. Did you mean 'faiss'? "
        f"Allowed: {KINDS}",
        "x.yaml:5:43: retrievers.both.retrievers[1]: no retriever is named 'dens'. "
        "Did you mean 'dense'? Allowed: bm25, dense",
        "x.yaml:6:12: measures[0]: unknown measure 'nDGC' in 'nDGC@10'. Did you mean 'nDCG'? "
        f"Allowed: {MEASURES}",
    ]
    with pytest.raises(ConfigError) as caught:
        load_experiment(path)
    assert list(caught.value.problems) == problems
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("x.yml", "x.yml: no such file. Did you mean 'x.yaml'?"),
        ("statutes", "statutes: a folder, where the YAML file of an experiment is expected. "
         "No YAML file is in statutes"),
        ("nowhere/x.yaml", "nowhere/x.yaml: no such file. There is no folder nowhere either"),
        ("a\0b", "'a\\x00b': not a file name: it holds a NUL character"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read(path: str, message: str, write: Write) -> None:
    write(GOOD)
    assert first_lines(validate_experiment(Path(path)), Path("/nowhere")) == [
        message.replace("nowhere/", f"nowhere{os.sep}")
    ]


def test_a_file_too_large_for_an_experiment(write: Write) -> None:
    [problem] = validate_experiment(write("# corpus\n" * 200_000))
    assert problem.what == "larger than 1 MiB, too large for an experiment"


def test_a_bom_is_tolerated(write: Write) -> None:
    assert validate_experiment(write(b"\xef\xbb\xbf" + GOOD.encode())) == []
