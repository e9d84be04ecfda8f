"""Broken datasets: every problem with its place and remedy, all together, nothing twice."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars
import pytest
import zstandard

from ragscore.errors import DataError
from ragscore.formats import DatasetSpec, check_dataset_files, load_dataset

GOOD = {
    "passages.jsonl": b'{"id": "a", "text": "x"}\n{"id": "b", "text": "y"}\n',
    "queries.jsonl": b'{"id": "q", "text": "x?"}\n',
    "ground_truth.jsonl": b'{"query_id": "q", "passages": {"a": 1}}\n',
}
BEIR = {
    "corpus.jsonl": b'{"_id": "a", "title": "", "text": "x"}\n',
    "queries.jsonl": b'{"_id": "q", "text": "x?"}\n',
    "qrels.tsv": b"query-id\tcorpus-id\tscore\nq\ta\t1\n",
}
TREC = {
    "queries.tsv": b"q\tx?\n",
    "collection.tsv": b"a\tx\n",
    "qrels.txt": b"q 0 a 1\n",
}
CSV = {
    "passages.csv": b"id,text\na,x\n",
    "queries.csv": b"id,text\nq,x?\n",
    "ground_truth.csv": b"query_id,passage_id,grade\nq,a,1\n",
}

BROKEN: list[tuple[dict[str, bytes], str, bytes, str]] = [
    # a good dataset, the file that is broken, what it holds, what must be said
    (GOOD, "passages.jsonl", b'{"id": 42, "text": "x"}\n',
     ':1: id: the number 42 where text is expected. Write "42" in quotes, or set ids: '
     "text to take whole numbers as text"),
    (GOOD, "passages.jsonl", b'{"id": "a", "text": "x", "tilte": "T"}\n',
     ":1: tilte: unknown key. Did you mean 'title'? Allowed: id, text, title, tags, metadata"),
    (GOOD, "passages.jsonl", b'{"id": "b", "text": "x", "id": "a"}\n',
     ":1: id: the key occurs twice. Keep one of the two"),
    (GOOD, "ground_truth.jsonl", b'{"query_id": "r", "query_id": "q", "passages": {"a": 3}}\n',
     ":1: query_id: the key occurs twice"),
    (BEIR, "corpus.jsonl", b'{"_id": "a", "text": "x", "text": ""}\n',
     ":1: text: the key occurs twice"),
    (GOOD, "passages.jsonl", b'{"id": "a"}\n', ":1: the key 'text' is missing. Found: id"),
    (GOOD, "passages.jsonl", b'{"id": "a", "text": null}\n',
     ':1: text: null where text is expected. Write "" for an empty text'),
    (GOOD, "passages.jsonl", b'{"id": "a", "text": "x"}\n\n{"id": "b", "text": "x"}\n',
     ":2: the line is empty. Remove it"),
    (GOOD, "passages.jsonl", b'{"id": "", "text": "x"}\n{"id": "a", "text": "x"}\n',
     ":1: id: the id is empty. Every row needs an id of its own"),
    (GOOD, "passages.jsonl", b'{"id": " ", "text": "x"}\n{"id": "a", "text": "x"}\n',
     ":1: id: the id is only white space"),
    (GOOD, "passages.jsonl", b'{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}\n',
     ":2: the id 'a' is already used in line 1. Ids must be unique"),
    (GOOD, "passages.jsonl", b'{"id": "a", "text": "x"\n',
     ":1: not JSON: EOF while parsing an object at column"),
    (GOOD, "passages.jsonl", b"[1, 2]\n", ":1: a list where an object is expected"),
    (GOOD, "passages.jsonl", b'[\n{"id": "a", "text": "x"}\n]\n',
     ":1: the file is one JSON value over many lines. Write one JSON object on each line"),
    (GOOD, "passages.jsonl",
     b'\xef\xbb\xbf{"id": "a", "text": "x"}\r\n\r\n{"id": "b", "text": ""}\r\n',
     ":2: the line is empty. Remove it"),
    (GOOD, "passages.jsonl", b'{"id": "a", "text": "x"}\n{"id": "b", "text": "caf\xe9"}\n',
     ":2: the byte 0xE9 is not UTF-8; it looks like cp1252. Set encoding: cp1252, or save the"),
    (GOOD, "passages.jsonl", b'{"id": "a", "text": "x"}\n{"id": "b", "text": "\xff\x81"}\n',
     ":2: the byte 0xFF is not UTF-8 (Latin-1 or another encoding?). Save the file as UTF-8"),
    (GOOD, "passages.jsonl", '{"id": "a", "text": "x"}\n'.encode("utf-16") + b"\x0a",
     ":2: the byte 0x0A is not UTF-16-LE (Latin-1 or another encoding?). Save the file as UTF-8"),
    (CSV, "passages.csv", "id,text\na,임대료는 언제 내나요?\n".encode("cp949"),
     ":2: the byte 0xC0 is not UTF-8; it looks like cp949. Set encoding: cp949, or save the file"),
    (CSV, "passages.csv", b"id;text\na;x\n",
     ":1: the columns are separated by ';', where ',' is expected. Set delimiter: \";\""),
    (CSV, "passages.csv", b"id\ttext\na\tx\n",
     ":1: the columns are separated by 'TAB', where ',' is expected. Set delimiter: \"\\t\""),
    (GOOD, "passages.jsonl", b"", ": there are no passages. A dataset needs at least one passage"),
    (GOOD, "queries.jsonl", b"", ": there are no queries. A dataset needs at least one query"),
    (GOOD, "queries.jsonl", b'{"id": "q", "text": "?", "answerable": "no"}\n',
     ':1: answerable: the text "no" where true or false is expected'),
    (GOOD, "queries.jsonl", b'{"id": "q", "text": "?", "tags": ["a", 1]}\n',
     ':1: tags[1]: the number 1 where text is expected. Write "1" in quotes'),
    (GOOD, "queries.jsonl", b'{"id": "q", "text": "?", "answerable": false}\n',
     "ground_truth.jsonl:1: the query 'q' is marked unanswerable, and the passage 'a' has grade 1"),
    (GOOD, "ground_truth.jsonl", b"", ": there are no judgments."),
    (GOOD, "ground_truth.jsonl", b'{"query_id": "q", "passages": {"a": "3"}}\n',
     ':1: passages.a: the text "3" where a number is expected. Write 3 without quotes'),
    (GOOD, "ground_truth.jsonl", b'{"query_id": "q", "passages": {"a": NaN}}\n',
     ":1: passages.a: the number nan, which is not finite. Write a finite number"),
    (GOOD, "ground_truth.jsonl", b'{"query_id": "q", "passages": "a"}\n',
     ':1: passages: the text "a" where grades by passage id, or a list of ids, are expected'),
    (GOOD, "ground_truth.jsonl", b'{"query_id": "q", "passages": ["a", 7]}\n',
     ':1: passages[1]: the number 7 where text is expected. Write "7" in quotes'),
    (GOOD, "ground_truth.jsonl", b'{"query_id": "q", "passages": ["a"], "grades": "graded"}\n',
     ":1: grades: unknown value 'graded'. Did you mean 'ranked'? Allowed: binary, ranked"),
    (GOOD, "ground_truth.jsonl", b'{"query_id": "q", "passages": ["a", "b", "a"]}\n',
     ":1: passages: 'a' is named twice. Keep one judgment for each pair"),
    (GOOD, "ground_truth.jsonl", b'{"query_id": "q", "passages": {"a": 1, "a": 0}}\n',
     ":1: passages: 'a' is named twice. Keep one judgment for each pair"),
    (GOOD, "ground_truth.jsonl", GOOD["ground_truth.jsonl"] * 2,
     ":2: the query 'q' already has a row of ground truth, line 1. Put all its passages into one"),
    (GOOD, "ground_truth.jsonl", b'{"query_id": "q", "passages": {"a": 1, "gone": 1}}\n',
     ":1: the passage 'gone' is not in "),
    (GOOD, "ground_truth.jsonl", b'{"query_id": "p", "passages": {"a": 1}}\n',
     ":1: the query 'p' is not in "),
    (BEIR, "corpus.jsonl", b'{"id": "a", "text": "x"}\n', ":1: the key '_id' is missing. Found"),
    (BEIR, "corpus.jsonl", b'{"_id": 7, "text": "x"}\n', ":1: _id: the number 7 where text"),
    (BEIR, "qrels.tsv", b"q a 1\n", ":1: 1 column where 3 are expected. Write query id, passage"),
    (BEIR, "qrels.tsv", b"q\ta\thigh\n", ":1: the grade 'high' is not a number"),
    (BEIR, "qrels.tsv", b"q\ta\t1\nq\ta\t0\n",
     ":2: the passage 'a' is judged twice for the query 'q', first in line 1"),
    (BEIR, "qrels.tsv", b"q\ta\t1\nq\tz\t1\n", ":2: the passage 'z' is not in "),
    (BEIR, "qrels.tsv", b"q\ta\t1\n\t a\t1\n", ":2: the query id is empty"),
    (TREC, "qrels.txt", b"q 0 a\n", ":1: 3 columns where 4 are expected"),
    (TREC, "qrels.txt", b"# c\nq 0 a nan\n", ":2: the grade 'nan' is not a number"),
    (TREC, "queries.tsv", b"q x?\n", ":1: 1 column, separated by TAB, where id TAB text"),
    (TREC, "collection.tsv", b"a\tx\n\ty\n", ":2: id: the id is empty"),
    (CSV, "passages.csv", b"id,txt\na,x\n",
     ": there is no column 'text'. Did you mean 'txt'? Allowed: id, txt. Name the "
     "right column under `columns`"),
    (CSV, "passages.csv", b"id,text\na,x,y\n", ":2: 3 columns where 2 are expected"),
    (CSV, "passages.csv", b'id,text\na,"x"y"\n', ":2: the quotes do not match"),
    (CSV, "passages.csv", b'id,text\na,"x\ny"\na,z\n', ":4: the id 'a' is already used in line 2"),
    (CSV, "passages.csv", b"id,text\na,x\n\nb,x\n", ":3: the line is empty"),
    (CSV, "passages.csv", b"", ": the table has no header. Its first line names: id, text"),
    (CSV, "passages.csv", b"id,id,text\na,a,x\n", ":1: 2 columns have the name 'id'"),
    (CSV, "queries.csv", b"id,text,answerable\nq,x,perhaps\n",
     ":2: answerable: 'perhaps' where true or false is expected"),
    (CSV, "ground_truth.csv", b"query_id,passage_id,score\nq,a,0\n",
     ": there is no column 'grade'."),
    (CSV, "ground_truth.csv", b"query_id,passage_id,grade\nq,a,\n",
     ":2: there is no grade"),
]  # fmt: skip


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def problems_of(folder: Path) -> list[str]:
    with pytest.raises(DataError) as caught:
        load_dataset(folder)
    assert caught.value.exit_code == 3
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(("good", "name", "content", "said"), BROKEN)
def test_one_problem_is_said_once_with_place_and_remedy(
    good: dict[str, bytes], name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    write(tmp_path, {**good, name: content})
    (problem,) = problems_of(tmp_path)
    where = name if said.startswith(":") else ""
    assert where + said in problem


@pytest.mark.parametrize("good", [GOOD, BEIR, TREC, CSV])
def test_the_good_datasets_are_good(good: dict[str, bytes], tmp_path: Path) -> None:
    # Empty lines at the end are fine.
    files = {name: content + b"\n\n" for name, content in good.items()}
    assert len(load_dataset(write(tmp_path, files)).qrels) == 1


def test_problems_of_all_files_come_together_and_stop_at_twenty(tmp_path: Path) -> None:
    files = {
        "queries.jsonl": b"".join(b'{"id": "q", "text": %d}\n' % row for row in range(60)),
        "ground_truth.jsonl": b"{}\n" * 3,
        "passages.jsonl": b"".join(b"%d\n" % row for row in range(40)),
    }
    problems = problems_of(write(tmp_path, files))
    assert [
        sum(f"{name}.jsonl" in problem for problem in problems)
        for name in ("queries", "ground_truth", "passages")
    ] == [10, 1, 11]
    assert "queries.jsonl: only the first 9 problems are listed; there may be more" in problems[9]
    assert problems[-1].endswith("only the first 10 problems are listed; there may be more")


def test_a_problem_of_many_rows_is_one_line_and_no_file_is_passed_over(tmp_path: Path) -> None:
    files = {
        "queries.jsonl": b'{"qid": "q", "text": "x?"}\n' * 60,
        "ground_truth.jsonl": b"{}\n" * 3,
        "passages.jsonl": b'{"_id": "a", "contents": "x"}\n' * 5_000,
    }
    problems = problems_of(write(tmp_path, files))
    said = {problem.rpartition("/")[2] for problem in problems}
    assert said == {
        "queries.jsonl:1: qid: unknown key (the same in 60 rows). Did you mean 'id'? Allowed: "
        "id, text, tags, metadata, answerable. Name other keys under `columns`",
        "ground_truth.jsonl:1: the key 'query_id' is missing (the same in 3 rows)",
        "passages.jsonl:1: the key 'text' is missing (the same in 334 rows or more). Found: _id, "
        "contents. Name other keys under `columns`",
        "passages.jsonl:1: _id: unknown key (the same in 333 rows or more). Did you mean 'id'? "
        "Allowed: id, text, title, tags, metadata. Name other keys under `columns`",
        "passages.jsonl:1: contents: unknown key (the same in 333 rows or more). Allowed: id, "
        "text, title, tags, metadata. Name other keys under `columns`",
    }


def test_each_shard_with_problems_is_named(tmp_path: Path) -> None:
    files = {name: GOOD[name] for name in ("queries.jsonl", "ground_truth.jsonl")}
    write(tmp_path, files)
    (tmp_path / "passages").mkdir()
    for shard in range(30):
        row = b"[]\n" if shard % 2 else b'{"id": "%d", "text": "x"}\n' % shard
        (tmp_path / "passages" / f"{shard}.jsonl").write_bytes(row * (1 + shard % 2))
    assert len(problems_of(tmp_path)) == 15


def test_broken_rows_do_not_make_judgments_of_them_broken(tmp_path: Path) -> None:
    files = {**GOOD, "passages.jsonl": b'{"id": "a", "txt": "x"}\n{"id": "b", "text": "y"}\n'}
    problems = problems_of(write(tmp_path, files))
    assert not [problem for problem in problems if "ground_truth" in problem]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_packed_files_that_are_cut_or_not_packed(suffix: str, tmp_path: Path) -> None:
    files = dict(GOOD)
    ids = ["a", *map(str, range(50))]
    content = "".join(f'{{"id": "{name}", "text": "x"}}\n' for name in ids).encode()
    del files["passages.jsonl"]
    packed = gzip.compress(content) if suffix == ".gz" else zstandard.compress(content)
    name = f"passages.jsonl{suffix}"
    problems = problems_of(write(tmp_path, {**files, name: packed[:-5]}))
    assert f"it ends in the middle of its {suffix} data" in problems[-1]
    (problem,) = problems_of(write(tmp_path, {**files, name: content}))
    assert f"it cannot be unpacked as {suffix}" in problem


def test_floating_point_ids_in_parquet_are_refused(tmp_path: Path) -> None:
    polars.DataFrame({"id": [42.0], "text": ["x"]}).write_parquet(tmp_path / "passages.parquet")
    polars.DataFrame({"id": ["q"], "text": ["x"]}).write_parquet(tmp_path / "queries.parquet")
    polars.DataFrame({"query_id": ["q"], "passage_id": ["a"]}).write_parquet(
        tmp_path / "ground_truth.parquet"
    )
    (problem,) = problems_of(tmp_path)
    assert "passages.parquet:row 1: id: 42.0 where an id is expected" in problem
    (tmp_path / "passages.parquet").write_bytes(b"no parquet")
    (problem,) = problems_of(tmp_path)
    assert "passages.parquet: it cannot be read as Parquet" in problem


def test_a_folder_that_is_no_dataset_lists_what_was_looked_for(tmp_path: Path) -> None:
    files = {"passages.jsonl": b"", "notes.txt": b""}
    (problem,) = problems_of(write(tmp_path, files))
    assert "no dataset is recognised here (the folder holds: notes.txt, passages.jsonl)" in problem
    assert (
        "jsonl: passages.jsonl, queries.jsonl, ground_truth.jsonl; missing here: queries" in problem
    )


def test_a_folder_that_fits_two_formats_asks_which(tmp_path: Path) -> None:
    (problem,) = problems_of(write(tmp_path, {**GOOD, **BEIR}))
    assert "the files fit more than one format: jsonl, beir. Name one" in problem


def test_two_files_for_one_role(tmp_path: Path) -> None:
    files = {**GOOD, "passages.jsonl.gz": gzip.compress(GOOD["passages.jsonl"])}
    (problem,) = problems_of(write(tmp_path, files))
    assert "several files of the passages: passages.jsonl, passages.jsonl.gz" in problem


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    cases = {
        "no-such": "no-such: there is no such folder",
        "passages.jsonl": "a folder is expected and this is a file. Name the folder that holds it",
    }
    for name, said in cases.items():
        (problem,) = check_dataset_files(DatasetSpec(path=str(tmp_path / name)))
        assert said in str(problem)
    spec = DatasetSpec(path=str(tmp_path), passages="passage.jsonl")
    (problem,) = check_dataset_files(spec)
    assert "passages: there is no file 'passage.jsonl'" in str(problem)
    assert "Did you mean 'passages.jsonl'?" in str(problem)
    (problem,) = check_dataset_files(DatasetSpec(path=str(tmp_path), format="csv", split=None))[:1]
    assert "the file of the passages is missing (passages.csv or corpus.csv" in str(problem)
    (problem,) = check_dataset_files(DatasetSpec(path=str(tmp_path), split="dev"))
    assert "there is no folder of splits" in str(problem)
    assert check_dataset_files(DatasetSpec(path=str(tmp_path))) == []


def test_words_that_only_look_like_a_key_given_twice(tmp_path: Path) -> None:
    row = (
        '{"id": "id", "text": "\\"text\\": \\"text\\"", "tags": ["id"], "metadata": {"id": "text"}}'
    )
    (tmp_path / "passages.jsonl").write_text(row.replace('"id": "id"', '"id": "a"', 1) + "\n")
    for name in ("queries.jsonl", "ground_truth.jsonl"):
        (tmp_path / name).write_bytes(GOOD[name])
    assert len(load_dataset(tmp_path).qrels) == 1
