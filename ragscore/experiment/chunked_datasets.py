"""From documents to the passages that the retrievers of an experiment search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ragscore.cache import Cache
from ragscore.chunking import ChunkerSpec, cut, kept_chunks
from ragscore.dataset import Chunks, Dataset
from ragscore.errors import ConfigError, Problem
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.corpus_retriever import CorpusRetriever
from ragscore.retrievers.graph import with_inputs
from ragscore.spec import canonical_json
from ragscore.validation.findings import show_path

CUT_IT = "Write chunk: {kind: characters, size: 800} there"
CUT_THEM = f"{CUT_IT}, or at the top of the file for all retrievers"


def chunker_name(chunker: ChunkerSpec, *, folder: bool = False) -> str:
    """What a chunker is called in results: its kind, and the options that are not the default.

    Args:
        chunker: a chunker.
        folder: name the folder of its code, too.

    >>> from ragscore.chunking import CharacterChunker
    >>> chunker_name(CharacterChunker(size=400))
    'characters(size=400)'
    """
    left_out = {"kind"} if folder else {"kind", "folder"}
    options = chunker.model_dump(mode="json", exclude_defaults=True, exclude=left_out)
    inside = ", ".join(
        f"{key}={value if isinstance(value, str) else canonical_json(value)}"
        for key, value in options.items()
    )
    return f"{chunker.kind}({inside})" if inside else chunker.kind


def chunker_names(retrievers: Mapping[str, Any]) -> dict[str, str]:
    """What the chunker of each retriever that has one is called in results: equal ones have one
    name, and two of one name that differ in the folder of their code are told apart by it."""
    chunkers = {
        name: chunker
        for name, spec in retrievers.items()
        if (chunker := _chunker(spec)) is not None
    }
    folders: dict[str, set[str | None]] = {}
    for chunker in chunkers.values():
        folders.setdefault(chunker_name(chunker), set()).add(getattr(chunker, "folder", None))
    return {
        name: chunker_name(chunker, folder=len(folders[chunker_name(chunker)]) > 1)
        for name, chunker in chunkers.items()
    }


def chunkers_of(retrievers: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The chunkers whose chunks each retriever returns, by name: its own, or those of its inputs.
    None for one that searches other passages, or whatever the others have cut."""
    specs = {key: spec for key, spec in retrievers.items() if isinstance(spec, RetrieverSpec)}
    names = chunker_names(specs)
    return {name: _returned(specs, names, name) for name in retrievers}


def _returned(
    specs: Mapping[str, RetrieverSpec], names: Mapping[str, str], name: str
) -> tuple[str, ...]:
    needed = with_inputs(specs, [name])
    sources = {source for spec in needed.values() for source in spec.inputs()}
    others = any(other not in names and not spec.inputs() for other, spec in needed.items())
    if others or not sources <= specs.keys():
        return ()
    return tuple(dict.fromkeys(names[other] for other in needed if other in names))


def chunked(
    dataset: Dataset,
    retrievers: Mapping[str, Any],
    wanted: Iterable[str] = (),
    cache: Cache | None = None,
    *,
    cut_for: Mapping[str, Any] | None = None,
    progress: Progress = SILENT,
) -> Dataset:
    """The dataset, its documents cut into passages by the chunkers of the retrievers.

    Args:
        dataset: as it was loaded, or cut already.
        retrievers: specs, or Python functions, objects and classes, by name.
        wanted: names of those that are to run; by default all. What they are built on runs too.
        cache: where chunks are kept; None keeps nothing.
        cut_for: the retrievers for which the dataset was cut: what equal chunkers made is not made
            again.
        progress: reports a damaged entry of the cache.

    Returns:
        The dataset itself where no retriever has a chunker.

    Raises:
        ConfigError: a chunker has nothing to cut, or nothing says how documents are cut.
        DataError, MissingPackageError: as :func:`~ragscore.chunking.cut`.
    """
    uncut, chunkers = _to_cut(dataset, retrievers, wanted)
    documents = uncut.documents
    if documents is None or not chunkers:
        return uncut
    made = _made(dataset, cut_for or {})
    found = {}
    for name, chunker in chunkers:
        chunks = made.get(chunker.canonical_json())
        found[name] = chunks or cut(chunker, documents, cache, progress=progress)
    return uncut.chunked(found)


def _made(dataset: Dataset, cut_for: Mapping[str, Any]) -> dict[str, Chunks]:
    """The chunks that a dataset has, by the options of their chunkers."""
    chunkings = dataset.chunkings
    if chunkings is None:
        return {}
    return {
        chunker.canonical_json(): chunkings.chunks.select(chunkings.rows[name])
        for retriever, name in chunker_names(cut_for).items()
        if name in chunkings.names and (chunker := _chunker(cut_for[retriever])) is not None
    }


@dataclass(frozen=True, eq=False)
class PlannedChunks:
    """What a plan knows of chunks.

    Attributes:
        dataset: cut by the chunkers whose chunks the cache has, and by those that are quick.
        missing: the others, by name.
    """

    dataset: Dataset
    missing: tuple[str, ...] = ()

    def uncut(self, retrievers: Mapping[str, Any]) -> frozenset[str]:
        """Those of some retrievers whose passages are not known before others are cut."""
        chunkings = self.dataset.chunkings
        known = set() if chunkings is None else set(chunkings.names)
        found = chunkers_of(retrievers) if self.missing else {}
        return frozenset(
            name for name, chosen in found.items() if not (chosen and known.issuperset(chosen))
        )


