"""Pydantic rows of files: they check one row at the border, and are gone.

Everything behind the border works on columns (:mod:`ragscore.dataset`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from ragscore.described import Described
from ragscore.errors import DataError

Id = Annotated[str, Field(min_length=1)]
Grade = Annotated[float, Field(allow_inf_nan=False)]


class Row(Described):
    """A strict, frozen row: an unknown key or a number where text is expected is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    constructor_error = DataError


class Passage(Row):
    """The unit that is retrieved.

    >>> Passage(id="TC-1", text="Rent is due on the first day.").title
    ''
    """

    id: Id
    """Unique in the corpus; text, not empty."""
    text: str
    """What is searched; may be empty (such passages are counted)."""
    title: str = ""
    """A heading, searched only where a retriever asks for it."""
    tags: list[str] = []
    """Labels to slice by."""
    metadata: dict[str, Any] = {}
    """Anything else, for retrievers that filter by it or return parents."""


class Query(Row):
    """A question.

    >>> Query(id="q1", text="When is rent due?", tags=["numeric"]).answerable
    True
    """

    id: Id
    """Unique among the queries; text, not empty."""
    text: str
    """The question as a user would type it."""
    tags: list[str] = []
    """Labels to slice by."""
    metadata: dict[str, Any] = {}
    """Anything else, to slice by and for the filters of retrievers."""
    answerable: bool = True
    """False: the corpus holds no answer. Left out of all means and judged apart."""


class GroundTruth(Row):
    """The passages that answer one query: graded, or an ordered list, best first.

    >>> GroundTruth(query_id="q1", passages={"TC-1": 3, "TC-2": 0}).graded()
    {'TC-1': 3.0, 'TC-2': 0.0}
    >>> GroundTruth(query_id="q1", passages=["a", "d", "e"], grades="ranked").graded()
    {'a': 3.0, 'd': 2.0, 'e': 1.0}
    """

    query_id: Id
    """The query that is answered."""
    passages: dict[Id, Grade] | list[Id]
    """Passage id to grade, or passage ids best first."""
    grades: Literal["binary", "ranked"] = "binary"
    """What a list means: ``binary`` is grade 1 for each, ``ranked`` is n, n-1, ..., 1."""

    def graded(self) -> dict[str, float]:
        """Passage id to grade. A list that names a passage twice keeps the first place."""
        if isinstance(self.passages, dict):
            return dict(self.passages)
        count = len(self.passages)
        graded: dict[str, float] = {}
        for place, passage_id in enumerate(self.passages):
            grade = float(count - place) if self.grades == "ranked" else 1.0
            graded.setdefault(passage_id, grade)
        return graded
