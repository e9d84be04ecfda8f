"""Ten results and all that ragscore shows of them, the same on every machine.

``python -m tests.golden.houses --write`` writes ``digests.txt`` anew, a line for each result,
output and language; ``python -m tests.golden.houses FOLDER`` writes the texts themselves, so that
``diff -r`` of the folders of two commits shows what a digest stands for.

What a machine decides is replaced where a result keeps it: times, sizes of indexes, versions,
paths. What is left are last bits, which go with the ninth digit of long numbers and with the
decimals of pictures.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ragscore import load_experiment, make_report, open_result, run_experiment
from ragscore.elements import as_text
from ragscore.names import LANGUAGES
from ragscore.report.explorer.packing import unpacked
from ragscore.results import Result
from ragscore.version import __version__
from tests.factories.command import run as ragscore
from tests.factories.invented_language import Row, written
from tests.factories.manifests import resealed, write_manifest
from tests.factories.results import DATASETS

DIGESTS = Path(__file__).parent / "digests.txt"
DIMENSIONS = 48
FORMATS = ("html", "markdown", "latex", "csv")
ENGINE = "{kind: bm25, tokenizer: english}"
DENSE = "{kind: faiss, metric: ip, encoder: {kind: precomputed, passages: p.npy, queries: q.npy}}"
PAIR = f"retrievers:\n  bm25: {ENGINE}\n  dense: {DENSE}\n"
THREE = f"{PAIR}  hybrid: {{kind: fusion, retrievers: [bm25, dense]}}\n"
HARBOUR = "dataset: harbour\n"
SHORT = "measures: [nDCG@10, R@5]\n"
CONFIGS = {
    "plain": HARBOUR
    + THREE
    + "measures: [nDCG@10, mAP@10, MR, R@5, R@depth]\ncompare: {slices: [kind], all_pairs: true}\n"
    "tune: {rule: recall, target: 0.5}\n",
    "sweep": HARBOUR + THREE + SHORT + "sweep:\n  bm25: {k1: [0.6, 1.2, 2.0], b: [0.3, 0.9]}\n"
    "  hybrid: {weights: [[1, 1], [1, 3]]}\n",
    "gate": HARBOUR
    + "retrievers:\n  bm25: {kind: bm25, tokenizer: words}\n"
    + f"  dense: {DENSE}\n"
    + SHORT
    + "gate:\n  max_drop: {nDCG@10: 0.05}\n  min: {R@5: 0.2}\n  by: [kind]\n"
    "  baseline: baseline.json\n",
    "needs": "dataset: {path: harbour, ground_truth: ground_truth_needs.jsonl}\n"
    + THREE
    + "measures: [Complete(relevant_from=2)@5, R(relevant_from=2)@10, nDCG@10]\n",
    "forbidden": "dataset: {path: harbour, ground_truth: ground_truth_forbidden.jsonl}\n"
    + PAIR
    + "measures: [nDCG@10, Leak@5, LeakCount@10]\n",
    "evidence": "dataset:\n  path: harbour\n  documents: documents\n"
    "  ground_truth: ground_truth_evidence.jsonl\n"
    "retrievers:\n"
    "  sections: {kind: bm25, chunk: {kind: paragraphs, size: 1, unit: paragraphs}}\n"
    "  characters: {kind: bm25, chunk: {kind: characters, size: 600, overlap: 150}}\n"
    "measures: [Complete@5, nDCG@10, SpanR@5, SpanP@5]\n",
    "several": "datasets: [harbour, handbook]\n"
    "retrievers:\n  bm25: {kind: bm25, tokenizer: words}\n"
    "  short-first: {kind: bm25, tokenizer: words, k1: 0.6, b: 1.0}\n" + SHORT,
    "after": "dataset: later\n"
    f"retrievers:\n  bm25: {{kind: bm25, tokenizer: words}}\n  dense: {DENSE}\n  new: {ENGINE}\n"
    + SHORT,
    "failed": HARBOUR
    + f"retrievers:\n  bm25: {ENGINE}\n  broken: {{kind: custom, use: 'broken:Broken'}}\n"
    "  outside: {kind: command, command: [PYTHON, outside.py], retries: 0, max_errors: 0.5}\n"
    + SHORT,
    "one": HARBOUR + f"retrievers:\n  bm25: {ENGINE}\n" + SHORT,
}
"""By result, its experiment."""
BEFORE = {"after": "plain"}
"""By result, the earlier one that it is compared with."""
SAID: dict[str, tuple[tuple[str, ...], ...]] = {
    "plain": (
        ("tune", "plain", "--rule", "precision", "--target", "0.3"),
        ("power", "plain"),
    ),
    "gate": (("gate", "gate", "--max", "p95_ms=200"),),
    "after": (("changes", "plain", "after"),),
}
"""By result, what is asked of it besides."""
CODE = {
    "broken.py": """
