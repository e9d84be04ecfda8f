"""Retrievers that build on retrievers: the order to search them in, and their keys."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ragscore.errors import ConfigError, Problem, did_you_mean
from ragscore.retrievers.base import MetadataRead, RetrieverSpec


def search_order(specs: Mapping[str, RetrieverSpec], given: Collection[str] = ()) -> list[str]:
    """The names, inputs before what is built on them, otherwise in the order given.

    Args:
        specs: retrievers by name.
        given: names that may be inputs too, though no spec describes them (Python functions).

    Raises:
        ConfigError: an input is missing, or a retriever is built on itself.
    """
    order: dict[str, None] = {}
    for name in specs:
        _visit(name, specs, given, (), order)
    return list(order)


def with_inputs(
    specs: Mapping[str, RetrieverSpec], wanted: Collection[str]
) -> dict[str, RetrieverSpec]:
    """The wanted ones and what they are built on, in the order given."""
    needed: set[str] = set()
    coming = list(wanted)
    while coming:
        name = coming.pop()
        if name in specs and name not in needed:
            needed.add(name)
            coming.extend(specs[name].inputs())
    return {name: spec for name, spec in specs.items() if name in needed}


def beyond_depth(spec: RetrieverSpec, depth: int) -> Problem | None:
    """What is wrong where a retriever reads more of its inputs than an experiment records; None
    where nothing is. ``where`` is the option that says how much, where there is one.

    Args:
        spec: the retriever.
        depth: how many passages a run records for a query.
    """
    read = spec.search_depth(depth) if spec.inputs() else 0
    if read <= depth:
        return None
    option = "n" if "n" in type(spec).model_fields else ""
    return Problem(
        f"it reads {read:,} passages of {' and '.join(spec.inputs())}, above the depth {depth:,}",
        where=option,
        instead=f"Write depth: {read}, or {option or 'read'} up to {depth}",
    )


def informed(specs: Mapping[str, RetrieverSpec]) -> dict[str, RetrieverSpec]:
    """The retrievers with what each has to know of those that it is built on."""
    return {
        name: spec.informed({source: specs[source] for source in spec.inputs() if source in specs})
        for name, spec in specs.items()
    }


def metadata_read(specs: Mapping[str, RetrieverSpec], name: str) -> MetadataRead:
    """The metadata that a retriever reads, or one that it is built on."""
    read = [spec.metadata_read() for spec in with_inputs(specs, [name]).values()]
    return MetadataRead(
        frozenset().union(*(each.passages for each in read)),
        frozenset().union(*(each.queries for each in read)),
    )


def keys(specs: Mapping[str, RetrieverSpec]) -> dict[str, str]:
    """Each retriever's key by name, that of its inputs included: renaming changes none.

    Raises:
        ConfigError: as :func:`search_order`.
    """
    found: dict[str, str] = {}
    for name in search_order(specs):
        found[name] = specs[name].key(found)
    return {name: found[name] for name in specs}


def _visit(
    name: str,
    specs: Mapping[str, RetrieverSpec],
    given: Collection[str],
    path: tuple[str, ...],
    order: dict[str, None],
) -> None:
    if name in order:
        return
    if name in path:
        cycle = (*path[path.index(name) :], name)
        raise ConfigError(
            f"the retriever is built on itself: {' -> '.join(cycle)}",
            where=f"retrievers.{name}",
            instead="Take one of these out of another's inputs",
        )
    for source in specs[name].inputs():
        if source in specs:
            _visit(source, specs, given, (*path, name), order)
        elif source not in given:
            others = [other for other in (*specs, *given) if other != name]
            raise ConfigError(
                f"there is no retriever '{source}'",
                where=f"retrievers.{name}",
                instead=did_you_mean(source, others),
            )
    order[name] = None