def planned_chunks(
    dataset: Dataset,
    retrievers: Mapping[str, Any],
    wanted: Iterable[str] = (),
    cache: Cache | None = None,
) -> PlannedChunks:
    """What :func:`chunked` would make, as far as that costs little: no foreign code is run, and
    nothing is written.

    Raises:
        ConfigError, DataError, MissingPackageError: as :func:`chunked`.
    """
    given, chunkers = _to_cut(dataset, retrievers, wanted)
    documents = given.documents
    if documents is None or not chunkers:
        return PlannedChunks(given)
    found = {
        name: kept_chunks(chunker, documents, cache)
        or (cut(chunker, documents) if chunker.quick else None)
        for name, chunker in chunkers
    }
    known = {name: chunks for name, chunks in found.items() if chunks is not None}
    missing = tuple(name for name in found if name not in known)
    return PlannedChunks(given.chunked(known) if known else given, missing)


def _to_cut(
    dataset: Dataset, retrievers: Mapping[str, Any], wanted: Iterable[str]
) -> tuple[Dataset, list[tuple[str, ChunkerSpec]]]:
    """The dataset as it was loaded, and the chunkers that cut it, by name."""
    if problems := list(chunk_problems(dataset, retrievers, wanted)):
        raise ConfigError(problems)
    needed, names = _needed(retrievers, wanted), chunker_names(retrievers)
    chunkers = {
        names[name]: chunker
        for name, spec in needed.items()
        if (chunker := _chunker(spec)) is not None
    }
    return dataset.uncut or dataset, list(chunkers.items())


def _chunker(spec: Any) -> ChunkerSpec | None:
    return spec.chunk if isinstance(spec, CorpusRetriever) else None


def _needed(retrievers: Mapping[str, Any], wanted: Iterable[str]) -> dict[str, RetrieverSpec]:
    specs = {name: spec for name, spec in retrievers.items() if isinstance(spec, RetrieverSpec)}
    return with_inputs(specs, tuple(wanted) or tuple(specs))


def chunk_problems(
    dataset: Dataset, retrievers: Mapping[str, Any], wanted: Iterable[str] = ()
) -> Iterator[Problem]:
    """What keeps the documents of a dataset from being cut as retrievers ask; nothing is cut.

    Args:
        dataset, retrievers, wanted: as :func:`chunked` takes them.
    """
    dataset, wanted = dataset.uncut or dataset, tuple(wanted) or tuple(retrievers)
    needed = _needed(retrievers, wanted)
    cutting = [name for name, spec in needed.items() if _chunker(spec) is not None]
    to_cut = dataset.documents is not None and dataset.corpus is None
    for name in dict.fromkeys([*needed, *wanted]):
        spec = retrievers[name]
        place = show_path(("retrievers", name))
        searches = isinstance(spec, CorpusRetriever) and spec.needs_corpus
        chunker = _chunker(spec)
        if chunker is not None and dataset.documents is None:
            yield Problem(
                "the dataset has no documents that could be cut",
                f"{place}.chunk, {dataset.name}",
                "Leave chunk out: the passages are searched as they are",
            )
        elif chunker is None and searches and to_cut:
            yield Problem(
                "the dataset has documents, and nothing says how they are cut into passages",
                f"{place}, {dataset.name}",
                CUT_THEM,
            )
        elif chunker is None and searches and cutting and dataset.documents is not None:
            yield Problem(
                f"it searches the dataset's own passages, and {cutting[0]} searches chunks: no "
                "judgment is common to both",
                f"{place}, {dataset.name}",
                f"{CUT_THEM}, or leave chunk out everywhere",
            )
        elif chunker is None and searches and _evidence_alone(dataset):
            yield Problem(
                "it searches the dataset's own passages, and all judgments are evidence in "
                "documents: none of these passages is relevant",
                f"{place}, {dataset.name}",
                f"{CUT_THEM}, or judge the passages in the ground truth",
            )
        elif not cutting and to_cut and dataset.evidence is not None and not _inputs(spec):
            instead = "Name a retriever beside it whose chunk makes the passages that it returns"
            if isinstance(spec, CorpusRetriever):
                instead = f"{CUT_IT}, or n{instead[1:]}"
            yield Problem(
                "nothing cuts the documents into passages, so that evidence would judge nothing "
                "that it returns",
                f"{place}, {dataset.name}",
                f"{instead}, by their ids: DOCUMENT:START-END",
            )


def _evidence_alone(dataset: Dataset) -> bool:
    """Whether there are passages, and evidence is all that answers queries."""
    found = dataset.corpus is not None and dataset.evidence is not None
    return found and not (dataset.qrels.grades > 0).any()


def _inputs(spec: Any) -> tuple[str, ...]:
    return spec.inputs() if isinstance(spec, RetrieverSpec) else ()
