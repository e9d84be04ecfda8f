"""A catalogue is a language: one file more, and every option takes it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ragscore
from tests.factories.command import Ragscore

GERMAN = {
    "Retriever": "Suchverfahren",
    "queries that got nothing: {listed}": "Anfragen ohne Treffer: {listed}",
    "{summary} (also {names})": "{summary} (auch {names})",
}
EXPERIMENT = """\
dataset: data
retrievers: {bm25: {kind: bm25}, words: {kind: bm25, tokenizer: words}}
measures: [RR]
compare: {language: LANGUAGE}
report: {language: LANGUAGE, formats: [html]}
"""


@pytest.fixture
def german(tmp_path: Path) -> Ragscore:
    """``ragscore`` of a package that has a German catalogue, too."""
    package, copy = Path(ragscore.__file__).parent, tmp_path / "package" / "ragscore"
    (copy / "locale").mkdir(parents=True)
    for path in (*package.iterdir(), *(package / "locale").iterdir()):
        place = copy / path.relative_to(package)
        if not place.exists():
            place.symlink_to(path)
    (copy / "locale" / "de.json").write_text(json.dumps(GERMAN), encoding="utf-8")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "ragscore", *arguments],
            capture_output=True,
            encoding="utf-8",
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(copy.parent)},
            check=False,
        )

    return run


def test_a_file_is_a_language(german: Ragscore, tmp_path: Path) -> None:
    from ragscore import Dataset
    from ragscore.formats import write_dataset

    judged = {f"q{at}": [f"p{at}"] for at in range(4)}
    texts = {f"p{at}": f"berth{at}" for at in range(4)}
    asked = {f"q{at}": f"berth{at}" if at else "none" for at in range(4)}
    write_dataset(Dataset.from_rows(texts, asked, judged), tmp_path / "data")
    for language in ("de", "fr"):
        text = EXPERIMENT.replace("LANGUAGE", language)
        (tmp_path / f"{language}.yaml").write_text(text, encoding="utf-8")
    done = german("run", "de.yaml", "--output", "out")
    assert done.returncode == 0, done.stderr
    assert "Suchverfahren" in done.stdout
    assert "Anfragen ohne Treffer: bm25 1, words 1" in done.stdout
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert ' lang="de" ' in page
    assert "Suchverfahren" in page
    assert "Suchverfahren" not in german("show", "out", "--language", "en").stdout
    wrong = german("validate", "fr.yaml")
    assert wrong.returncode == 2
    assert "compare.language: unknown value 'fr'. Allowed: en, de, ko" in wrong.stderr
    wrong = german("show", "out", "--language", "fr")
    assert "'fr' is not one of 'en', 'de', 'ko'" in wrong.stderr
    assert "--language <en|de|ko>" in german("show", "--help").stdout
    schema = json.loads(german("schema").stdout)
    assert schema["$defs"]["CompareOptions"]["properties"]["language"]["enum"] == ["en", "de", "ko"]
    assert "(auch MRR, MeanReciprocalRank)" in german("list", "measures", "--language", "de").stdout
