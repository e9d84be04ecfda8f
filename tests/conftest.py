"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from tests.factories.thorough import examples

ROOT = Path(__file__).resolve().parent.parent
# Made absolute at once: a test may change the working folder later.
CONFORMANCE = os.environ.get("RAGSCORE_CONFORMANCE_DATA")
CONFORMANCE_FOLDER = Path(CONFORMANCE).resolve() if CONFORMANCE else None

# The same examples each time, so that a red test is the fault of the change that it is run for;
# new ones are tried with --hypothesis-profile=explore.
# A busy machine is no fault: no example has to be done in time.
settings.register_profile("same", derandomize=True, deadline=None, max_examples=examples(150))
settings.register_profile("explore", derandomize=False, deadline=None, print_blob=True)
settings.load_profile("same")

# One thread for each worker, as there are no fewer workers than cores: libraries with threads of
# their own wait for each other at full speed, and encoding takes twice the time. Set before they
# are loaded.
for library in ("OMP", "OPENBLAS"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# Some machines tell Python not to keep bytecode. Then pytest writes the asserts of every test file
# anew, and each of the many commands that tests start compiles ragscore, which takes half its time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell that has tests run in the background has them ignore Ctrl-C, and so what they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

IN_ONE_WORKER = {
    "tests/report/index/": "results that the index page lists",
    "tests/report/": "results, pages and a browser",
    **dict.fromkeys(
        (
            "tests/cli/test_compare_docs.py",
            "tests/disk/test_full_disk.py::test_vectors_that_cannot_be_kept_are_used",
            "tests/chunking/test_sentences.py",
            "tests/encoders/",
            "tests/experiment/config/test_wrong_models.py",
            "tests/experiment/sweep/test_sweeping.py",
            "tests/experiment/test_cost.py",
            "tests/experiment/test_damaged_cache.py",
            "tests/experiment/test_exact_runs.py",
            "tests/experiment/test_running_again.py",
            "tests/experiment/test_shared_encoding.py",
            "tests/experiment/test_truncation.py",
            "tests/pages/",
            "tests/retrievers/faiss/",
            "tests/retrievers/multi_vector/",
            "tests/retrievers/rerank/",
            "tests/retrievers/sparse/",
            "tests/retrievers/test_titles.py",
            "tests/test_configs.py",
            "tests/test_datasets.py",
            "tests/text/test_tokenizers.py",
        ),
        "a model",
    ),
}
"""Where tests stand that share what takes long to make, and what that is: with ``-n``, those
that share it run in one worker, which makes it once. The first place that fits counts."""


SIMULATIONS = "tests/simulations/"
TABLES_OF = {
    f"{SIMULATIONS}test_{file}.py": names
    for file, names in {
        "intervals": ("shares", "means", "differences"),
        "rejections": ("exchangeable", "few", "clusters", "gaps", "margins"),
        "sweeps": ("sweeps", "choices", "best_sets"),
        "few": ("sparse", "sparse_power", "cluster_means"),
        "gate": ("gates", "gate_queries", "gate_tests"),
    }.items()
}
"""Which tables of simulations, that test_docs.py looks at, the tests of a file look at too."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Deals files of tests to the workers as they come, but those that share something together."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduler(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return part_of(nodeid)

    config.option.loadscopereorder = False  # see pytest_collection_modifyitems
    return Scheduler(config, log) if config.getoption("dist") == "load" else None


def part_of(nodeid: str) -> str:
    """What a test belongs to that one worker runs as a whole."""
    if nodeid.startswith(SIMULATIONS):
        return simulated(nodeid)
    shared = (what for place, what in IN_ONE_WORKER.items() if nodeid.startswith(place))
    return next(shared, nodeid.partition("::")[0])


def simulated(nodeid: str) -> str:
    """The file of the tests that read the same simulation: a table takes up to two minutes, and is
    made once for the docs and for them."""
    table = nodeid.partition("[")[2].rstrip("]")
    file = nodeid.partition("::")[0]
    return next((own for own, names in TABLES_OF.items() if table in names or own == file), nodeid)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Simulations first, then what is most: whoever gets one last would keep the others waiting."""
    part = {item.nodeid: part_of(item.nodeid) for item in items}
    size = Counter(part.values())
    items.sort(key=lambda item: (SIMULATIONS not in item.nodeid, -size[part[item.nodeid]]))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Examples in docstrings are ragscore's; to look for them in every test takes seconds."""
    collectors = yield
    return [found for found in collectors if not isinstance(found, DoctestModule)]


def pytest_collection_finish() -> None:
    """What was collected stays: the garbage collector need not look through it again and again."""
    gc.freeze()


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's top folder."""
    return ROOT


@pytest.fixture(scope="session")
def conformance() -> Path:
    """Real collections and runs; tests that need them skip where the variable is unset."""
    if CONFORMANCE_FOLDER is None:
        pytest.skip("RAGSCORE_CONFORMANCE_DATA is not set")
    return CONFORMANCE_FOLDER


@pytest.fixture
def vectors_kept() -> Iterator[None]:
    """What the model encoded for another test is not encoded again for this one."""
    from tests.factories.kept_vectors import kept_vectors

    with kept_vectors():
        yield


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Every test session has a cache of its own, never the user's; its workers share it, so that
    what one of them encoded none encodes again."""
    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RAGSCORE_CACHE", str(folder / "cache"))
        yield


@pytest.fixture(scope="session", autouse=True)
def unflushed() -> Iterator[None]:
    """Files that are written need not be on the disk: no test cuts the power, and a folder is
    flushed ten thousand times. Those that look at disks do flush."""
    flush = os.fsync

    def fsync(handle: int) -> None:
        if "tests/disk/" in os.environ.get("PYTEST_CURRENT_TEST", ""):
            flush(handle)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        yield
