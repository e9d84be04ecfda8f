"""Stages of an experiment in shards: whoever fills the cache, in whatever order, the result is that
of one run."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import polars
import pytest

from ragscore import Cache, Result, load_experiment, run_experiment
from ragscore.cli import main
from ragscore.errors import ConfigError, DataError
from ragscore.experiment import reduce_experiment, run_stage
from ragscore.experiment.block_tasks import BlockTasks
from ragscore.experiment.blocked_dataset import BlockTask
from ragscore.experiment.shards import Shards
from tests.factories.static_model import save_static_model
from tests.factories.systems.s3_server import s3_bucket
from tests.factories.witness import Witness

TEXT = """
dataset: {path: %s, block: 4}
retrievers:
  bm25: {kind: bm25, tokenizer: words}
  recent:
    {kind: bm25, tokenizer: words, k1: 0.4, filter: {field: year, op: ">=", value: 2024}}
  both: {kind: fusion, retrievers: [bm25, short]}
  short: {kind: bm25, tokenizer: bigrams}
measures: [nDCG@5, R@5]
depth: 10
compare: false
report: false
"""
WORDS = ["rent", "due", "deposit", "pets", "consent", "notice", "임대", "보증금", "month", "keys"]


def jsonl(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def dataset(folder: Path, passages: int = 22) -> Path:
    """A dataset in three shards, one of Parquet."""
    chosen = random.Random(7)
    rows = [
        {
            "id": f"p{row * 7 % passages:03}",
            "text": " ".join(chosen.choices(WORDS, k=chosen.randint(0, 9))),
            "metadata": {"year": 2020 + row % 6},
        }
        for row in range(passages)
    ]
    (folder / "passages").mkdir(parents=True)
    third = passages // 3
    jsonl(folder / "passages" / "a-1.jsonl", rows[:third])
    jsonl(folder / "passages" / "a-2.jsonl", rows[third : 2 * third])
    plain = [{"id": row["id"], "text": row["text"]} for row in rows[2 * third :]]
    polars.DataFrame(plain).write_parquet(folder / "passages" / "a-10.parquet")
    queries = [{"id": f"q{at}", "text": " ".join(chosen.choices(WORDS, k=3))} for at in range(9)]
    jsonl(folder / "queries.jsonl", queries)
    truth = [
        {"query_id": query["id"], "passages": {chosen.choice(rows)["id"]: 1}} for query in queries
    ]
    jsonl(folder / "ground_truth.jsonl", truth)
    return folder


def experiment_over(folder: Path) -> Path:
    """An experiment over six blocks, of which the retrievers that search blocks are bm25 and
    short; recent has a filter."""
    path = folder / "first.yaml"
    path.write_text(TEXT % dataset(folder / "rent"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment that no test changes."""
    return experiment_over(tmp_path_factory.mktemp("shared"))


@pytest.fixture(scope="module")
def wanted(shared: Path) -> Result:
    """Its result, made by one run."""
    return whole(shared, shared.parent)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """The same experiment, for a test to change."""
    return experiment_over(tmp_path)


def stage(kind: str, config: Path, shard: str, cache: Cache) -> Mapping[str, tuple[int, ...]]:
    """What a shard had left to do, by retriever."""
    done = run_stage(kind, load_experiment(config), shard, cache=cache)  # type: ignore[arg-type]
    return {row.retriever: row.left for row in done.retrievers}


def same(found: Result, wanted: Result) -> None:
    """The same runs and scores, bit for bit, in the same files."""
    assert found.folder is not None
    assert wanted.folder is not None
    names = sorted(path.relative_to(wanted.folder) for path in wanted.folder.rglob("*.*"))
    assert sorted(path.relative_to(found.folder) for path in found.folder.rglob("*.*")) == names
    for name in names:
        if name.suffix and name.name != "manifest.json":
            assert (found.folder / name).read_bytes() == (wanted.folder / name).read_bytes(), name
    assert not found.failures
    for key, run in wanted.runs.items():
        assert found.runs[key].digest == run.digest


