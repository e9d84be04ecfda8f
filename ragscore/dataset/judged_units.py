"""Units: what judgments name where that is not the passage, such as a document or a page."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ragscore.arrays import bounds_of
from ragscore.dataset.columns import is_whole
from ragscore.dataset.corpus import Corpus
from ragscore.dataset.documents import Documents
from ragscore.dataset.ids import Ids
from ragscore.dataset.metadata import OF_METADATA, known_key, metadata_key, sort_of
from ragscore.described import in_short
from ragscore.errors import MAX_PROBLEMS, ConfigError, Problem
from ragscore.spec import Spec
from ragscore.validation.findings import contradiction

UnitCutoff = Literal["units", "passages"]


class JudgedUnit(Spec):
    """What judgments name in place of passages; a text such as ``metadata.document`` stands for
    its ``field``.

    >>> JudgedUnit.model_validate("metadata.document")
    JudgedUnit(field='document')
    """

    field: str = Field(min_length=1)
    """The key of the passages' metadata that names the unit of each."""
    of: Literal["passages"] = "passages"
    """Whose metadata it is."""
    cutoff: UnitCutoff = "units"
    """What a cutoff k counts: `units`, of which each stands where its first passage does; or
    `passages`, among which one of a unit that came before holds its place and counts nothing."""

    @model_validator(mode="before")
    @classmethod
    def _field_alone(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if not (key := metadata_key(value)):
            raise contradiction("field", *_no_field(value))
        return {"field": key}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
        described = super().__get_pydantic_json_schema__(core_schema, handler)
        schema = handler.resolve_ref_schema(described)
        return {"anyOf": [schema, {"type": "string", "pattern": r"^metadata\..+"}]}


AnyUnit = JudgedUnit | Mapping[str, Any] | str
"""A unit made, its options, or ``metadata.KEY``."""


def judged_unit(given: AnyUnit | None) -> JudgedUnit | None:
    """A unit as Python gives it: made, its options, or ``metadata.KEY``.

    Raises:
        ConfigError: it is none of these.
    """
    if given is None or isinstance(given, JudgedUnit):
        return given
    if not isinstance(given, str):
        return JudgedUnit(**given)
    if not (key := metadata_key(given)):
        what, instead = _no_field(given)
        raise ConfigError(what, where="unit", instead=instead)
    return JudgedUnit(field=key)


def _no_field(text: str) -> tuple[str, str]:
    what = f"{in_short(text)} names no field of the passages' metadata"
    return what, "Write metadata.document, for instance"


@dataclass(frozen=True, eq=False)
class JudgedUnits:
    """Which unit each passage belongs to; :attr:`Qrels.passages` then names units.

    Attributes:
        unit: what a unit is, and what cutoffs count.
        passages: the N passages that runs return.
        of: int32[N], the row of each passage's unit in the judgments' ids; -1 where it has none.
        count: how many units the passages of the corpus have: the first of the judgments' ids.
        without: how many passages of the corpus belong to none.
        in_corpus: int32[C], the same as ``of`` for each passage of the corpus.
        corpus_rows: int32[N], the row in the corpus of each passage, -1 where it has none; None
            if the corpus is their beginning.
    """

    unit: JudgedUnit
    passages: Ids
    of: NDArray[np.int32]
    count: int
    without: int
    in_corpus: NDArray[np.int32]
    corpus_rows: NDArray[np.int32] | None = None

    @property
    def facts(self) -> dict[str, str]:
        """What a sentence on them names."""
        return {"unit": f"{OF_METADATA}{self.unit.field}"}

    def over(self, passages: Ids, units: Ids) -> JudgedUnits:
        """The same over another vocabulary of passages. An id that is no passage of the corpus
        and the id of a unit stands for this unit.

        Args:
            passages: what runs return.
            units: the ids that judgments name.
        """
        if passages is self.passages:
            return self
        if passages.starts_with(self.passages):
            added = np.arange(len(self.passages), len(passages))
            of = np.append(self.of, units.rows_of(passages, added))
            return replace(self, passages=passages, of=of)
        own = self.passages.rows(passages)
        of = self.of[own] if len(self.of) else own
        others = np.flatnonzero(own < 0)
        of[others] = units.rows_of(passages, others)
        in_corpus = own if self.corpus_rows is None else self.corpus_rows[own]
        in_corpus = np.where(own < 0, np.int32(-1), in_corpus)
        return replace(self, passages=passages, of=of, corpus_rows=in_corpus)

    def rows(self, passage_rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """The units of returned passages, -1 if there is none: of their shape."""
        if not len(self.of):
            return np.full(passage_rows.shape, -1, dtype=np.int32)
        units = self.of.take(passage_rows, mode="clip")
        if passage_rows.size and int(passage_rows.min()) < 0:
            units[passage_rows < 0] = -1
        return units

    def places(self, passage_rows: NDArray[np.int32], units: int) -> NDArray[np.int32]:
        """What stands at places of rankings, by number, of their shape: where cutoffs count
        passages, these; else their units, and the passages without one behind the units.

        Args:
            passage_rows: -1 if there is none.
            units: how many ids judgments name.
        """
        if self.unit.cutoff == "passages":
            return passage_rows
        of = self.rows(passage_rows)
        return np.where((of < 0) & (passage_rows >= 0), passage_rows + np.int32(units), of)

    def members(self, units: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The passages of each unit, one after another, and where those of each begin:
        int32[n], int64[units + 1]."""
        there = np.flatnonzero(self.of >= 0)
        order = np.argsort(self.of[there], kind="stable")
        starts = bounds_of(np.bincount(self.of[there], minlength=units))
        return there[order].astype(np.int32), starts

    def first_passages(self, units: int) -> NDArray[np.int32]:
        """The first passage of each unit in the vocabulary, -1 where it has none: int32[units]."""
        first = np.full(units, -1, dtype=np.int32)
        there = np.flatnonzero(self.of >= 0)[::-1]
        first[self.of[there]] = there
        return first

    @cached_property
    def digest(self) -> str:
        """SHA-256 of passages, their units and what cutoffs count: 64 hex digits."""
        sha = hashlib.sha256((self.unit.digest() + self.passages.digest).encode())
        sha.update(self.of.astype("<i4").tobytes())
        return sha.hexdigest()


def units_of(
    corpus: Corpus | None,
    unit: JudgedUnit,
    *,
    allow_missing: bool,
    chunked: bool = False,
    of_what: str = "passage",
) -> tuple[Ids, JudgedUnits, list[Problem]]:
    """The units of a corpus, and the ids that judgments may name.

    Args:
        corpus: the passages; None if runs name the units themselves.
        unit: what a unit is.
        allow_missing: passages without the field belong to no unit.
        chunked: the passages are still to be made, of documents.
        of_what: what the problems call one of the corpus.

    Returns:
        The ids of the units in the order of the corpus, the units, and what is wrong: no passage
        has the field, some lack it, or a value is neither text nor a whole number.
    """
    if corpus is None:
        wrong = []
        if unit.cutoff == "passages" and not chunked:
            what = "without a corpus, a run names units, and its passages cannot be counted"
            wrong.append(Problem(what, "unit.cutoff", "Leave it out"))
        nothing = np.empty(0, dtype=np.int32)
        return Ids(()), JudgedUnits(unit, Ids(()), nothing, 0, 0, nothing), wrong
    key = unit.field
    named: dict[str, int] = {}
    of = np.full(len(corpus), -1, dtype=np.int32)
    problems: list[Problem] = []
    for row, metadata in corpus.metadata.items():
        value = metadata.get(key)
        if isinstance(value, str) and value and not value.isspace():
            of[row] = named.setdefault(value, len(named))
        elif is_whole(value):
            of[row] = named.setdefault(str(value), len(named))
        elif sort_of(value) is not None and len(problems) < MAX_PROBLEMS:
            what = f"{of_what} '{corpus.ids[row]}' has {key} {in_short(value)}, which names no unit"
            problems.append(Problem(what, "unit", "A unit is named by text or a whole number"))
    if not named and not problems:
        instead = known_key(key, corpus.metadata)
        problems.append(Problem(f"no {of_what} has metadata '{key}'", "unit", instead))
    elif not allow_missing and not problems and (of < 0).any():
        without = np.flatnonzero(of < 0)
        listed = ", ".join(f"'{corpus.ids[row]}'" for row in without[:LISTED].tolist())
        more = f" and {len(without) - LISTED:,} others" if len(without) > LISTED else ""
        have = "has" if len(without) == 1 else "have"
        what = f"{listed}{more} {have} no metadata '{key}', so that they belong to no unit"
        instead = "Add it, or set allow_missing: true: such passages are then treated as unjudged"
        problems.append(Problem(what, "unit", instead))
    units = JudgedUnits(unit, corpus.ids, of, len(named), int((of < 0).sum()), of)
    return Ids(named), units, problems


def units_in(documents: Documents, unit: JudgedUnit) -> tuple[Ids, list[Problem]]:
    """The ids of the units that chunks of documents will have, and what is wrong: no document has
    the field, or a value names no unit."""
    uncut = Corpus.uncut(documents)
    ids, _, problems = units_of(uncut, unit, allow_missing=True, of_what="document")
    return ids, problems


LISTED = 5
"""Passages without a unit that the error names."""
