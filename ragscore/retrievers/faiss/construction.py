"""Making a FAISS index: its factory string, search parameters, training, adding.

FAISS reports what it cannot do as failed C++ assertions, and what it advises on stderr. Both
are foreseen here, and said as errors with a remedy and as notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PositiveInt

from ragscore.canonical import Metric
from ragscore.encoders import Vectors
from ragscore.errors import Problem, RetrieverError, did_you_mean
from ragscore.messages import _
from ragscore.progress import Progress
from ragscore.spec import Spec

SEARCH_PARAMETERS = (
    "nprobe",
    "efSearch",
    "quantizer_nprobe",
    "quantizer_efSearch",
    "k_factor_rf",
    "max_codes",
    "ht",
)
"""The search parameters of FAISS; which of them fit depends on the index."""

ADVISED = 39
"""Training vectors for each centroid below which FAISS calls a clustering poor."""

USED = 256
"""Training vectors for each centroid that FAISS uses at most."""
MIN_CENTROIDS = 256
"""Of what is trained without centroids that are known beforehand, such as a rotation."""

UNKNOWN_DIMENSION = 768
"""Stands in until the encoder's own is known; strings that need another one pass."""

GRAPH_BLOCK = 4096
"""Vectors added to a graph between two reports of progress."""


class Training(Spec):
    """How an index that needs training is trained."""

    size: PositiveInt | None = None
    """Passages drawn at random to train on; by default all of them, of which FAISS uses at most
    256 for each centroid."""
    seed: int = Field(default=1234, ge=0, lt=2**31)
    """Random seed of the draw and of every clustering."""


class UnfitError(Exception):
    """What was asked of FAISS cannot be; ``problem`` says why, and names the option."""

    def __init__(self, what: str, instead: str = "", option: str = "index") -> None:
        super().__init__(what)
        self.problem = Problem(what, where=option, instead=instead)


def factory(text: str, dimension: int | None, metric: Metric) -> Any:
    """An empty index from a factory string; None if only the dimension will tell.

    Args:
        text: as ``faiss.index_factory`` reads it.
        dimension: of the vectors; None if it is not known yet.
        metric: cosine is inner product over vectors of length 1.

    Raises:
        UnfitError: FAISS cannot parse the string, or cannot make it for this dimension or metric.
    """
    import faiss

    number = faiss.METRIC_L2 if metric == "l2" else faiss.METRIC_INNER_PRODUCT
    try:
        return faiss.index_factory(dimension or UNKNOWN_DIMENSION, text, number)
    except (RuntimeError, MemoryError) as error:
        if "could not parse" in str(error):
            raise UnfitError(
                f"'{text}' is not a FAISS factory string",
                "Examples: Flat, IVF256,Flat, HNSW32, IVF256,PQ48, SQ8",
            ) from error
        if "METRIC_L2" in str(error):
            raise UnfitError(
                f"'{text}' exists in FAISS for the metric l2 only", "Set metric: l2"
            ) from (error)
        if dimension is None:
            return None
        raise UnfitError(
            f"'{text}' does not fit vectors of {dimension:,} dimensions ({reason(error)})",
            f"Use numbers that divide {dimension:,}",
        ) from error


def set_search(index: Any, parameters: Mapping[str, float], text: str) -> None:
    """Set search parameters on an index made from the factory string ``text``.

    Raises:
        UnfitError: the index has no such parameter.
    """
    for name, value in parameters.items():
        if name not in SEARCH_PARAMETERS or not _sets(index, name, value):
            fit = [known for known in SEARCH_PARAMETERS if _sets(index, known, 1)]
            allowed = did_you_mean(name, fit) if fit else "It has none; leave `search` out"
            raise UnfitError(
                f"an index '{text}' has no search parameter '{name}'", allowed, "search"
            )


def _sets(index: Any, name: str, value: float) -> bool:
    import faiss

    try:
        faiss.ParameterSpace().set_index_parameter(index, name, value)
    except RuntimeError:
        return False
    return True


def train(index: Any, vectors: Vectors, training: Training, progress: Progress, name: str) -> None:
    """Train an index where it needs that; repeatable, and silent.

    Raises:
        UnfitError: there are fewer vectors than the index has centroids.
    """
    import faiss

    if index.is_trained:
        return
    if training.size is not None and training.size < len(vectors):
        vectors = vectors[sampled_rows(len(vectors), training.size, training)]
    count, kept = len(vectors), []
    needs: dict[str, int] = {}
    for part in parts(index):
        for clustering, what, centroids in _clusterings(part):
            needs[what] = max(needs.get(what, 0), centroids)
            clustering.min_points_per_centroid = 1
            clustering.seed = training.seed
        if hasattr(part, "do_polysemous_training"):
            part.do_polysemous_training = False  # takes seconds, and no search here uses it
        if isinstance(part, faiss.OPQMatrix) and part.pq is None:
            # Its own product quantizer is made inside FAISS, out of reach; a given one is not.
            quantizer = faiss.ProductQuantizer(part.d_out, part.M, 8)
            quantizer.cp.min_points_per_centroid = 1
            quantizer.cp.seed = training.seed
            part.pq = quantizer
            kept.append((part, quantizer))
            needs["OPQ"] = max(needs.get("OPQ", 0), quantizer.ksub)
        if isinstance(part, faiss.PCAMatrix):
            needs["PCA"] = max(needs.get("PCA", 0), part.d_out)
    short = {what: centroids for what, centroids in needs.items() if count < centroids}
    if short:
        least = max(short.values())
        wanted = ", ".join(f"{what} needs {centroids:,}" for what, centroids in short.items())
        raise UnfitError(
            f"{count:,} passages are too few to train this index ({wanted})",
            f"Use fewer lists or smaller codes, or at least {least:,} passages; "
            "Flat and HNSW need no training",
        )
    poor = {what: size for what, size in needs.items() if what != "PCA" and count < ADVISED * size}
    if poor:
        what, most = max(poor.items(), key=lambda item: item[1])
        facts = {"count": f"{count:,}", "centroids": f"{most:,}", "part": what}
        progress.note(
            _(
                "{name}: {count} passages train {centroids} centroids ({part}); FAISS "
                "advises at least {least}",
                name=name,
                least=f"{ADVISED * most:,}",
                **facts,
            )
        )
    try:
        index.train(vectors)
    finally:
        for part, *__ in kept:
            part.pq = None