def whole(config: Path, folder: Path, name: str = "whole") -> Result:
    return run_experiment(load_experiment(config), output=folder / name, cache=Cache())


def test_shards_in_any_order_give_the_result_of_one_run(
    shared: Path, wanted: Result, tmp_path: Path
) -> None:
    cache = Cache(tmp_path / "cache")
    for shard in ("2/3", "3/3", "1/3"):
        left = stage("encode", shared, shard, cache)
        assert list(left) == ["bm25", "recent", "short"]
    for shard in ("3/3", "1/3"):
        assert list(stage("search", shared, shard, cache)) == ["bm25", "short"]
    with pytest.raises(DataError) as caught:
        reduce_experiment(shared, cache=cache, shards=3)
    first, second = map(str, caught.value.problems)
    assert first == (
        "rent, bm25: 2 of 6 blocks are not searched yet: 2, 5. "
        f"Run: ragscore stage search {shared} --shard 2/3"
    )
    assert second.startswith("rent, short: 2 of 6")
    with pytest.raises(DataError, match="--shard 2,5/6"):
        reduce_experiment(shared, cache=cache)
    assert stage("search", shared, "2/6", cache) == {"bm25": (2,), "short": (2,)}
    assert stage("search", shared, "2/3", cache) == {"bm25": (5,), "short": (5,)}
    assert stage("search", shared, "2/3", cache) == {"bm25": (), "short": ()}
    reduced = reduce_experiment(shared, cache=cache, output=tmp_path / "reduced")
    same(reduced, wanted)
    assert stage("search", shared, "1/1", cache) == {"bm25": (), "short": ()}
    same(reduce_experiment(shared, cache=cache, output=tmp_path / "twice"), reduced)


