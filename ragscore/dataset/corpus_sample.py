"""CorpusSample: how a sample of a corpus is taken; SampledCorpus: what was taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ragscore.messages import Message, _, listed
from ragscore.records import Record
from ragscore.spec import MAX_WHOLE, Spec

Keep = Literal["judged", "relevant", "none"]
Count = Annotated[int, Field(ge=0, le=MAX_WHOLE)]
SomePassages = Annotated[int, Field(ge=1, le=MAX_WHOLE)]
MANY = 9.5
"""Passages of which one is drawn: from here on a whole number of them is named."""

TAKEN: dict[Keep, Message] = {
    "judged": _(
        "{passages} of {of} passages are searched: {drawn} drawn at random, and every judged one"
    ),
    "relevant": _(
        "{passages} of {of} passages are searched: {drawn} drawn at random, and every relevant one"
    ),
    "none": _("{passages} of {of} passages are searched: {drawn} drawn at random, judged or not"),
}
"""By what is kept, how a sample was taken."""


class SamplePool(Spec):
    """What retrievers find in the whole corpus, which a sample keeps; a list of names stands for
    its ``retrievers``."""

    retrievers: tuple[Annotated[str, Field(min_length=1)], ...] = Field(min_length=1)
    """Names of retrievers of the experiment, quick ones such as BM25: they search the whole
    corpus."""
    depth: int = Field(100, ge=1, le=10_000)
    """How many passages of each are kept for a query."""

    @model_validator(mode="before")
    @classmethod
    def _names_alone(cls, value: Any) -> Any:
        if isinstance(value, str):
            raise ValueError(f"the text '{value}' where a list is expected. Write [{value}]")
        return {"retrievers": value} if isinstance(value, list | tuple) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
        described = super().__get_pydantic_json_schema__(core_schema, handler)
        schema = handler.resolve_ref_schema(described)
        names = {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1}
        return {"anyOf": [schema, names]}


class CorpusSample(Spec):
    """A part of a corpus, for quick trials. Which passages are drawn depends on their ids and the
    seed alone.

    >>> CorpusSample(sample=200_000, pool=["bm25"])
    CorpusSample(sample=200000, pool=SamplePool(retrievers=('bm25',)))
    """

    sample: int = Field(ge=1)
    """How many passages are drawn at random; a larger sample holds every smaller one."""
    keep: Keep = "judged"
    """What is kept besides: every `judged` passage, the `relevant` ones alone (a grade above 0),
    or `none`, so that judged passages are drawn like any other and the missing ones are counted."""
    pool: SamplePool | None = None
    """Retrievers whose best passages over the whole corpus are kept too, so that hard ones stay in:
    `[bm25]`, or `{retrievers: [bm25], depth: 100}`."""
    seed: int = Field(0, ge=0)
    """Another seed draws other passages."""


@dataclass(frozen=True)
class SampledCorpus(Record):
    """What a sample of a corpus holds."""

    passages: SomePassages
    """Passages in the sample."""
    of: SomePassages
    """Passages of the whole corpus."""
    drawn: SomePassages
    """Passages that were drawn at random; some of them would have been kept anyway."""
    kept: Count
    """Passages that are there for their judgments alone."""
    pooled: Count
    """Passages that are there for the pool alone."""
    keep: Keep
    """Which judged passages are kept."""
    pool: tuple[str, ...]
    """The retrievers of the pool."""
    depth: Count
    """How many passages of each are kept for a query; 0 without a pool."""
    seed: Count
    """The seed of the draw."""

    @property
    def facts(self) -> dict[str, object]:
        """What sentences on it name."""
        ratio = self.of / self.drawn
        return {
            "passages": f"{self.passages:,}",
            "of": f"{self.of:,}",
            "drawn": f"{self.drawn:,}",
            "depth": f"{self.depth:,}",
            "ratio": f"{ratio:,.0f}" if ratio >= MANY else f"{ratio:.2g}",
            "pool": listed(self.pool) if self.pool else "",
        }

    def size(self) -> Message:
        """``a sample of 2,310 of 5,000 passages``."""
        return _("a sample of {passages} of {of} passages", **self.facts)

    def caveat(self) -> Message:
        """The line that stands beside every number: what was searched, and what follows."""
        facts = {"size": self.size(), **self.facts}
        if self.keep == "none":
            return _(
                "On {size}, with judged passages drawn like any other: scores say little "
                "about the whole corpus.",
                **facts,
            )
        if self.pool:
            return _(
                "On {size}, which keeps the best of {pool}: compared with {pool}, other "
                "retrievers look better than they are, and differences may change on the "
                "whole corpus.",
                **facts,
            )
        return _(
            "On {size}: scores are too high, and differences may change on the whole corpus.",
            **facts,
        )

    def note(self) -> Message:
        """How it was taken, and what that does to scores."""
        facts = self.facts
        taken = TAKEN[self.keep].given(**facts)
        if self.pool:
            taken = _(
                "{taken}, and the first {depth} of {pool} for each query over the whole corpus",
                taken=taken,
                **facts,
            )
        if self.keep == "none":
            return _(
                "{taken}. Relevant passages that were not drawn count as not found, and only "
                "1 in {ratio} of the others competes: scores say little about the whole corpus",
                taken=taken,
                **facts,
            )
        if self.pool:
            return _(
                "{taken}. Passages that are hard for {pool} are kept, and some that are hard "
                "for other retrievers are missing: compared with {pool}, they look better "
                "than they are, and differences may change on the whole corpus",
                taken=taken,
                **facts,
            )
        return _(
            "{taken}. Only 1 in {ratio} of the others competes, so scores are too high, for "
            "some retrievers more than for others, and differences may change on the whole "
            "corpus",
            taken=taken,
            **facts,
        )
