"""``--language ko``: what a command prints is Korean throughout."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ragscore.cli import main
from ragscore.encoders import ENCODERS
from ragscore.executors import EXECUTORS
from ragscore.formats import FORMATS, RUN_FORMATS
from ragscore.measures import MEASURES
from ragscore.plugins import Catalogue
from ragscore.report.options import OUTPUTS
from ragscore.report.sections import SECTIONS
from ragscore.results import open_result
from ragscore.retrievers import RETRIEVERS
from ragscore.retrievers.fusion_methods import METHODS
from ragscore.text import TOKENIZERS
from tests.factories import results
from tests.factories.invented_language import written

HANGUL = re.compile("[가-힣]")
LISTED: dict[str, Catalogue[Any]] = {
    "measures": MEASURES,
    "retrievers": RETRIEVERS,
    "fusion-methods": METHODS,
    "encoders": ENCODERS,
    "executors": EXECUTORS,
    "formats": FORMATS,
    "run-formats": RUN_FORMATS,
    "tokenizers": TOKENIZERS,
    "sections": SECTIONS,
    "outputs": OUTPUTS,
}


@pytest.mark.parametrize("kind", LISTED)
def test_each_line_of_a_list_is_korean(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", kind, "--language", "ko"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert main(["list", kind]) == 0
    english = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [line.split()[0] for line in english]
    assert all(map(HANGUL.search, lines))
    assert not any(map(HANGUL.search, english))
    assert [line for line in english if len(line.split()) == 1] == [], "it has no docstring"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    run, qrels = tmp_path / "some.run", tmp_path / "some.qrels"
    run.write_text("".join(f"q Q0 {p} 1 {9 - n} x\n" for n, p in enumerate("axbyz")))
    qrels.write_text("".join(f"q 0 {p} 1\n" for p in "abc") + "r 0 a 1\n")
    return str(run), str(qrels)


def test_scores_in_both_languages(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    run, qrels = files
    given = ["score", run, "--qrels", qrels, "-m", "RR", "-m", "R@2", "--per-query"]
    assert main(given) == 0
    assert capsys.readouterr() == (
        "some\n"
        "query     RR    R@2  Judged@2\n"
        "q      1.000  0.333     0.500\n"
        "r      0.000  0.000     0.000\n"
        "\n"
        "some.qrels: 2 queries averaged\n"
        "run     mRR    R@2  Judged@2\n"
        "some  0.500  0.167     0.250\n",
        "note: some: 1 of 2 judged queries are not in the run; they score 0 (--missing drop leaves "
        "them out)\n",
    )
    assert main([*given, "--language", "ko"]) == 0
    assert capsys.readouterr() == (
        "some\n"
        "질의     RR    R@2  Judged@2\n"
        "q     1.000  0.333     0.500\n"
        "r     0.000  0.000     0.000\n"
        "\n"
        "some.qrels: 질의 2개의 평균\n"
        "검색 결과    mRR    R@2  Judged@2\n"
        "some       0.500  0.167     0.250\n",
        "참고: some: 정답 라벨이 있는 질의 2개 중 1개는 검색 결과에 없어 0점입니다"
        "(--missing drop 옵션은 "
        "이들을 뺍니다)\n",
    )


def test_reconcile_in_korean(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reconcile", *files, "-m", "RR@5", "--value", "0.5", "--language", "ko"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("여기서 RR@5 값은 0.500000, 보고된 값은 0.5\n")


SENTENCE = re.compile(r"[A-Za-z][a-z]+(?:[ ,]+[a-z]{2,}){2,}")
"""Three English words in a row; names, measures and options are no such row."""
NO_PROSE = re.compile(r"ragscore run .*|  .*|[\w.-]+ *( n |[a-z0-9]+, ).*")
"""A command line, what a measure's class says in English (moved in), and rows of names."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three retrievers on a dataset with tags and unanswerable queries."""
    return results.small(tmp_path_factory.mktemp("small"))


@pytest.mark.parametrize(
    "arguments",
    [
        "compare {result}",
        "compare {result} --all-pairs --slices tags -m nDCG@10 -m R@10 -m MR",
        "tune {result}",
        "tune {result} --by score --rule precision --target 0.6",
        "tune {result} --budget 300",
        "power {result} --difference 0.03",
        "power {root}/datasets/harbour-tenancy --cluster topic",
        "show {result}",
        "explain nDCG(gain=exp)@5",
        "list results {result}/..",
        "run {result}/experiment.yaml --set report=false --output {folder}/again",
        "stage encode {result}/experiment.yaml --memory 4GB --store {folder}/store --dry-run",
    ],
)
def test_a_command_prints_no_english_sentence(
    arguments: str, small: Path, root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = arguments.format(result=small, root=root, folder=tmp_path).split()
    assert main([*given, "--language", "ko"]) in (0, 1)
    out, err = capsys.readouterr()
    assert HANGUL.search(out)
    english = [
        line
        for line in f"{out}\n{err}".splitlines()
        if SENTENCE.search(line) and not NO_PROSE.match(line)
    ]
    assert english == []


KOREAN_RENT = """
name: rent
dataset: data
retrievers: {english: {kind: bm25, tokenizer: english}}
measures: [R@1]
compare: false
"""


def test_the_notes_of_a_run_are_korean_and_its_manifest_is_english(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(
        tmp_path / "data",
        [
            {"id": "rent", "text": "임차인은 매달 1일에 월세를 낸다."},
            {"id": "pets", "text": "반려동물은 허락을 받고 기른다."},
        ],
        [{"id": "q", "text": "월세는 언제 내나요?"}],
        [{"query_id": "q", "passages": ["rent"]}],
    )
    experiment = tmp_path / "rent.yaml"
    experiment.write_text(KOREAN_RENT, encoding="utf-8")
    output = tmp_path / "out"
    given = ["run", str(experiment), "--output", str(output), "--no-cache"]
    assert main([*given, "--set", "report=false", "--language", "ko"]) == 0
    shown = capsys.readouterr().err
    assert "패시지는 한국어인데 'english' 토크나이저는" in shown
    assert "passages are Korean" not in shown
    assert "english 색인: 패시지 2개" in shown
    assert "searching" not in shown
    assert any("passages are Korean" in str(note) for note in open_result(output).notes)


@pytest.mark.parametrize(
    "command",
    [
        "run",
        "stage",
        "reduce",
        "compare",
        "tune",
        "score",
        "power",
        "show",
        "report",
        "list",
        "explain",
        "reconcile",
        "check",
    ],
)
def test_every_command_that_prints_prose_takes_a_language(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--help"]) == 0
    assert "--language <en|ko>" in capsys.readouterr().out
