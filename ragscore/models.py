"""Pydantic rows of files: they check one row at the border, and are gone.

Everything behind the border works on columns (:mod:`ragscore.dataset`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from ragscore.described import Described
from ragscore.errors import DataError
from ragscore.validation.findings import contradiction

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


class Document(Row):
    """A whole text, which chunkers cut into passages.

    >>> Document(id="rent/terms.md", text="Rent is due on the first day.").title
    ''
    """

    id: Id
    """Unique among the documents; text, not empty."""
    text: str
    """All of it. Offsets of evidence and of chunks count its Unicode code points."""
    title: str = ""
    """A heading, which its chunks have too."""
    metadata: dict[str, Any] = {}
    """Anything else, which its chunks have too."""


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


class Evidence(Row):
    """Characters of a document that answer a query: by their offsets, or by what stands there.

    >>> Evidence(document="terms.md", start=120, end=310).grade
    1.0
    """

    document: Id
    """The id of the document."""
    start: Annotated[int, Field(ge=0)] | None = None
    """Offset of the first character, from 0, in Unicode code points."""
    end: Annotated[int, Field(ge=1)] | None = None
    """Offset behind the last character."""
    quote: Annotated[str, Field(min_length=1)] | None = None
    """What stands there; alone, it is looked for in the document, where it has to stand once."""
    grade: Annotated[float, Field(allow_inf_nan=False, gt=0)] = 1.0
    """How well these characters answer the query, above 0."""

    @model_validator(mode="after")
    def _names_a_place(self) -> Self:
        if (self.start is None) != (self.end is None):
            missing = "start" if self.start is None else "end"
            raise contradiction(missing, "a span has both ends", "Write start and end, or a quote")
        if self.start is None and self.quote is None:
            raise contradiction("start", "nothing says where it stands", "Write start and end")
        if self.start is not None and self.end is not None and self.end <= self.start:
            what = f"a span from {self.start} to {self.end} has no characters"
            raise contradiction("end", what, "Write an end that is above start")
        return self


Need = dict[Id, Grade] | list[Id | Evidence]
"""What covers one need: any of these passages, or of these characters of documents."""


class GroundTruth(Row):
    """What answers one query: graded passages, or an ordered list of them, best first; needs that
    an answer has to cover; characters of documents; and passages that must not come back.

    >>> GroundTruth(query_id="q1", passages={"TC-1": 3, "TC-2": 0}).graded()
    {'TC-1': 3.0, 'TC-2': 0.0}
    >>> GroundTruth(query_id="q1", passages=["a", "d", "e"], grades="ranked").graded()
    {'a': 3.0, 'd': 2.0, 'e': 1.0}
    >>> GroundTruth(query_id="q1", needs=[["a", "b"], ["c"]], forbidden=["x"]).graded()
    {}
    """

    query_id: Id
    """The query that is answered."""
    passages: dict[Id, Grade] | list[Id] = {}
    """Passage id to grade, or passage ids best first."""
    grades: Literal["binary", "ranked"] = "binary"
    """What a list means: ``binary`` is grade 1 for each, ``ranked`` is n, n-1, ..., 1."""
    needs: list[Need] = []
    """What an answer has to cover: any passage of a need covers it. A passage that is in none has
    no grade above 0."""
    evidence: list[Evidence] = []
    """Characters of documents that answer it, each of which is a need of its own."""
    forbidden: list[Id] = []
    """Passages that must not come back for it; none of them has a grade above 0."""

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