class Broken:
    def index(self, corpus):
        raise ValueError("no index was built")
    def retrieve(self, queries, k):
        return [[] for query in queries]
""",
    "outside.py": """
import json, sys
ids = [json.loads(line)["id"] for line in open("harbour/passages.jsonl", encoding="utf-8")]
for line in sys.stdin:
    asked = json.loads(line)
    number = int(asked["id"][1:])
    answer = {"ids": ids[number : number + asked["k"]]}
    if number % 7 == 0:
        answer = {"error": "the index is locked"}
    print(json.dumps({"id": asked["id"], **answer}), flush=True)
""",
}
FIXED = {
    "created": "2026-01-02T03:04:05+00:00",
    "command": ["ragscore", "run", "experiment.yaml"],
    "config_digest": "0" * 64,
    "versions": {"ragscore-eval": __version__, "numpy": "2.0"},
    "machine": {"platform": "any", "processor": "any", "cores": 2, "python": "3.11"},
}
"""What a manifest says instead of what it said."""
MEASURED = {
    "seconds": 0.25,
    "per_second": 800.0,
    "p50_ms": 2.0,
    "p95_ms": 5.0,
    "p99_ms": 8.0,
    "_ms": 3.0,
    "index_bytes": 81_920,
    "peak_bytes": 100_000_000,
}
"""By the end of its name, a measured number: more for each retriever after the first."""
FILE = re.compile(
    r'(?:data-v="\d+">)?\d[\d,]*([^0-9A-Za-z]{1,12}|</td>\s*<td class="text">)[0-9a-f]{64}'
)
"""Size and digest of a file, in every format: last bits, and the versions of libraries."""


def word_vector(word: str) -> np.ndarray:
    """Whole numbers from -128 to 127 that stand for a word: int64[DIMENSIONS]."""
    digest = hashlib.shake_128(word.encode()).digest(DIMENSIONS)
    return np.frombuffer(digest, np.uint8).astype(np.int64) - 128


def vectors(rows: list[Row]) -> np.ndarray:
    """Whole numbers for each text, so that products are exact: float32[n, DIMENSIONS]."""
    made = np.zeros((len(rows), DIMENSIONS), np.float32)
    for at, row in enumerate(rows):
        words = set(re.findall(r"\w{4,}", f"{row.get('title', '')} {row['text']}".lower()))
        total = sum(map(word_vector, sorted(words)), np.ones(DIMENSIONS, np.int64))
        made[at] = np.rint(total * (1000 / float(total @ total) ** 0.5))
    return made


def rows_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_data(folder: Path) -> None:
    """The datasets: every second query of the tenancy code, as it is and with other texts and
    judgments, and every third of the handbook."""
    for name, source, step in (
        ("harbour", "harbour-tenancy", 2),
        ("handbook", "insurer-handbook-ko", 3),
    ):
        place = DATASETS / source
        queries = rows_of(place / "queries.jsonl")[::step]
        asked = {query["id"] for query in queries}
        truth = {
            path.stem: [row for row in rows_of(path) if row["query_id"] in asked]
            for path in sorted(place.glob("ground_truth*.jsonl"))
        }
        passages = rows_of(place / "passages.jsonl")
        written(folder / name, passages, queries, truth["ground_truth"])
        for kind, rows in truth.items():
            lines = "".join(json.dumps(row) + "\n" for row in rows)
            (folder / name / f"{kind}.jsonl").write_text(lines, encoding="utf-8", newline="\n")
        if name == "harbour":
            np.save(folder / "p.npy", vectors(passages))
            np.save(folder / "q.npy", vectors(queries))
            later = [dict(row) for row in passages]
            for row in later[::9]:
                row["text"] += " Amended by the council in spring."
            written(folder / "later", later, queries, truth["ground_truth"][3:])
    for path in sorted((DATASETS / "harbour-tenancy" / "documents").rglob("*.md")):
        copy = folder / "harbour" / path.relative_to(DATASETS / "harbour-tenancy")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes().replace(b"\r\n", b"\n"))


def settled(value: Any, more: float = 1.0, name: str = "") -> Any:
    """A manifest's content with the numbers of ``MEASURED``."""
    match value:
        case dict():
            return {key: settled(one, more, key) for key, one in value.items()}
        case list():
            each = name in ("retrievers", "configurations")
            return [settled(one, 1 + at / 4 if each else more) for at, one in enumerate(value)]
        case int() | float() if not isinstance(value, bool):
            found = next((end for end in MEASURED if name.endswith(end)), None)
            return value if found is None else type(value)(MEASURED[found] * more)
    return value


