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

CUT_THEM = (
    "Write chunk: {kind: characters, size: 800} there, or at the top of the file for all retrievers"
)


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
    specs = {name: spec for name, spec in retrievers.items() if isinstance(spec, RetrieverSpec)}
    needed = with_inputs(specs, tuple(wanted) or tuple(specs))
    if problems := list(_problems(dataset, needed)):
        raise ConfigError(problems)
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


def _chunker(spec: RetrieverSpec) -> ChunkerSpec | None:
    return spec.chunk if isinstance(spec, CorpusRetriever) else None


def _problems(dataset: Dataset, needed: Mapping[str, RetrieverSpec]) -> Iterator[Problem]:
    cutting = [name for name, spec in needed.items() if _chunker(spec) is not None]
    for name, spec in needed.items():
        if not isinstance(spec, CorpusRetriever) or not (spec.needs_corpus or spec.chunk):
            continue
        place = show_path(("retrievers", name))
        if spec.chunk is not None and dataset.documents is None:
            yield Problem(
                "the dataset has no documents that could be cut",
                f"{place}.chunk, {dataset.name}",
                "Leave chunk out: the passages are searched as they are",
            )
        elif spec.chunk is None and dataset.documents is not None and dataset.corpus is None:
            yield Problem(
                "the dataset has documents, and nothing says how they are cut into passages",
                f"{place}, {dataset.name}",
                CUT_THEM,
            )
        elif spec.chunk is None and cutting and dataset.documents is not None:
            yield Problem(
                f"it searches the dataset's own passages, and {cutting[0]} searches chunks: no "
                "judgment is common to both",
                f"{place}, {dataset.name}",
                f"{CUT_THEM}, or leave chunk out everywhere",
            )
        elif spec.chunk is None and _evidence_alone(dataset):
            yield Problem(
                "it searches the dataset's own passages, and all judgments are evidence in "
                "documents: none of these passages is relevant",
                f"{place}, {dataset.name}",
                f"{CUT_THEM}, or judge the passages in the ground truth",
            )


def _evidence_alone(dataset: Dataset) -> bool:
    """Whether there are passages, and evidence is all that answers queries."""
    found = dataset.corpus is not None and dataset.evidence is not None
    return found and dataset.chunkings is None and not (dataset.qrels.grades > 0).any()
