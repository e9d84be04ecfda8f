"""What of a later result is what of an earlier one, and which facts differ: data, settings,
versions."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

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
        given = list(renamed.items())
    else:
        given = [_renamed(text, before, after) for text in renamed]
    for old, new in given:
        for side, name, there in (("earlier", old, before), ("later", new, after)):
            if name not in there:
                kind = f"retriever of the {side} result"
                raise ConfigError(unknown_name(kind, name, there, "pair"))
    old_of = {new: old for old, new in given}
    used = {old for old, _ in given}
    if not len(old_of) == len(used) == len(given):
        raise ConfigError("one retriever is paired twice", where="pair", instead="Pair it once")
    same = [name for name in after if name in before and name not in used and name not in old_of]
    old_of |= dict(zip(same, same, strict=True))
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


def both_names(before: str, after: str) -> str:
    """The name of a retriever; both where it was renamed.

    >>> both_names("bm25", "bm25"), both_names("old", "new")
    ('bm25', 'old → new')
    """
    return after if before == after else f"{before} → {after}"


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


@dataclass(frozen=True)
class DataChange:
    """What changed in a dataset between two results.

    Attributes:
        names: in the earlier and in the later result; empty for run files without a dataset.
        digests: of each; empty if it is not known.
        sampled: of each, what its corpus is a sample of; None if it is whole.
        known: both datasets could be read, so that the rest is known.
        other_passages: their passages differ.
        reworded: ids of compared queries of both whose text differs: they are other questions.
        rejudged: ids of the other compared queries of both whose judgments differ.
    """

    names: tuple[str, str]
    digests: tuple[str, str]
    sampled: tuple[SampledCorpus | None, SampledCorpus | None]
    known: bool = True
    other_passages: bool = False
    reworded: frozenset[str] = frozenset()
    rejudged: frozenset[str] = frozenset()

    @property
    def same(self) -> bool:
        """Queries, judgments and passages are the same, as far as is known."""
        return self.digests[0] == self.digests[1] or not all(self.digests)


def data_change(
    names: tuple[str, str],
    digests: tuple[str, str],
    sampled: tuple[SampledCorpus | None, SampledCorpus | None],
    data: tuple[Dataset | None, Dataset | None],
    queries: Sequence[str],
) -> DataChange:
    """What differs between an earlier and a later dataset.

    Args:
        names, digests, sampled: see :class:`DataChange`.
        data: each; None if it cannot be read.
        queries: ids of those compared.
    """
    found = DataChange(names, digests, sampled)
    before, after = data
    if found.same:
        return found
    if before is None or after is None:
        return replace(found, known=False)
    old, new = (
        dict(zip(side.queries.ids, side.queries.texts, strict=True)) for side in (before, after)
    )
    passages = [side.corpus.digest if side.corpus else "" for side in (before, after)]
    reworded = frozenset(query for query in queries if old.get(query) != new.get(query))
    return replace(
        found,
        other_passages=passages[0] != passages[1],
        reworded=reworded,
        rejudged=_rejudged(before.qrels, after.qrels, set(queries) - reworded),
    )


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


def data_notes(data: DataChange, dropped: int = 0) -> Iterator[Message]:
    """What differs in the dataset, in sentences.

    Args:
        data: what differs.
        dropped: queries that only one side has, where that is not said elsewhere.
    """
    before, after = data.names
    if before != after and before and after:
        yield _(
            "The datasets have different names: {before} before, {after} now.",
            before=before,
            after=after,
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
    if data.other_passages:
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


@dataclass(frozen=True)
class ChangedFact:
    """A setting, a version or a fact of the machine that differs.

    Attributes:
        path: ``retrievers.bm25.k1``, ``datasets[0].path``, ``numpy``.
        kind: what happened to it.
        before, after: the values, of settings as JSON; empty if it is not there.
    """

    path: str
    kind: Literal["added", "removed", "changed"]
    before: str
    after: str


def changed_versions(before: Manifest, after: Manifest) -> Iterator[ChangedFact]:
    """Versions of packages and facts of the machine that differ between two manifests."""
    for old, new in (before.versions, after.versions), (before.machine, after.machine):
        for name in {**new, **old}:
            was, now = ("" if side.get(name) is None else str(side[name]) for side in (old, new))
            if was != now:
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
    old, new = _inside(before, path), _inside(after, path)
    if old is None or new is None or type(before) is not type(after):
        if (was := _text(before)) != (now := _text(after)):
            yield ChangedFact(path, "changed", was, now)
        return
    for place in {**new, **old}:
        if place not in old:
            yield ChangedFact(place, "added", "", _text(new[place]))
        elif place not in new:
            yield ChangedFact(place, "removed", _text(old[place]), "")
        else:
            yield from _differing(old[place], new[place], place)


def _inside(value: Any, path: str) -> dict[str, Any] | None:
    """What a mapping or a list of mappings holds, by path; None for any other value, which is
    compared as one."""
    if isinstance(value, Mapping):
        return {f"{path}.{key}" if path else str(key): held for key, held in value.items()}
    if isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
        return {f"{path}[{number}]": row for number, row in enumerate(value)}
    return None


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
