"""YAML that is no experiment, and the message that each file gets."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from ragscore.experiment import validate_experiment
from ragscore.experiment.config.load_experiment import KEYS
from ragscore.measures import TABLE, F
from ragscore.retrievers import RETRIEVERS
from tests.factories.house import GOOD, Write

KINDS = ", ".join(RETRIEVERS.own)
OPTIONS_OF_BM25 = "variant, k1, b, delta, tokenizer, fields, chunk, filter, overfetch, collapse"
MEASURES = ", ".join("F1" if family is F else family.name for family in TABLE)


def bm25(*lines: str, dataset: str = "statutes") -> str:
    """An experiment of one retriever with lines of options; they begin in line 5, column 5."""
    options = "".join(f"    {line}\n" for line in lines)
    return f"dataset: {dataset}\nretrievers:\n  bm25:\n    kind: bm25\n{options}"


EXPERIMENT_CASES: dict[str, tuple[str | bytes, str]] = {
    "typo in an option": (
        bm25("k: 1.2"),
        "x.yaml:5:5: retrievers.bm25.k: unknown key. Did you mean 'k1'? Allowed: kind, "
        + OPTIONS_OF_BM25,
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
        "'snowball'? Allowed: snowball, words, none, ngrams, korean",
    ),
    "options that do not fit together": (
        bm25("delta: 1"),
        "x.yaml:5:12: retrievers.bm25.delta: delta has no meaning in the variant lucene. Leave it "
        "out, or choose variant: bm25l or bm25+",
    ),
    "text for a list": (
        bm25("fields: title"),
        "x.yaml:5:13: retrievers.bm25.fields: the text 'title' where a list is expected. "
        "Write [title]",
    ),
    "not a number": (
        bm25("k1: .nan"),
        "x.yaml:5:9: retrievers.bm25.k1: .nan, which is not finite. Write a finite number",
    ),
    "a whole number that no result can hold": (
        bm25("k1: 100000000000000000000000000"),
        "x.yaml:5:9: retrievers.bm25.k1: the whole number 1.000000e+26 is too large. Whole numbers "
        "may have 64 bits: up to 9223372036854775807",
    ),
    "a whole number deep in options of another's": (
        GOOD + "  own: {kind: custom, use: a:b, options: {n: [1, {of: -9223372036854775808}]}}\n",
        "x.yaml:4:55: retrievers.own.options.n[1].of: the whole number -9223372036854775808 is too "
        "small. Whole numbers may have 64 bits: up to 9223372036854775807",
    ),
    "unknown kind": (
        GOOD + "  b: {kind: bm52}\n",
        "x.yaml:4:13: retrievers.b.kind: unknown kind 'bm52'. Did you mean 'bm25'? Allowed: "
        + KINDS,
    ),
    "no kind": (
        GOOD + "  b: {k1: 1}\n",
        "x.yaml:4:3: retrievers.b.kind: missing. Allowed: " + KINDS,
    ),
    "kind in the place of options": (
        GOOD + "  b: bm25\n",
        "x.yaml:4:6: retrievers.b: the text 'bm25' where a mapping of keys with values is "
        "expected. Write {kind: bm25}",
    ),
    "nothing after a name": (
        GOOD + "  b:\n",
        "x.yaml:4:3: retrievers.b: nothing where a mapping of keys with values is expected. "
        "Write {kind: ...} with one of " + KINDS,
    ),
    "missing option": (
        GOOD + "  b: {kind: faiss}\n",
        "x.yaml:4:3: retrievers.b.encoder: missing. Add it: The encoder that turns texts into "
        "vectors: `minilm`, or `{kind: ..., ...}`.",
    ),
    "option of an encoder": (
        GOOD + "  b:\n    kind: faiss\n    encoder: {kind: minilm, batchsize: 8}\n",
        "x.yaml:6:29: retrievers.b.encoder.batchsize: unknown key. Did you mean "
        "'batch_size'? Allowed: kind, query_prompt, passage_prompt, batch_size, "
        "device, dtype, max_seq_length",
    ),
    "option of a retriever in its encoder": (
        GOOD + "  b:\n    kind: faiss\n    encoder: {kind: minilm, windows: 100}\n",
        "x.yaml:6:29: retrievers.b.encoder.windows: unknown key. It belongs beside 'encoder', "
        "not into it. Allowed: kind, query_prompt, passage_prompt, batch_size, device, dtype, "
        "max_seq_length",
    ),
    "metric": (
        GOOD + "  b: {kind: faiss, encoder: minilm, metric: cos}\n",
        "x.yaml:4:45: retrievers.b.metric: unknown value 'cos'. Did you mean 'cosine'? "
        "Allowed: cosine, ip, l2",
    ),
    "name that names no file": (
        GOOD + "  a/b: {kind: bm25}\n",
        "x.yaml:4:3: retrievers.a/b: a name with '/', which no file can have. Leave out / \\ : "
        '* ? " < > |',
    ),
    "name with a dot at the end": (
        GOOD + "  ..: {kind: bm25}\n",
        'x.yaml:4:3: retrievers."..": a name that ends in a dot, which Windows drops. Leave it out',
    ),
    "name that Windows reserves": (
        GOOD + "  con: {kind: bm25}\n",
        "x.yaml:4:3: retrievers.con: Windows reserves this name. Write con-1, for example",
    ),
    "names but for case": (
        GOOD + "  BM25: {kind: bm25}\n",
        "x.yaml:4:3: retrievers.BM25: the name differs from 'bm25' only in upper and lower case. "
        "Give it another: names of retrievers name files",
    ),
    "a dataset named as the average is": (
        "datasets: [statutes, {path: statutes, name: Average}]\nretrievers: {bm25: {kind: bm25}}\n",
        "x.yaml:1:22: datasets[1]: a dataset named 'Average', which tables use for the average "
        "over the datasets. Give it another name: {path: ..., name: ...}",
    ),
    "decomposed Hangul": (
        GOOD + unicodedata.normalize("NFD", "  형태소: {kind: bm25}\n"),
        "x.yaml:4:3: retrievers.형태소: a name in decomposed letters (NFD). Retype it: 형태소",
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
        "x.yaml:4:19: measures[1]: AP@10 is listed twice, first as measures[0]. Drop one of the "
        "two",
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
        "x.yaml:4:1: retriever: unknown key. Did you mean 'retrievers'? Allowed: "
        + ", ".join(KEYS),
    ),
    "bad name": (
        GOOD + "name: my*test\n",
        "x.yaml:4:7: name: a name with '*', which no file can have. Leave out / \\ : * ? \" < > |",
    ),
    "no dataset": (
        "retrievers:\n  bm25: {kind: bm25}\n",
        "x.yaml:1:1: dataset: missing. Add it: the folder of a dataset",
    ),
    "no retrievers": (
        "dataset: statutes\n",
        "x.yaml:1:1: retrievers: missing. Add it: The retrievers to compare, by name.",
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
        "path, format, name, split, allow_missing, drop_self, forbidden, unit, corpus, passages, "
        "queries, ground_truth, documents, html, coverage, together, block, columns, "
        "encoding, delimiter, ids",
    ),
    "the same dataset twice": (
        "datasets: [statutes, statutes]\nretrievers:\n  a: {kind: bm25}\n",
        "x.yaml:1:22: datasets[1]: two datasets are named 'statutes'. Give it a name of its "
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


def problem_of_top(write: Write, spec: str) -> str:
    """The only problem of an experiment with a bm25 and a retriever `top`; the current folder
    is written as FOLDER.

    Args:
        write: writes the experiment.
        spec: of `top`, in YAML.
    """
    path = write(
        f"dataset: statutes\nretrievers:\n  bm25: {{kind: bm25}}\n  top: {spec}\n"
        "measures: [nDCG@10]\ndepth: 50\n"
    )
    (problem,) = validate_experiment(path)
    return str(problem).splitlines()[0].replace(str(Path.cwd()), "FOLDER")