def sample_size(index: Any, training: Training, count: int) -> int:
    """How many of ``count`` passages are drawn to train an index that is added to block by block:
    by default as many as FAISS uses; 0 if it needs no training."""
    if index.is_trained:
        return 0
    centroids = [MIN_CENTROIDS]
    for part in parts(index):
        centroids += [size for _, _, size in _clusterings(part)]
    return min(training.size or USED * max(centroids), count)


def sampled_rows(count: int, size: int, training: Training) -> NDArray[np.int64]:
    """Rows of the passages that an index is trained on, ascending."""
    chosen = np.random.default_rng(training.seed).choice(count, size, replace=False)
    return np.sort(chosen)


def add(index: Any, vectors: Vectors, threads: int, progress: Progress, name: str) -> None:
    """Add vectors behind those that are there, each with its row as its id; a graph with
    ``threads`` threads."""
    kinds = [type(part).__name__ for part in parts(index)]
    if any(kind.startswith("IndexIDMap") for kind in kinds):
        index.add_with_ids(vectors, index.ntotal + np.arange(len(vectors)))
    elif any(kind.startswith("IndexHNSW") for kind in kinds):
        stage = progress.stage(_("building {name}", name=name), len(vectors), "passages")
        with graph_threads(threads), stage:
            for start in range(0, len(vectors), GRAPH_BLOCK):
                block = vectors[start : start + GRAPH_BLOCK]
                index.add(block)
                stage.advance(len(block))
    else:
        with graph_threads(threads if any("NSG" in kind for kind in kinds) else None):
            index.add(vectors)


@contextmanager
def graph_threads(threads: int | None) -> Iterator[None]:
    """Let FAISS use this many threads; None leaves it as it is."""
    import faiss

    before = faiss.omp_get_max_threads()
    if threads is not None:
        faiss.omp_set_num_threads(threads)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def parts(index: Any, *, quantizers: bool = True) -> Iterator[Any]:
    """An index and all it is made of, each as its own class. The index must outlive them.

    Args:
        quantizers: also what finds the lists of an IVF index, whose size is that of the lists.
    """
    import faiss

    whole = faiss.downcast_index(index)
    yield whole
    chain = getattr(whole, "chain", None)
    if chain is not None:
        for at in range(chain.size()):
            yield faiss.downcast_VectorTransform(chain.at(at))
    for name in ("index", "base_index", "refine_index", "quantizer", "storage"):
        part = None if name == "quantizer" and not quantizers else getattr(whole, name, None)
        if part is not None:
            yield from parts(part, quantizers=quantizers)


def unwrapped(index: Any) -> Any:
    """An index without what maps its ids, which are rows here anyway, as its own class."""
    import faiss

    part: Any = faiss.downcast_index(index)
    return faiss.downcast_index(part.index) if isinstance(part, faiss.IndexIDMap) else part


def is_flat(part: Any) -> bool:
    """Whether an index is nothing but vectors; what derives from these classes is more."""
    import faiss

    return type(part) in (faiss.IndexFlat, faiss.IndexFlatIP, faiss.IndexFlatL2)


def _clusterings(part: Any) -> Iterator[tuple[Any, str, int]]:
    """Each k-means of one part: its parameters, what it is for, how many centroids."""
    if hasattr(part, "nlist") and hasattr(part, "cp"):
        yield part.cp, "IVF", part.nlist
    if hasattr(part, "pq"):
        quantizer = part.pq
        if hasattr(quantizer, "cp"):
            yield quantizer.cp, "PQ", quantizer.ksub
    if hasattr(part, "rq"):
        yield part.rq.cp, "RQ", max(1 << bits for bits in _bits(part.rq))


def _bits(quantizer: Any) -> list[int]:
    return [quantizer.nbits.at(at) for at in range(quantizer.nbits.size())]


def reason(error: BaseException) -> str:
    """FAISS's message, without the C++ function and the place in its source."""
    text = " ".join(str(error).split())
    text = re.sub(r"^Error in .*? at \S+:\d+: ", "", text)
    return re.sub(r"^Error: '.*?' failed:? ?", "", text) or "no reason given"


def failed(what: str, error: RuntimeError, name: str) -> BaseException:
    """The error to raise where FAISS raised: one of the retriever, or the user's Ctrl-C."""
    if "interrupted" in str(error):  # Ctrl-C while FAISS computes
        return KeyboardInterrupt()
    return RetrieverError(f"{what} ({reason(error)})", retriever=name)