def ran(name: str, folder: Path) -> Result:
    """The result of an experiment, run in a folder and then told what every machine would say."""
    (folder / f"{name}.yaml").write_text(
        f"name: {name}\n{CONFIGS[name]}depth: 20\nlatency: {{queries: 2}}\nreport: false\n".replace(
            "PYTHON", json.dumps(sys.executable)
        ),
        encoding="utf-8",
    )
    measured = folder / "measured" / name
    result = run_experiment(load_experiment(folder / f"{name}.yaml"), output=measured, cache=None)
    assert bool(result.failures) == (name == "failed"), result.failures
    here = re.compile(re.escape(str(folder)) + r"[\\/]")
    for path in (measured / "experiment.yaml", measured / "sweep.json", measured / "manifest.json"):
        if not path.exists():
            continue
        text = path.read_text(encoding="utf-8").replace(sys.executable, "python")
        text = text.replace(json.dumps(str(folder))[1:-1], str(folder))
        text = here.sub("", text).replace(str(folder), ".")
        if path.suffix == ".json":
            text = json.dumps(settled(json.loads(text)))
        path.write_text(text, encoding="utf-8", newline="\n")
    manifest = json.loads((measured / "manifest.json").read_text(encoding="utf-8"))
    write_manifest(measured, {**manifest, **FIXED})
    changed = [file for file in ("experiment.yaml", "sweep.json") if (measured / file).exists()]
    resealed(measured, *changed)
    open_result(measured).save(folder / name)
    return open_result(name)  # by a name that is the same everywhere


def steady(text: str) -> str:
    """A text without what differs from one machine to the next: see the module."""
    text = re.sub(rf"(?<![\d.]){re.escape(__version__)}(?![\d.])", "VERSION", text)
    text = FILE.sub(r"BYTES\1SHA", text)
    text = re.sub(r"-?\d+\.\d{9,}(?:e[-+]?\d+)?|-?\d+\.\d+e-\d+", nine_digits, text)
    return re.sub(r"<svg.*?</svg>", lambda found: coarse(found[0]), text, flags=re.DOTALL)


def nine_digits(found: re.Match[str]) -> str:
    value = float(f"{float(found[0]):.9g}")
    return repr(0.0 if abs(value) < 1e-12 else value)


def coarse(svg: str) -> str:
    """A picture whose places are whole pixels."""
    inside = re.compile(r'\b(?:d|x|y|x[12]|y[12]|width|height|points|transform)="[^"]*"')
    return inside.sub(lambda found: re.sub(r"(\d)\.\d+", r"\1", found[0]), svg)