def test_a_run_goes_on_from_what_shards_made(shared: Path, wanted: Result, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    for kind in ("encode", "search"):
        stage(kind, shared, "1/1", cache)
    notes, written = Witness(), cache.writes
    result = run_experiment(
        load_experiment(shared), output=tmp_path / "out", cache=cache, progress=notes
    )
    assert not [label for label, _ in notes.totals if label.startswith("indexing")]
    same(result, wanted)
    assert cache.writes > written  # the runs themselves


def test_shards_that_are_not_encoded_are_named(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(tmp_path / "store")
    command = ["stage", "encode", str(shared), "--quiet", "--store", store]
    assert main([*command, "--shard", "1-2/4"]) == 0
    assert main(["stage", "search", str(shared), "--shard", "1/4", "--store", store]) == 3
    said = capsys.readouterr().err
    expected = f"ragscore stage encode {shared} --shard 3-4/4 --store {store}"
    assert f"rent, bm25: 2 of 6 blocks are not encoded yet: 3-4. Run: {expected}\n" in said
    assert main(["reduce", str(shared), "--store", store]) == 3
    assert "--shard 3-4/6" in capsys.readouterr().err
    assert main([*command, "--shard", "3-4/4", "--dry-run", "--format", "json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert planned["dry"]
    assert planned["retrievers"][0] == {
        "dataset": "rent",
        "retriever": "bm25",
        "blocks": [3, 4],
        "there": [],
        "left": [3, 4],
    }
    assert main([*command, "--shard", "3-4/4"]) == 0
    assert "Saved in" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("shard", "message"),
    [
        ("0/64", "--shard: there is no shard 0 among 64. Shards count from 1: write 1/64 to 64/64"),
        ("65/64", "--shard: there is no shard 65 among 64"),
        ("x", "--shard: 'x' names no shard. Write which of how many, such as 3/64"),
        ("", "--shard: '' names no shard"),
        ("3", "--shard: '3' names no shard"),
        ("3/", "--shard: '3/' names no shard"),
        ("3/0", "--shard: 0 is not a number of shards"),
        ("-1/4", "--shard: '-1/4' names no shard"),
        ("4-2/4", "--shard: 4-2 is empty"),
        ("1,,2/4", "--shard: '1,,2/4' names no shard"),
        ("1/9999999999", "--shard: 9999999999 is not a number of shards"),
        ("٣/4", "--shard: '٣/4' names no shard"),
    ],
)
def test_a_shard_that_is_none(shard: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Shards.parse(shard)
    assert str(caught.value).startswith(message)


def test_a_wrong_shard_is_a_wrong_command(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stage", "encode", str(shared), "--shard", "65/64"]) == 2
    assert main(["stage", "decode", str(shared)]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("count", [1, 3, 6, 64])
def test_every_block_is_in_one_shard(count: int) -> None:
    shards = [Shards.parse(f"{number}/{count}") for number in range(1, count + 1)]
    for block in range(100):
        assert [shard.has(block) for shard in shards].count(True) == 1
    for first in range(0, 100, 7):
        missing = Shards.of_blocks([first], count)
        assert Shards.parse(str(missing)) == missing
        assert missing.has(first)


def test_an_experiment_without_blocks_has_no_stages(tmp_path: Path, root: Path) -> None:
    config = tmp_path / "plain.yaml"
    folder = root / "datasets" / "harbour-tenancy"
    config.write_text(f"dataset: {folder}\nretrievers: {{bm25: {{kind: bm25}}}}\n")
    with pytest.raises(ConfigError, match=r"no dataset of the experiment is read in blocks"):
        run_stage("encode", config, cache=Cache())


def test_a_damaged_entry_is_noticed_and_made_again(
    shared: Path, wanted: Result, tmp_path: Path
) -> None:
    cache = Cache(tmp_path / "cache")
    for kind in ("encode", "search"):
        stage(kind, shared, "1/1", cache)
    for kind in ("found", "tokens", "term-counts"):
        file = next(path for path in (cache.root / kind).rglob("*.npy") if path.stat().st_size)
        file.write_bytes(file.read_bytes()[:-1] + b"\x07")
    notes = Witness()
    reduced = reduce_experiment(shared, cache=cache, output=tmp_path / "reduced", progress=notes)
    assert [note for note in notes.notes if "damaged entry (found" in note]
    same(reduced, wanted)


def test_an_experiment_that_changed_between_shards_mixes_nothing(
    config: Path, tmp_path: Path
) -> None:
    cache = Cache(tmp_path / "cache")
    stage("encode", config, "1/2", cache)
    config.write_text(config.read_text(encoding="utf-8").replace("bigrams", "none"))
    left = stage("encode", config, "2/2", cache)
    assert left["short"] == (2, 4, 6)
    with pytest.raises(DataError) as caught:
        stage("search", config, "1/2", cache)
    (problem,) = caught.value.problems
    assert problem.what == "3 of 6 blocks are not encoded yet: 1, 3, 5"
    assert problem.where == "rent, short"
    for kind in ("encode", "search"):
        stage(kind, config, "1/1", cache)
    config.write_text(config.read_text(encoding="utf-8").replace("depth: 10", "depth: 7"))
    with pytest.raises(DataError, match="6 of 6 blocks are not searched yet: 1-6"):
        reduce_experiment(config, cache=cache)


def test_a_file_that_changed_between_shards_is_read_again(config: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    for kind in ("encode", "search"):
        stage(kind, config, "1/1", cache)
    file = tmp_path / "rent" / "passages" / "a-2.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("rent", "lease"), encoding="utf-8")
    with pytest.raises(DataError, match="2 of 6 blocks are not encoded yet: 3-4") as caught:
        stage("search", config, "1/1", cache)
    assert len(caught.value.problems) == 3
    stage("encode", config, "1/1", cache)
    # Terms are counted in all blocks: what was found before holds no longer.
    assert stage("search", config, "1/1", cache)["bm25"] == (1, 2, 3, 4, 5, 6)
    tasks = BlockTasks(load_experiment(config), cache, only=["short"])
    assert all(map(tasks.is_done, tasks.all("search")))


def test_a_wrong_row_is_named_by_the_shard_that_reads_it(config: Path, tmp_path: Path) -> None:
    file = tmp_path / "rent" / "passages" / "a-1.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    lines[5] = '{"id": "p9"}'
    file.write_text("\n".join(lines), encoding="utf-8")
    cache = Cache(tmp_path / "cache")
    assert stage("encode", config, "1/6", cache)["bm25"] == (1,)
    with pytest.raises(DataError, match=r"a-1.jsonl:6: the key 'text' is missing"):
        stage("encode", config, "2/6", cache)


@pytest.mark.slow
def test_machines_fetch_what_they_need_alone(shared: Path, wanted: Result, tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    url = f"file://{tmp_path / 'shared'}"
    # The machines that search have a copy of the files, in another place and of another time.
    copy = tmp_path / "copy" / "rent"
    shutil.copytree(shared.parent / "rent", copy, copy_function=shutil.copyfile)
    elsewhere = tmp_path / "first.yaml"
    elsewhere.write_text(TEXT % copy, encoding="utf-8")
    for kind, config in (("encode", shared), ("search", elsewhere)):
        for number in (1, 2, 3):
            stage(kind, config, f"{number}/3", Cache(tmp_path / f"{kind}{number}", url))
    searching, last = tmp_path / "search1", Cache(tmp_path / "last", url)
    kinds = {path.name: len(list(path.glob("[!.]*/*"))) for path in searching.iterdir()}
    assert kinds["passages"] == 2
    assert "passage-texts" not in kinds
    assert kinds["tokens"] == 4  # two blocks for each tokenizer
    reduced = reduce_experiment(
        shared, cache=last, output=tmp_path / "reduced", only=["both"], progress=Witness()
    )
    assert not (tmp_path / "last" / "tokens").exists()
    assert reduced.to_dict()["rent"] == {"both": wanted.to_dict()["rent"]["both"]}


@pytest.mark.slow
def test_what_is_here_alone_is_shared_by_the_same_command(shared: Path, tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    here, url = tmp_path / "here", f"file://{tmp_path / 'shared'}"
    for kind in ("encode", "search"):
        stage(kind, shared, "1/1", Cache(here))
    for kind in ("encode", "search"):
        assert not any(stage(kind, shared, "1/1", Cache(here, url)).values())
    system = tmp_path / "shared"
    kinds = ("found", "tokens", "passages", "passage-texts")
    gone = [path for kind in kinds for path in (system / kind).glob("*/*")]
    assert len(gone) == 12 + 12 + 6 + 6
    for path in gone:
        path.unlink()
    again = Cache(here, url)
    for kind in ("encode", "search"):
        assert not any(stage(kind, shared, "1/1", again).values())
    assert again.writes == 0
    assert all(path.exists() for path in gone)


def test_tasks_are_plain_data(shared: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    tasks = BlockTasks(load_experiment(shared), cache, only=["both"])
    encode, search = list(tasks.all("encode")), list(tasks.all("search"))
    assert (len(encode), len(search)) == (12, 12)
    assert {task.retriever for task in encode} == {"bm25", "short"}
    assert [BlockTask.from_json(task.to_json()) for task in encode] == encode
    assert not tasks.is_done(encode[0])
    for task in [*encode[::-1], *search[::-1]]:
        tasks.run(task)
    again = BlockTasks(load_experiment(shared), cache, only=["both"])
    assert all(map(again.is_done, [*encode, *search]))
    written = cache.writes
    for task in [*encode, *search]:
        again.run(task)
    assert cache.writes == written


PROGRAM = """
import os, signal, sys
import ragscore.cache
from ragscore.experiment import run_stage

kind, config, shard, cache, store, kill_at = sys.argv[1:]
published, publish = 0, ragscore.cache.publish

def publish_or_die(written, folder):
    global published
    published += 1
    if published == int(kill_at):
        os.kill(os.getpid(), signal.SIGKILL)
    publish(written, folder)

ragscore.cache.publish = publish_or_die
run_stage(kind, config, shard, cache=ragscore.cache.Cache(cache, store or None))
"""


def begun(kind: str, config: Path, shard: str, cache: Cache, kill_at: int) -> subprocess.Popen[str]:
    """A process of its own that does a shard, and is killed while it writes its n-th entry."""
    store = "" if cache.store is None else cache.store.url
    arguments = [kind, str(config), shard, str(cache.root), store, str(kill_at)]
    return subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], text=True)


def test_a_retriever_that_cannot_search_blocks_is_named_first(config: Path, tmp_path: Path) -> None:
    text = config.read_text(encoding="utf-8")
    tokens = "both: {kind: multi-vector, model: naver/colbert}"
    config.write_text(re.sub(r"both: \{kind: fusion.*", tokens, text), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"first.yaml:\d+:\d+: retrievers.both.*in blocks"):
        stage("encode", config, "1/1", Cache(tmp_path / "cache"))


@pytest.mark.slow
def test_vectors_of_blocks_are_shared_out(tmp_path: Path) -> None:
    pytest.importorskip("model2vec")
    pytest.importorskip("fsspec")
    save_static_model(tmp_path / "model")
    config = tmp_path / "dense.yaml"
    text = TEXT % dataset(tmp_path / "rent")
    dense = "{kind: faiss, encoder: {kind: static, model: model}%s}"
    retrievers = f"  dense: {dense % ''}\n  graph: {dense % ', index: HNSW32'}\n"
    config.write_text(re.sub(r"(?s)  bm25:.*?measures", f"{retrievers}measures", text))
    url = f"file://{tmp_path / 'shared'}"
    for number in (2, 1):
        left = stage("encode", config, f"{number}/2", Cache(tmp_path / f"encode{number}", url))
        assert left["dense"] == (number, number + 2, number + 4)
        assert left["graph"] == ()  # the same vectors
    for number in (2, 1):
        left = stage("search", config, f"{number}/2", Cache(tmp_path / f"search{number}", url))
        assert left == {"dense": (number, number + 2, number + 4)}
    # What is kept while a block is encoded does not travel; its vectors do, once all are there.
    assert not list((tmp_path / "shared" / "vectors").glob("*/*"))
    last = Cache(tmp_path / "last", url)
    reduced = reduce_experiment(config, cache=last, only=["dense"], output=tmp_path / "one")
    assert not (last.root / "vector-blocks").exists()
    reduced = reduce_experiment(config, cache=last, output=tmp_path / "reduced")
    same(reduced, whole(config, tmp_path))


@pytest.mark.slow
def test_processes_share_the_blocks_of_a_shard(
    shared: Path, wanted: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(tmp_path / "store")
    for kind in ("encode", "search"):
        command = ["stage", kind, str(shared), "--store", store, "--shard", "1-2/2"]
        assert main([*command, "--workers", "2", "--format", "json"]) == 0
        done = json.loads(capsys.readouterr().out)["retrievers"]
        assert [row["left"] for row in done] == [[1, 2, 3, 4, 5, 6]] * len(done)
    cache = Cache(store)
    same(reduce_experiment(shared, cache=cache, output=tmp_path / "reduced"), wanted)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="processes are killed")
def test_sixty_four_shards_killed_repeated_and_at_once(config: Path, tmp_path: Path) -> None:
    dataset(tmp_path / "many", 400)
    text = config.read_text(encoding="utf-8").replace(str(tmp_path / "rent"), "many")
    config.write_text(text.replace("block: 4", "block: 2"), encoding="utf-8")
    chosen = random.Random(11)
    cache = Cache(tmp_path / "cache")
    tasks = {f"{at}/64": 2 * len(range(at - 1, 201, 64)) for at in range(1, 65)}
    for kind, made, moments in (
        ("encode", "tokens", (2, 9, 12, 14, 17)),
        ("search", "found", (1, 2, 3, 4, 6)),
    ):
        order = [*tasks]
        chosen.shuffle(order)
        killed = dict(zip(chosen.sample(order, 5), moments, strict=True))
        twice, at_once = order[7:10], order[20]
        spared = 0
        for shard in order:
            finished = 0
            if shard in killed:
                before, done = entries(cache, "*"), entries(cache, made)
                process = begun(kind, config, shard, cache, killed[shard])
                assert process.wait() == -signal.SIGKILL
                assert entries(cache, "*") - before == killed[shard] - 1
                finished = entries(cache, made) - done
                spared += finished
            if shard == at_once:
                processes = [begun(kind, config, shard, cache, -1) for _ in range(2)]
                assert [process.wait() for process in processes] == [0, 0]
                finished = tasks[shard]
            left = stage(kind, config, shard, cache)
            assert len(left["bm25"]) + len(left["short"]) == tasks[shard] - finished
            if shard in twice:
                again = Cache(cache.root)
                assert not any(stage(kind, config, shard, again).values())
                assert again.writes == 0
        assert spared, "no kill fell behind a block that was done"
    reduced = reduce_experiment(config, cache=cache, output=tmp_path / "reduced")
    same(reduced, whole(config, tmp_path))


def entries(cache: Cache, kind: str) -> int:
    """How many entries of a kind a cache has; of ``*``, of all."""
    return len(list(cache.root.glob(f"{kind}/[!.]*/*")))


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a process is killed")
def test_shards_over_an_s3_compatible_server(
    shared: Path, wanted: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with s3_bucket() as bucket:
        fsspec = pytest.importorskip("fsspec")
        url = f"{bucket}/ragscore"
        for kind in ("encode", "search"):
            killed = Cache(tmp_path / f"{kind}-killed", url)
            assert begun(kind, shared, "2/3", killed, 3).wait() == -signal.SIGKILL
            if kind == "search":
                stage(kind, shared, "1,3/3", Cache(tmp_path / "others", url))
                early = Cache(tmp_path / "early", url)
                with pytest.raises(DataError, match=r"of 6 blocks (is|are) not searched yet: .*5"):
                    reduce_experiment(shared, cache=early, shards=3)
            # At once, one of them twice, each on a machine of its own.
            jobs = {f"{kind}{at}": shard for at, shard in enumerate(("3/3", "1/3", "2/3", "2/3"))}
            processes = [
                begun(kind, shared, shard, Cache(tmp_path / name, url), -1)
                for name, shard in jobs.items()
            ]
            assert [process.wait() for process in processes] == [0] * len(jobs)
            assert not any(stage(kind, shared, "1-3/3", Cache(tmp_path / "again", url)).values())
        system, root = fsspec.core.url_to_fs(url, skip_instance_cache=True)
        damaged, cut = sorted(system.find(f"{root}/found"))[3:5]
        content = bytearray(system.cat_file(damaged))
        content[-9] ^= 4
        system.pipe_file(damaged, bytes(content))
        system.pipe_file(cut, system.cat_file(cut)[:100])
        last, noted = Cache(tmp_path / "last", url), Witness()
        same(
            reduce_experiment(shared, cache=last, output=tmp_path / "reduced", progress=noted),
            wanted,
        )
        assert sum("found" in note for note in noted.notes) == 2, noted.notes
        command = ["reduce", str(shared), "--output", str(tmp_path / "x")]
        assert main([*command, "--store", "s3://nosuch/ragscore"]) != 0
        assert "s3://nosuch/ragscore: the store cannot be used" in capsys.readouterr().err
