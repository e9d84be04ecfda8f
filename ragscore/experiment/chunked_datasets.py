"""From documents to the passages that the retrievers of an experiment search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragscore.chunking import ChunkerSpec, cut
from ragscore.dataset import Dataset
from ragscore.errors import ConfigError, Problem
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.corpus_retriever import CorpusRetriever
from ragscore.retrievers.graph import with_inputs
from ragscore.spec import canonical_json
from ragscore.validation.findings import show_path

CUT_IT = "Write chunk: {kind: characters, size: 800} there"
CUT_THEM = f"{CUT_IT}, or at the top of the file for all retrievers"


def chunker_name(chunker: ChunkerSpec) -> str:
    """What a chunker is called in results: its kind, and the options that are not the default.

    >>> from ragscore.chunking import CharacterChunker
    >>> chunker_name(CharacterChunker(size=400))
    'characters(size=400)'
    """
    options = chunker.model_dump(mode="json", exclude_defaults=True, exclude={"kind", "folder"})
    inside = ", ".join(
        f"{key}={value if isinstance(value, str) else canonical_json(value)}"
        for key, value in options.items()
    )
    return f"{chunker.kind}({inside})" if inside else chunker.kind


def chunkers_of(retrievers: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The chunkers whose chunks a retriever returns, by name: its own, or those of its inputs. None
    for one that searches other passages, or whatever the others have cut."""
    specs = {key: spec for key, spec in retrievers.items() if isinstance(spec, RetrieverSpec)}
    found: dict[str, None] = {}
    for spec in with_inputs(specs, [name]).values():
        if (chunker := _chunker(spec)) is not None:
            found[chunker_name(chunker)] = None
        elif not spec.inputs():
            return ()
    known = {*specs}
    foreign = any(
        source not in known
        for spec in with_inputs(specs, [name]).values()
        for source in spec.inputs()
    )
    return () if foreign else tuple(found)


def chunked(dataset: Dataset, retrievers: Mapping[str, Any], wanted: Iterable[str] = ()) -> Dataset:
    """The dataset, its documents cut into passages by the chunkers of the retrievers.

    Args:
        dataset: as it was loaded.
        retrievers: specs, or Python functions, objects and classes, by name.
        wanted: names of those that are to run; by default all. What they are built on runs too.

    Returns:
        The dataset itself where no retriever has a chunker.

    Raises:
        ConfigError: a chunker has nothing to cut, or nothing says how documents are cut.
        DataError, MissingPackageError: as :func:`~ragscore.chunking.cut`.
    """
    if problems := list(chunk_problems(dataset, retrievers, wanted)):
        raise ConfigError(problems)
    needed = _needed(retrievers, wanted)
    chunkers = {
        chunker_name(chunker): chunker
        for spec in needed.values()
        if (chunker := _chunker(spec)) is not None
    }
    dataset = dataset.uncut or dataset
    if dataset.documents is None or not chunkers:
        return dataset
    return dataset.chunked(
        {name: cut(chunker, dataset.documents) for name, chunker in chunkers.items()}
    )


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
