"""What of a later result is what of an earlier one, and which facts differ: data, settings,
versions."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragscore.change.record import ChangedFact, DataChange
from ragscore.dataset import Dataset, Qrels, SampledCorpus
from ragscore.dataset.ground_truth_rows import passages_of_needs
from ragscore.errors import ConfigError, unknown_name
from ragscore.messages import Message, _, counted, joined
from ragscore.results.manifest import Manifest
from ragscore.results.settings import settings


@dataclass(frozen=True)
class MatchedNames:
    """Names of an earlier and of a later result that mean the same.

    Attributes:
        pairs: (earlier, later), in the order of the later result.
        only_before, only_after: names without a counterpart.
    """

    pairs: tuple[tuple[str, str], ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]


def matched_names(
    before: Sequence[str],
    after: Sequence[str],
    renamed: Mapping[str, str] | Collection[str] = (),
) -> MatchedNames:
    """Match names: as ``renamed`` says, else equal ones; where each result has only one name and
    nothing else matches, these two.

    Args:
        before, after: names of each result, in order.
        renamed: earlier name to later name; or texts ``OLD=NEW``, whose names may have ``=`` in
            them.

    >>> matched_names(["bm25", "old"], ["new", "bm25"], {"old": "new"}).pairs
    (('old', 'new'), ('bm25', 'bm25'))
    >>> matched_names(["old"], ["new"]).pairs
    (('old', 'new'),)
    >>> matched_names(["k1=1", "b"], ["k1=2", "b"], ["k1=1=k1=2"]).pairs
    (('k1=1', 'k1=2'), ('b', 'b'))

    Raises:
        ConfigError: ``renamed`` names something that is not there, one name twice, or can be read
            in several ways.
    """
    if isinstance(renamed, Mapping):
        listed = list(renamed.items())
    else:
        listed = [_renamed(text, before, after) for text in renamed]
    given = dict(listed)
    for side, asked, there in (
        ("earlier", given.keys(), before),
        ("later", given.values(), after),
    ):
        for name in asked:
            if name not in there:
                kind = f"retriever of the {side} result"
                raise ConfigError(unknown_name(kind, name, there, "pair"))
    if not len(set(given.values())) == len(given) == len(listed):
        raise ConfigError("one retriever is paired twice", where="pair", instead="Pair it once")
    old_of = {new: old for old, new in given.items()}
    for name in after:
        if name in before and name not in old_of and name not in given:
            old_of[name] = name
    if not old_of and len(before) == len(after) == 1:
        old_of[after[0]] = before[0]
    used = set(old_of.values())
    return MatchedNames(
        tuple((old_of[name], name) for name in after if name in old_of),
        tuple(name for name in before if name not in used),
        tuple(name for name in after if name not in old_of),
    )


def _renamed(text: str, before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    """The two names of ``OLD=NEW``: where these have ``=`` in them, as the results name them."""
    places = [at for at in range(1, len(text) - 1) if text[at] == "="]
    splits = [(text[:at], text[at + 1 :]) for at in places]
    if not splits:
        raise ConfigError(
            f"'{text}' is not OLD=NEW", where="pair", instead="Name both, such as bm25=lexical"
        )
    known = [(old, new) for old, new in splits if old in before and new in after]
    if len(known) > 1:
        meant = " or ".join(f"'{old}' and '{new}'" for old, new in known)
        raise ConfigError(
            f"'{text}' may mean {meant}", where="pair", instead="In Python, pairs takes a mapping"
        )
    return (known or splits)[0]


def counterpart(
    name: str, digest: str, before: Sequence[tuple[str, str]], *, only: bool
) -> int | None:
    """Which earlier dataset a later one is: of the same name, else of the same digest, else the
    only one; its place, None if there is none.

    Args:
        name, digest: of the later dataset; an empty digest is that of none.
        before: the name and digest of each earlier dataset.
        only: whether the later result has only this dataset.
    """
    names, digests = [name for name, _ in before], [digest for _, digest in before]
    if name in names:
        return names.index(name)
    if digest and digest in digests:
        return digests.index(digest)
    return 0 if only and len(before) == 1 else None


def data_change(
    digests: tuple[str, str],
    data: tuple[Dataset | None, Dataset | None],
    sampled: tuple[SampledCorpus | None, SampledCorpus | None],
    queries: Sequence[str],
) -> DataChange:
    """What differs between an earlier and a later dataset.

    Args:
        digests: of each; empty if it is not known.
        data: each; None if it cannot be read.
        sampled: of each, what its corpus is a sample of.
        queries: ids of those compared.
    """
    found = DataChange(digests, sampled=sampled)
    before, after = data
    if found.same:
        return found
    if before is None or after is None:
        return DataChange(digests, known=False, sampled=sampled)
    texts = [
        dict(zip(side.queries.ids, side.queries.texts, strict=True)) for side in (before, after)
    ]
    reworded = frozenset(query for query in queries if texts[0].get(query) != texts[1].get(query))
    rejudged = _rejudged(before.qrels, after.qrels, set(queries) - reworded)
    corpora = [side.corpus.digest if side.corpus else "" for side in (before, after)]
    return DataChange(digests, True, (corpora[0], corpora[1]), reworded, rejudged, sampled)


def _rejudged(before: Qrels, after: Qrels, queries: Collection[str]) -> frozenset[str]:
    if before.digest == after.digest:
        return frozenset()
    if before.rules != after.rules:  # of what is forbidden to all
        return frozenset(queries)
    sides = list(zip(_judged(before), _judged(after), strict=True))
    return frozenset(
        query for query in queries if any(old.get(query) != new.get(query) for old, new in sides)
    )


def _judged(qrels: Qrels) -> tuple[Mapping[str, Any], ...]:
    """What the judgments say of each query: grades, needs, and what must not come back."""
    forbidden = {query: set(listed) for query, listed in qrels.listed_forbidden.items()}
    return qrels.to_dict(), passages_of_needs(qrels), forbidden


def data_notes(names: tuple[str, str], data: DataChange, dropped: int = 0) -> Iterator[Message]:
    """What differs in the dataset, in sentences.

    Args:
        names: of the dataset, before and after; empty for run files.
        data: what differs.
        dropped: queries that only one side has, where that is not said elsewhere.
    """
    if names[0] != names[1] and all(names):
        yield _(
            "The datasets have different names: {before} before, {after} now.",
            before=names[0],
            after=names[1],
        )
    other_sample = data.sampled[0] != data.sampled[1]
    if other_sample:
        sizes = [
            _("the whole corpus") if sample is None else sample.size() for sample in data.sampled
        ]
        yield _(
            "Before, {before} was searched, and now {after}: part of each difference comes "
            "from the corpus.",
            before=sizes[0],
            after=sizes[1],
        )
    if not data.known:
        yield _(
            "The dataset is not the same in both (digests {before} and {after}). What changed is "
            "unknown, because they can't both be read.",
            before=data.digests[0][:12],
            after=data.digests[1][:12],
        )
        return
    parts: list[Message] = []
    if data.corpora[0] != data.corpora[1]:
        passages = _("the passages differ, and with them what can be found")
        parts.append(_("the passages differ") if other_sample else passages)
    if data.rejudged:
        parts.append(
            counted(
                "the judgments of 1 common query differ",
                "the judgments of {count} common queries differ",
                len(data.rejudged),
            )
        )
    if data.reworded:
        parts.append(
            counted(
                "the text of 1 query changed, so it is left out",
                "the texts of {count} queries changed, so they are left out",
                len(data.reworded),
            )
        )
    if dropped:
        parts.append(
            counted(
                "1 query is not in both and is left out",
                "{count} queries are not in both and are left out",
                dropped,
            )
        )
    if not data.same:
        nothing = _("the difference affects none of the compared queries")
        what = joined(parts or [nothing], ", ")
        yield _("The dataset is not the same in both: {what}.", what=what)


def changed_versions(before: Manifest, after: Manifest) -> Iterator[ChangedFact]:
    """Versions of packages and facts of the machine that differ between two manifests."""
    for old, new in (before.versions, after.versions), (before.machine, after.machine):
        for name in dict.fromkeys([*new, *old]):
            if old.get(name) != new.get(name):
                was, now = (
                    "" if (value := side.get(name)) is None else str(value) for side in (old, new)
                )
                yield ChangedFact(name, "changed", was, now)


def changed_settings(before: str, after: str) -> tuple[ChangedFact, ...]:
    """What differs between two texts of experiment.yaml, in the order of the later one.

    A whole branch that is new or gone is one line. The order of keys does not matter; that of
    lists does.

    Raises:
        DataError: ragscore did not write one of the texts.

    >>> for setting in changed_settings("{a: {k1: 1.5}, b: 1}", "{a: {k1: 0.9}, c: [x, y]}"):
    ...     print(setting.path, setting.kind, [setting.before, setting.after])
    a.k1 changed ['1.5', '0.9']
    c added ['', '["x", "y"]']
    b removed ['1', '']
    """
    return tuple(_differing(settings(before), settings(after), ""))


def _differing(before: Any, after: Any, path: str) -> Iterator[ChangedFact]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys([*after, *before]):
            yield from _at(f"{path}.{key}" if path else str(key), before, after, key)
    elif _rows(before) and _rows(after):
        first, second = dict(enumerate(before)), dict(enumerate(after))
        for number in first | second:
            yield from _at(f"{path}[{number}]", first, second, number)
    elif (text := _text(before)) != (other := _text(after)):
        yield ChangedFact(path, "changed", text, other)


def _at(
    path: str, before: Mapping[Any, Any], after: Mapping[Any, Any], key: Any
) -> Iterator[ChangedFact]:
    if key not in before:
        yield ChangedFact(path, "added", "", _text(after[key]))
    elif key not in after:
        yield ChangedFact(path, "removed", _text(before[key]), "")
    else:
        yield from _differing(before[key], after[key], path)


def _rows(value: Any) -> bool:
    """A list of mappings, which are compared one by one; other lists are one value."""
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and bool(value)
        and all(isinstance(row, Mapping) for row in value)
    )


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
