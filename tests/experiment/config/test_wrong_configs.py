"""Wrong configs: one clear message for each fault, at its place, with the remedy."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

import pytest

from ragscore.errors import ConfigError, Problem
from ragscore.experiment import load_experiment, validate_experiment
from ragscore.measures import TABLE, F
from tests.factories.house import GOOD, JARGON, Write

MEASURES = ", ".join("F1" if family is F else family.name for family in TABLE)


def bm25(*lines: str, dataset: str = "statutes") -> str:
    """An experiment of one retriever with lines of options; they begin in line 5, column 5."""
    options = "".join(f"    {line}\n" for line in lines)
    return f"dataset: {dataset}\nretrievers:\n  bm25:\n    kind: bm25\n{options}"


# A config, and the message it gets.
CASES: dict[str, tuple[str | bytes, str]] = {
    "typo in an option": (
        bm25("k: 1.2"),
        "x.yaml:5:5: retrievers.bm25.k: unknown key. Did you mean 'k1'? Allowed: kind, "
        "variant, k1, b, delta, tokenizer, fields",
    ),
    "wrong type": (
        bm25("k1: high"),
        "x.yaml:5:9: retrievers.bm25.k1: the text 'high' where a number is expected",
    ),
    "number in quotes": (
        bm25("k1: '0.9'"),
        "x.yaml:5:9: retrievers.bm25.k1: the text '0.9' where a number is expected. Write "
        "0.9 without quotes",
    ),
    "true for a number": (
        bm25("b: true"),
        "x.yaml:5:8: retrievers.bm25.b: true where a number is expected",
    ),
    "out of range": (
        bm25("b: 3"),
        "x.yaml:5:8: retrievers.bm25.b: the number 3 is too large. It must be at most 1",
    ),
    "unknown variant": (
        bm25("variant: luscene"),
        "x.yaml:5:14: retrievers.bm25.variant: unknown value 'luscene'. Did you mean "
        "'lucene'? Allowed: lucene, robertson, atire, bm25l, bm25+",
    ),
    "unknown tokenizer": (
        bm25("tokenizer: {kind: snowbal}"),
        "x.yaml:5:23: retrievers.bm25.tokenizer.kind: unknown kind 'snowbal'. Did you mean "
        "'snowball'? Allowed: snowball, words, none, korean",
    ),
    "options that do not fit together": (
        bm25("delta: 1"),
        "x.yaml:3:3: retrievers.bm25: delta has no meaning in the variant lucene. Leave it "
        "out, or choose variant: bm25l or bm25+",
    ),
    "text for a list": (
        bm25("fields: title"),
        "x.yaml:5:13: retrievers.bm25.fields: the text 'title' where a list is expected. "
        "Write [title]",
    ),
    "key twice": (
        bm25("k1: 1", "b: 0", "k1: 2"),
        "x.yaml:7:5: retrievers.bm25.k1: the key is there twice, first in line 5, column 5. "
        "Keep one of the two",
    ),
    "python object": (
        bm25("k1: !!python/object/apply:os.system [ls]"),
        "x.yaml:5:9: retrievers.bm25.k1: the tag !!python/object/apply:os.system: a "
        "configuration is plain data. Leave out the tag, and write text, numbers, lists or "
        "keys with values",
    ),
    "tag of one's own": (
        bm25("k1: !env K1"),
        "x.yaml:5:9: retrievers.bm25.k1: the tag !env: a configuration is plain data. Leave "
        "out the tag, and write text, numbers, lists or keys with values",
    ),
    "merge key": (
        bm25("<<: {k1: 2}"),
        "x.yaml:5:5: retrievers.bm25.<<: merge keys are not supported. Write out the keys, "
        "or use an alias for a whole value",
    ),
    "tab": (
        bm25("k1: 1") + "\tb: 1\n",
        "x.yaml:6:1: a tab in the indentation. Indent with spaces",
    ),
    "open bracket": (
        GOOD + "measures: [P@1, R@1\n",
        "x.yaml:4:11: not YAML: the list that begins here with [ never ends. Add ']' or ','",
    ),
    "open quote": (
        GOOD + "description: 'it\n",
        "x.yaml:4:14: not YAML: text in quotes that begins here never ends. Add the closing quote",
    ),
    "colon in text": (
        GOOD + "description: note: this\n",
        "x.yaml:4:18: not YAML: ': ' where no key can be. Put text that holds ': ' in "
        "quotes; a key in the line above needs ': ' with its space",
    ),
    "bad indentation": (
        "dataset: statutes\n retrievers:\n  a: 1\n",
        "x.yaml:2:12: not YAML: ': ' where no key can be. Put text that holds ': ' in "
        "quotes; a key in the line above needs ': ' with its space",
    ),
    "two documents": (
        GOOD + "---\nname: b\n",
        "x.yaml:4:1: a second document begins here. One file holds one experiment",
    ),
    "a list": (
        "- statutes\n- bm25\n",
        "x.yaml:1:1: a list where an experiment is expected. Write keys with values: "
        "dataset: ..., retrievers: ...",
    ),
    "empty": (
        "# nothing yet\n",
        "x.yaml: empty. An experiment names at least a dataset and its retrievers",
    ),
    "alias without anchor": (
        "dataset: *statutes\n",
        "x.yaml:1:10: the alias *statutes has no anchor &statutes before it. Quote the text, "
        "or write the anchor &statutes first",
    ),
    "Latin-1": (
        GOOD.encode() + b"description: caf\xe9\n",
        "x.yaml:4:17: not UTF-8: the byte 0xE9. Save the file as UTF-8; it may be Latin-1 or "
        "another older encoding",
    ),
    "UTF-16": (
        GOOD.encode("utf-16"),
        "x.yaml: UTF-16, not UTF-8. Save the file as UTF-8",
    ),
    "control character": (
        GOOD + "description: a\x1b[31mb\n",
        "x.yaml:4:15: the character U+001B, which text cannot hold. Delete it: it is "
        "invisible in most editors",
    ),
    "a bare no": (
        GOOD + "strict: no\n",
        "x.yaml:4:9: strict: no without quotes is read as false by some YAML tools. Write "
        "false, or 'no' with quotes for the text",
    ),
    "a bare on as a name": (
        GOOD + "  on: {kind: bm25}\n",
        "x.yaml:4:3: retrievers.on: on without quotes is read as true by some YAML tools. "
        "Write true, or 'on' with quotes for the text",
    ),
    "a number as a name": (
        GOOD + "  2024: {kind: bm25}\n",
        "x.yaml:4:3: retrievers.2024: the key is not text. Write '2024' with quotes",
    ),
    "a date as text": (
        GOOD + "description: 2024-01-31\n",
        "x.yaml:4:14: description: 2024-01-31 without quotes is read as a date by some YAML "
        "tools. Write '2024-01-31' with quotes for the text",
    ),
    "a number as text": (
        GOOD + "description: 7\n",
        "x.yaml:4:14: description: the number 7 where text is expected. Write it in quotes",
    ),
    "not a number": (
        bm25("k1: .nan"),
        "x.yaml:5:9: retrievers.bm25.k1: .nan, which is not finite. Write a finite number",
    ),
    "unknown kind": (
        GOOD + "  b: {kind: bm52}\n",
        "x.yaml:4:13: retrievers.b.kind: unknown kind 'bm52'. Did you mean 'bm25'? Allowed: "
        "bm25, faiss, fusion, recorded, custom",
    ),
    "no kind": (
        GOOD + "  b: {k1: 1}\n",
        "x.yaml:4:3: retrievers.b.kind: missing. Allowed: bm25, faiss, fusion, recorded, custom",
    ),
    "kind in the place of options": (
        GOOD + "  b: bm25\n",
        "x.yaml:4:6: retrievers.b: the text 'bm25' where a mapping of keys with values is "
        "expected. Write {kind: bm25}",
    ),
    "nothing after a name": (
        GOOD + "  b:\n",
        "x.yaml:4:3: retrievers.b: nothing where a mapping of keys with values is expected. "
        "Write {kind: ...} with one of bm25, faiss, fusion, recorded, custom",
    ),
    "missing option": (
        GOOD + "  b: {kind: faiss}\n",
        "x.yaml:4:3: retrievers.b.encoder: missing. Add it: What turns texts into vectors: "
        "`minilm`, or `{kind: ..., ...}`.",
    ),
    "option of an encoder": (
        GOOD + "  b:\n    kind: faiss\n    encoder: {kind: minilm, batchsize: 8}\n",
        "x.yaml:6:29: retrievers.b.encoder.batchsize: unknown key. Did you mean "
        "'batch_size'? Allowed: kind, query_prompt, passage_prompt, batch_size, device, "
        "dtype, max_length",
    ),
    "metric": (
        GOOD + "  b: {kind: faiss, encoder: minilm, metric: cos}\n",
        "x.yaml:4:45: retrievers.b.metric: unknown value 'cos'. Did you mean 'cosine'? "
        "Allowed: cosine, ip, l2",
    ),
    "name that names no file": (
        GOOD + "  a/b: {kind: bm25}\n",
        "x.yaml:4:3: retrievers.a/b: a name that cannot name files. A name is 1 to 64 of A-Z "
        "a-z 0-9 가-힣 . _ -",
    ),
    "name with a dot at the end": (
        GOOD + "  ..: {kind: bm25}\n",
        'x.yaml:4:3: retrievers."..": a name that ends in a dot cannot name files. Drop the dot',
    ),
    "name that Windows reserves": (
        GOOD + "  con: {kind: bm25}\n",
        "x.yaml:4:3: retrievers.con: Windows reserves this name. Write con-1 or so",
    ),
    "names but for case": (
        GOOD + "  BM25: {kind: bm25}\n",
        "x.yaml:4:3: retrievers.BM25: the name is 'bm25' but for upper and lower case. Give "
        "it another: names of retrievers name files",
    ),
    "a dataset named as the average is": (
        "datasets: [statutes, {path: statutes, name: Average}]\nretrievers: {bm25: {kind: bm25}}\n",
        "x.yaml:1:22: datasets[1]: a dataset named 'Average', as the average over the datasets is "
        "in tables. Give it another name: {path: ..., name: ...}",
    ),
    "decomposed Hangul": (
        GOOD + unicodedata.normalize("NFD", "  형태소: {kind: bm25}\n"),
        "x.yaml:4:3: retrievers.형태소: a name that cannot name files. Its Hangul is "
        "decomposed (NFD): type it anew",
    ),
    "fusion of an unknown": (
        GOOD + "  f: {kind: fusion, retrievers: [bm25, bm52]}\n",
        "x.yaml:4:40: retrievers.f.retrievers[1]: no retriever is named 'bm52'. Did you mean "
        "'bm25'? Allowed: bm25",
    ),
    "fusion of one": (
        GOOD + "  f: {kind: fusion, retrievers: [bm25]}\n",
        "x.yaml:4:33: retrievers.f.retrievers: only 1. At least 2 are needed",
    ),
    "cycle": (
        GOOD + "  f: {kind: fusion, retrievers: [bm25, g]}\n"
        "  g: {kind: fusion, retrievers: [bm25, f]}\n",
        "x.yaml:4:40: retrievers.f.retrievers[1]: it is built on itself: f -> g -> f. A "
        "retriever may name only others that do not name it",
    ),
    "fusion of itself": (
        GOOD + "  f: {kind: fusion, retrievers: [bm25, f]}\n",
        "x.yaml:4:40: retrievers.f.retrievers[1]: it is built on itself: f -> f. A retriever "
        "may name only others that do not name it",
    ),
    "unknown measure": (
        GOOD + "measures: [nDGC@10]\n",
        "x.yaml:4:12: measures[0]: unknown measure 'nDGC' in 'nDGC@10'. Did you mean 'nDCG'? "
        f"Allowed: {MEASURES}",
    ),
    "measure without cutoff": (
        GOOD + "measures: [P]\n",
        "x.yaml:4:12: measures[0]: P needs a cutoff. Write P@10, or P@depth for all recorded",
    ),
    "measure twice": (
        GOOD + "measures: [AP@10, MAP@10]\n",
        "x.yaml:4:19: measures[1]: AP@10 is there twice, first as measures[0]. Drop one of the two",
    ),
    "no measures": (
        GOOD + "measures: []\n",
        "x.yaml:4:11: measures: empty. At least one is needed",
    ),
    "cutoff above depth": (
        GOOD + "depth: 5\nmeasures: [P@5, P@10]\n",
        "x.yaml:5:17: measures[1]: the cutoff 10 is above the depth 5. Write depth: 10, or a "
        "cutoff up to 5",
    ),
    "default cutoff above depth": (
        GOOD + "depth: 5\n",
        "x.yaml:4:8: depth: depth 5 is less than the cutoff 10 of the default measures. "
        "Write depth: 10 or more, or name measures",
    ),
    "depth of none": (
        GOOD + "depth: 0\n",
        "x.yaml:4:8: depth: the number 0 is too small. It must be at least 1",
    ),
    "depth in parts": (
        GOOD + "depth: 7.5\n",
        "x.yaml:4:8: depth: the number 7.5 where a whole number is expected",
    ),
    "latency": (
        GOOD + "latency: 20\n",
        "x.yaml:4:10: latency: the number 20 where a mapping of keys with values or false is "
        "expected",
    ),
    "latency of no queries": (
        GOOD + "latency: {queries: 0}\n",
        "x.yaml:4:20: latency.queries: the number 0 is too small. It must be at least 1",
    ),
    "unknown key": (
        GOOD + "retriever: {}\n",
        "x.yaml:4:1: retriever: unknown key. Did you mean 'retrievers'? Allowed: dataset, "
        "name, description, datasets, retrievers, measures, profile, bounds, depth, latency, "
        "compare, tune, report, output, strict",
    ),
    "bad name": (
        GOOD + "name: my test\n",
        "x.yaml:4:7: name: a name that cannot name files. A name is 1 to 64 of A-Z a-z 0-9 "
        "가-힣 . _ -",
    ),
    "no dataset": (
        "retrievers:\n  bm25: {kind: bm25}\n",
        "x.yaml:1:1: dataset: missing. Add it: the folder of a dataset",
    ),
    "no retrievers": (
        "dataset: statutes\n",
        "x.yaml:1:1: retrievers: missing. Add it: What is compared, by name.",
    ),
    "empty retrievers": (
        "dataset: statutes\nretrievers: {}\n",
        "x.yaml:2:13: retrievers: empty. At least one is needed",
    ),
    "both datasets": (
        GOOD + "datasets: [statutes]\n",
        "x.yaml:4:1: datasets: both dataset and datasets are given. Keep one: dataset for "
        "one, datasets for a list of them",
    ),
    "dataset that is not there": (
        bm25(dataset="statues"),
        "x.yaml:1:10: dataset: statues: there is no such folder. Did you mean 'statutes'?",
    ),
    "dataset that is a number": (
        bm25(dataset="3"),
        "x.yaml:1:10: dataset: the number 3 where text or a mapping of keys with values is "
        "expected",
    ),
    "dataset option": (
        bm25(dataset="{path: statutes, dropself: true}"),
        "x.yaml:1:27: dataset.dropself: unknown key. Did you mean 'drop_self'? Allowed: "
        "path, format, name, split, allow_missing, drop_self, passages, queries, "
        "ground_truth, columns, "
        "encoding, delimiter, ids",
    ),
    "the same dataset twice": (
        "datasets: [statutes, statutes]\nretrievers:\n  a: {kind: bm25}\n",
        "x.yaml:1:22: datasets[1]: a second dataset named 'statutes'. Give it a name of its "
        "own: {path: ..., name: ...}",
    ),
    "run that is not there": (
        GOOD + "  old: {kind: recorded, run: old.trec}\n",
        "x.yaml:4:30: retrievers.old.run: no such file: FOLDER/old.trec. Name a run "
        "file: ragscore list run-formats shows their formats",
    ),
    "vectors that are not there": (
        GOOD + "  b:\n    kind: faiss\n"
        "    encoder: {kind: precomputed, passages: p.npy, queries: p.npy}\n",
        "x.yaml:6:44: retrievers.b.encoder.passages: FOLDER/p.npy: there is no such file",
    ),
    "faiss index": (
        GOOD + "  b: {kind: faiss, encoder: minilm, index: Flatt}\n",
        "x.yaml:4:44: retrievers.b.index: 'Flatt' is not a FAISS factory string. Examples: "
        "Flat, IVF256,Flat, HNSW32, IVF256,PQ48, SQ8",
    ),
    "custom that is not there": (
        GOOD + "  b: {kind: custom, use: nowhere_to_be:Found}\n",
        "x.yaml:4:26: retrievers.b.use: there is no module 'nowhere_to_be' in FOLDER or "
        "among the installed packages. Check the spelling, install its package, or name its "
        "folder under folder",
    ),
    "custom that is a file": (
        GOOD + "  b: {kind: custom, use: mine.py:Found}\n",
        "x.yaml:4:26: retrievers.b.use: 'mine.py:Found' names a file. Write the module: "
        "mine:Found, and its folder under folder",
    ),
}


def first_lines(problems: list[Problem], folder: Path) -> list[str]:
    return [str(problem).splitlines()[0].replace(str(folder), "FOLDER") for problem in problems]


@pytest.mark.parametrize("case", CASES)
def test_one_clear_message(case: str, write: Write, tmp_path: Path) -> None:
    config, message = CASES[case]
    problems = validate_experiment(write(config))
    assert first_lines(problems, tmp_path) == [message]
    assert not JARGON.search(message)


@pytest.mark.parametrize("case", CASES)
def test_the_caret_stands_under_the_place(case: str, write: Write) -> None:
    config, message = CASES[case]
    place = re.match(r"x\.yaml:(\d+):(\d+): ", message)
    if place is None:
        return  # nothing of the file can be shown: it is empty, or in another encoding
    line, column = int(place[1]), int(place[2])
    text = config if isinstance(config, str) else config.decode("utf-8", "replace")
    shown = text.splitlines()[line - 1].replace("\t", "→").replace("\x1b", "�")
    [problem] = validate_experiment(write(config))
    above, below = problem.excerpt.splitlines()
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
        "Allowed: kind, variant, k1, b, delta, tokenizer, fields",
        "x.yaml:3:33: retrievers.bm25.b: the text 'high' where a number is expected",
        "x.yaml:4:17: retrievers.dense.kind: unknown kind 'fais'. Did you mean 'faiss'? "
        "Allowed: bm25, faiss, fusion, recorded, custom",
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
    assert problem.what == "larger than 1 MiB, which no experiment is"


def test_a_bom_is_tolerated(write: Write) -> None:
    assert validate_experiment(write(b"\xef\xbb\xbf" + GOOD.encode())) == []
