"""What an experiment says for several retrievers at once: ``defaults`` for a kind, ``fields`` and
``chunk``.

All are applied to plain data before it is checked: every retriever gets the options that it does
not have itself, and nothing else knows of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ragscore.chunking import Chunker
from ragscore.errors import ConfigError, Problem, did_you_mean
from ragscore.retrievers import RETRIEVERS
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.corpus_retriever import IndexedFields
from ragscore.validation.annotations import keys_of
from ragscore.validation.findings import Finding, KeyPath, checked, show_path
from ragscore.validation.wording import CONTRADICTION

_SHARED: Mapping[str, TypeAdapter[Any]] = {
    "fields": TypeAdapter(IndexedFields),
    "chunk": TypeAdapter(Chunker),
}
"""By option that every retriever with it takes from the experiment: what it may be."""


@dataclass
class WithDefaults:
    """An experiment's plain data, every retriever with its defaults.

    Attributes:
        data: without ``defaults``, ``fields`` and ``chunk``, unless they are of another type
            altogether.
        found: what is wrong in ``defaults``.
        origins: by name and key of an option that a retriever did not have, where it was written.
    """

    data: dict[str, Any]
    found: list[Finding] = field(default_factory=list)
    origins: dict[tuple[str, str], KeyPath] = field(default_factory=dict)

    def written(self, path: KeyPath) -> KeyPath:
        """Where that which is at a path of ``data`` was written."""
        if len(path) < 3 or path[0] != "retrievers":
            return path
        origin = self.origins.get((str(path[1]), str(path[2])))
        return path if origin is None else (*origin, *path[3:])

    def defaults_of(self, path: KeyPath) -> list[KeyPath]:
        """Where the options that a retriever at a path did not have were written."""
        if len(path) != 2 or path[0] != "retrievers":
            return []
        return [origin for (name, _), origin in self.origins.items() if name == path[1]]

    def is_found(self, path: KeyPath) -> bool:
        """Whether something is wrong already where that which is at a path was written."""
        written = self.written(path)
        return written != path and any(
            finding.path[: len(written)] == written or written[: len(finding.path)] == finding.path
            for finding in self.found
        )

    def problems(self) -> list[Problem]:
        """What is wrong, outside of a file."""
        return [Problem(found.what, show_path(found.path), found.instead) for found in self.found]


def with_defaults(data: Mapping[str, Any]) -> WithDefaults:
    """Apply ``defaults``, ``fields`` and ``chunk`` of an experiment's plain data to its retrievers.

    An option of a retriever wins over the default of its kind, which wins over those two; each is
    taken or left as a whole.

    >>> experiment = {"retrievers": {"a": {"kind": "bm25", "b": 0.4}}, "fields": ["text"]}
    >>> with_defaults({**experiment, "defaults": {"bm25": {"k1": 0.9, "b": 0.9}}}).data
    {'retrievers': {'a': {'k1': 0.9, 'fields': ['text'], 'kind': 'bm25', 'b': 0.4}}}
    """
    applied = WithDefaults(dict(data))
    written = data.get("defaults")
    by_kind = dict[str, Mapping[str, Any]]()
    if isinstance(written, Mapping):
        by_kind = {kind: of for kind, of in written.items() if isinstance(of, Mapping)}
        applied.data["defaults"] = {kind: of for kind, of in written.items() if kind not in by_kind}
        if not applied.data["defaults"]:  # else they are wrong as any value of another type is
            del applied.data["defaults"]
        applied.found += _wrong(by_kind)
    shared = {
        key: data[key]
        for key, wanted in _SHARED.items()
        if data.get(key) is not None and _fits(wanted, data[key])
    }
    for key in shared:
        del applied.data[key]
    retrievers = data.get("retrievers")
    if isinstance(retrievers, Mapping) and (by_kind or shared):
        applied.data["retrievers"] = {
            name: _completed(applied, name, retriever, by_kind, shared)
            for name, retriever in retrievers.items()
        }
    return applied


def _completed(
    applied: WithDefaults,
    name: str,
    retriever: Any,
    by_kind: Mapping[str, Any],
    shared: Mapping[str, Any],
) -> Any:
    """A retriever, as plain data or made in Python, with what it does not say itself."""
    kind: Any
    if isinstance(retriever, RetrieverSpec):
        kind, own = retriever.kind, set(retriever.model_fields_set)
    elif isinstance(retriever, Mapping):
        kind, own = retriever.get("kind"), set(retriever)
    else:
        return retriever
    model = _model(kind)
    if model is None:
        return retriever
    given: dict[str, KeyPath] = {key: ("defaults", kind, key) for key in by_kind.get(kind, {})}
    options = dict(by_kind.get(kind, {}))
    for key, value in shared.items():
        if key in model.model_fields and key not in options:
            given[key], options[key] = (key,), value
    added = {key: value for key, value in options.items() if key not in own}
    applied.origins.update({(name, key): given[key] for key in added})
    if isinstance(retriever, Mapping):
        return {**added, **retriever}
    return retriever if applied.found else retriever.changed(**added)


def _wrong(by_kind: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    for kind, options in by_kind.items():
        path = ("defaults", kind)
        try:
            model = RETRIEVERS.load(kind)
        except ConfigError as error:
            yield Finding(path, error.problems[0].what, error.problems[0].instead, "key")
            continue
        known = [key for key in keys_of(model) if key != "kind"]
        for key in options:
            if key not in known:
                yield Finding((*path, key), "unknown key", did_you_mean(str(key), known), "key")
        given = {key: value for key, value in options.items() if key in known}
        _, found = checked(model, {"kind": kind, **given})
        for finding in found:
            # What is missing, or does not go together, is a matter of each retriever.
            if finding.path and finding.path[0] in given and finding.type != CONTRADICTION:
                yield Finding((*path, *finding.path), finding.what, finding.instead, finding.at)


def _model(kind: Any) -> type[RetrieverSpec] | None:
    try:
        return RETRIEVERS.load(kind) if isinstance(kind, str) else None
    except ConfigError:
        return None


def _fits(wanted: TypeAdapter[Any], value: Any) -> bool:
    try:
        wanted.validate_python(value)
    except (ValidationError, ConfigError):
        return False
    return True