def page_text(text: str) -> str:
    """A page with its payloads unpacked, an element a line, without styles and scripts."""
    text = re.sub(r"<(style|script)>.*?</\1>", r"<\1>", text, flags=re.DOTALL)
    text = re.sub(r'content="default-src[^"]*"', "", text)
    payload = re.compile(r'(<script [^>]*class="payload"[^>]*>)\s*([^<\s]+)\s*(?=</script>)')
    text = payload.sub(lambda found: found[1] + spread(unpacked(found[2])), text)
    return text.replace("><", ">\n<")


def spread(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True)


def manifest_text(text: str) -> str:
    """A manifest without digests of files, which hold last bits and the versions of libraries."""
    manifest = json.loads(text)
    manifest["files"] = sorted(manifest["files"])
    del manifest["digest"]
    return spread(manifest)


def texts_of(name: str, folder: Path, result: Result, before: Result | None) -> Mapping[str, str]:
    """By output and language what is shown of a result, and its files."""
    texts: dict[str, str] = {}
    for path in sorted((folder / name).glob("*.*")):
        if path.suffix != ".parquet":
            text = path.read_bytes().decode().replace("\r\n", "\n")
            texts[path.name] = manifest_text(text) if path.name == "manifest.json" else text
    runs = sorted((folder / name / "runs").rglob("*.trec"))
    texts["runs"] = "".join(path.read_text(encoding="utf-8") for path in runs)
    for language in LANGUAGES:
        report = make_report(result, before=before, language=language)
        place = folder / "reports" / name / language
        of_kind: dict[str, list[str]] = {kind: [] for kind in ("page", "md", "svg", "tex", "csv")}
        for file in report.write(place, FORMATS).files:
            text = (place / file).read_bytes().decode().replace("\r\n", "\n")
            kind = file.rpartition(".")[2]
            if kind == "html":
                of_kind["page"].append(page_text(text))
            else:
                of_kind[kind].append(f"== {file}\n{text}")
        shown = [as_text(result.elements(), language=language), report.text()]
        for arguments in SAID.get(name, ()):
            said = ragscore(*arguments, "--language", language, cwd=folder)
            shown.append(f"exit code {said.returncode}\n{said.stdout}{said.stderr}")
        of_kind["terminal"] = shown
        texts |= {f"{kind}.{language}": "\n".join(parts) for kind, parts in of_kind.items()}
    return texts


def houses(folder: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Each result by name, with its texts.

    Args:
        folder: an empty one to work in.
    """
    write_data(folder)
    for file, code in CODE.items():
        (folder / file).write_text(code, encoding="utf-8")
    made: dict[str, Result] = {}
    with chdir(folder):  # paths in results are relative to it
        for name in CONFIGS:
            made[name] = ran(name, folder)
            if name == "plain":
                saved = ragscore("baseline", "save", "plain", "-o", "baseline.json", cwd=folder)
                assert saved.returncode == 0, saved.stderr
            found = texts_of(name, folder, made[name], made.get(BEFORE.get(name, "")))
            yield name, {output: steady(text) for output, text in found.items()}


def written_texts(to: Path) -> list[str]:
    """Write each text as ``RESULT/OUTPUT.txt``.

    Returns:
        Their digests, a line each, sorted.
    """
    lines = []
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for name, texts in houses(Path(folder).resolve()):
            (to / name).mkdir(parents=True, exist_ok=True)
            for output, text in texts.items():
                content = text.encode("utf-8", "surrogatepass")
                (to / name / f"{output}.txt").write_bytes(content)
                lines.append(f"{name} {output} {hashlib.sha256(content).hexdigest()[:16]}")
    return sorted(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write digests.txt anew")
    parser.add_argument("folder", nargs="?", type=Path, help="write the texts here")
    given = parser.parse_args()
    with TemporaryDirectory() as scratch:
        lines = written_texts(given.folder or Path(scratch))
    if given.write:
        DIGESTS.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
