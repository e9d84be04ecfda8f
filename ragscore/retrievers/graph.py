"""Retrievers that build on retrievers: the order to search them in, and their keys."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ragscore.errors import ConfigError, did_you_mean
from ragscore.retrievers.base import MetadataRead, RetrieverSpec


def search_order(specs: Mapping[str, RetrieverSpec], given: Collection[str] = ()) -> list[str]:
    """The names, inputs before what is built on them, otherwise in the order given.

    Args:
        specs: retrievers by name.
        given: names that may be inputs too, though no spec describes them (Python functions).

    Raises:
        ConfigError: an input is missing, or a retriever is built on itself.
    """
    for name, spec in specs.items():
        for source in spec.inputs():
            if source not in specs and source not in given:
                others = [other for other in (*specs, *given) if other != name]
                raise ConfigError(
                    f"there is no retriever '{source}'",
                    where=f"retrievers.{name}",
                    instead=did_you_mean(source, others),
                )
    for cycle in cycles({name: spec.inputs() for name, spec in specs.items()}):
        raise ConfigError(
            f"the retriever is built on itself: {' -> '.join(cycle)}",
            where=f"retrievers.{cycle[0]}",
            instead="Take one of these out of another's inputs",
        )
    order: dict[str, None] = {}
    for name in specs:
        _place(name, specs, order)
    return list(order)


def cycles(inputs: Mapping[str, Collection[str]]) -> Iterator[tuple[str, ...]]:
    """The ways on which names lead back to themselves, the first name at both ends: for each name
    a shortest one, and of those over the same names the first.

    Args:
        inputs: what each name is built on; what no name describes is passed over.

    >>> list(cycles({"a": ["b"], "b": ["c", "x"], "c": ["b"], "d": ["d"]}))
    [('b', 'c', 'b'), ('d', 'd')]
    """
    found: set[frozenset[str]] = set()
    for start in inputs:
        ways: list[tuple[str, ...]] = [(start,)]
        seen: set[str] = set()
        for way in ways:  # it grows
            coming = inputs.get(way[-1], ())
            if start in coming:
                if frozenset(way) not in found:
                    found.add(frozenset(way))
                    yield (*way, start)
                break
            ways.extend((*way, name) for name in coming if name not in seen)
            seen.update(coming)


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


def _place(name: str, specs: Mapping[str, RetrieverSpec], order: dict[str, None]) -> None:
    """Put a retriever behind what it is built on, where both are not placed yet."""
    if name in order or name not in specs:
        return
    for source in specs[name].inputs():
        _place(source, specs, order)
    order[name] = None
