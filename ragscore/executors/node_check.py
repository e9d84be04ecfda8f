"""Whether the nodes of a cluster can work for this machine: versions, and the store.

An entry of the cache is found by a key that has versions of packages in it. A node with others
would fill the store with entries that nobody here looks for, so it is refused before it begins.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ragscore import version as own_version
from ragscore.cache import Cache
from ragscore.errors import ConfigError, Problem, RagscoreError

KIND = "node-check"
"""The cache's kind of the entries that nodes write and this process looks for."""
PACKAGES = {
    "ragscore-eval": 3,
    "bm25s": 3,
    "PyStemmer": 3,
    "faiss-cpu": 2,
    "kiwipiepy": 3,
    "kiwipiepy_model": 3,
    "model2vec": 2,
    "polars": 3,
    "regex": 3,
    "sentence-transformers": 2,
    "tokenizers": 3,
    "torch": 2,
    "transformers": 2,
}
"""Packages that entries depend on, and how many numbers of their versions have to be equal."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node, as a worker on it describes it.

    Attributes:
        address: of the node.
        versions: what is installed on it: package to version.
        error: why it cannot write into the store, or do a job; None if it can.
    """

    address: str
    versions: Mapping[str, str]
    error: str | None = None


def versions() -> dict[str, str]:
    """What is installed here that entries depend on: package to version, empty if missing."""
    found = {
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "ragscore": f"{own_version.__version__} ({_sources()})",
    }
    for package, numbers in PACKAGES.items():
        version = (own_version.installed_version(package) or "").partition("+")[0]
        found[package] = ".".join(version.split(".")[:numbers])
    return found


@lru_cache(maxsize=1)
def _sources() -> str:
    """Eight letters that change with the code: a clone has the version of the last release."""
    found = hashlib.sha256()
    folder = Path(own_version.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        found.update(path.relative_to(folder).as_posix().encode() + b"\0")
        found.update(path.read_bytes())
    return found.hexdigest()[:8]


def describe_node(address: str, place: str, key: str) -> Node:
    """On a node: what it has, after an entry was written into the store at a place."""
    error = None
    try:
        Cache.at(place).entry(KIND, key, lambda folder: _write(folder, address))
    except RagscoreError as failure:
        error = str(failure)
    return Node(address, versions(), error)


def _write(folder: Path, address: str) -> None:
    (folder / "node.txt").write_text(address, encoding="utf-8")


def check_versions(node: Node) -> None:
    """Refuse a node that has other versions than this machine.

    Raises:
        ConfigError: names them.
    """
    if (problem := _skew(node)) is not None:
        raise ConfigError(problem)


def check_nodes(nodes: Sequence[tuple[Node, str]], cache: Cache) -> None:
    """Refuse nodes that cannot work for this machine.

    Args:
        nodes: each with the key of the entry that it was to write.
        cache: where this process looks for the entries.

    Raises:
        ConfigError: one problem for each node.
    """
    found = [(_skew(node) or _unreached(node, key, cache)) for node, key in nodes]
    if problems := [problem for problem in found if problem is not None]:
        raise ConfigError(problems)


def _skew(node: Node) -> Problem | None:
    """What is installed on a node in another version than here."""
    unlike = [
        f"{package} {node.versions.get(package) or 'is missing'}, here {version or 'it is missing'}"
        for package, version in versions().items()
        if node.versions.get(package) != version
    ]
    if not unlike:
        return None
    return Problem(
        f"it has other versions than this machine: {'; '.join(unlike)}",
        f"executor, node {node.address}",
        "Install the same on all nodes and start the cluster again: what a node makes is found by "
        "the versions that made it",
    )


def _unreached(node: Node, key: str, cache: Cache) -> Problem | None:
    """That a node does not reach the store."""
    where = f"executor, node {node.address}"
    if node.error is not None:
        return Problem(f"it cannot write into the store: {node.error}", where)
    found = cache.read(KIND, key, lambda folder: (folder / "node.txt").read_text("utf-8"))
    cache.delete(KIND, key)
    if found != node.address:
        return Problem(
            f"what it wrote into the store {cache.place} is not there for this machine",
            where,
            "Name one as store: that all nodes reach, a folder that they mount or the URL of an "
            "object store",
        )
    return None
