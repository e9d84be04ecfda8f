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
from ragscore.strings import StringTable

Keep = Literal["judged", "relevant", "none"]
Count = Annotated[int, Field(ge=0, le=MAX_WHOLE)]
SomePassages = Annotated[int, Field(ge=1, le=MAX_WHOLE)]
MANY = 9.5
"""Passages of which one is drawn: from here on a whole number of them is named."""

STRINGS = StringTable(
    {
        "sample_size": {
            "en": "a sample of {passages} of {of} passages",
            "ko": "문단 {of}개 중 {passages}개의 표본",
        },
        "sample_caveat": {
            "en": "On {size}: scores are too good, and differences may turn out otherwise on the "
            "whole corpus.",
            "ko": "{size}에서 잰 값입니다. 점수가 실제보다 좋고, 전체 말뭉치에서는 차이가 달라질 "
            "수 있습니다.",
        },
        "sample_caveat_pool": {
            "en": "On {size}, which keeps the best of {pool}: other retrievers look better beside "
            "{pool} than they are, and differences may turn out otherwise on the whole corpus.",
            "ko": "{size}에서 잰 값이며, 표본에는 {pool} 검색 결과의 상위 문단을 남겼습니다. 다른 "
            "검색기는 {pool}에 견주어 실제보다 좋아 보이고, 전체 말뭉치에서는 차이가 달라질 수 "
            "있습니다.",
        },
        "sample_caveat_none": {
            "en": "On {size}, judged ones drawn like any other: scores say little about the whole "
            "corpus.",
            "ko": "{size}에서 잰 값입니다. 판정된 문단도 다른 문단처럼 뽑았으므로 전체 말뭉치의 "
            "점수를 짐작하기 어렵습니다.",
        },
        "sample_judged": {
            "en": "{passages} of {of} passages are searched: {drawn} drawn at random, and every "
            "judged one",
            "ko": "문단 {of}개 중 {passages}개를 검색합니다(무작위로 뽑은 {drawn}개와 판정된 문단 "
            "모두)",
        },
        "sample_relevant": {
            "en": "{passages} of {of} passages are searched: {drawn} drawn at random, and every "
            "relevant one",
            "ko": "문단 {of}개 중 {passages}개를 검색합니다(무작위로 뽑은 {drawn}개와 적합 문단 "
            "모두)",
        },
        "sample_none": {
            "en": "{passages} of {of} passages are searched: {drawn} drawn at random, judged or "
            "not",
            "ko": "문단 {of}개 중 {passages}개를 검색합니다(판정과 상관없이 무작위로 뽑은 "
            "{drawn}개)",
        },
        "sample_and_pool": {
            "en": "{taken}, and the first {depth} of {pool} for each query over the whole corpus",
            "ko": "{taken}. 질의마다 전체 말뭉치에서 {pool} 검색 결과의 상위 {depth}개도 "
            "남겼습니다",
        },
        "sample_effect": {
            "en": "{taken}. Of the others 1 in {ratio} competes, so scores are too good, for some "
            "retrievers more than for others, and differences may turn out otherwise on the whole "
            "corpus",
            "ko": "{taken}. 나머지 문단은 {ratio}개 중 1개꼴로만 경쟁하므로 점수가 실제보다 좋고, "
            "그 정도는 검색기마다 다르며, 전체 말뭉치에서는 차이가 달라질 수 있습니다",
        },
        "sample_effect_pool": {
            "en": "{taken}. What is hard for {pool} is there; what is hard for others is partly "
            "missing: they look better beside {pool} than they are, and differences may turn out "
            "otherwise on the whole corpus",
            "ko": "{taken}. {pool} 검색기에 어려운 문단은 모두 있지만 다른 검색기에 어려운 문단은 "
            "일부만 있습니다. 그래서 다른 검색기는 {pool}에 견주어 실제보다 좋아 보이고, 전체 "
            "말뭉치에서는 차이가 달라질 수 있습니다",
        },
        "sample_effect_none": {
            "en": "{taken}. What is relevant and was not drawn counts as not found, and of the "
            "others 1 in {ratio} competes: scores say little about the whole corpus",
            "ko": "{taken}. 뽑히지 않은 적합 문단은 찾지 못한 것으로 세고 나머지 문단은 {ratio}개 "
            "중 1개꼴로만 경쟁하므로, 전체 말뭉치의 점수를 짐작하기 어렵습니다",
        },
        "sample_of_all": {
            "en": "the sample of {count}, with what is kept besides, holds every passage of the "
            "corpus: nothing is left out",
            "ko": "표본 {count}개와 그 밖에 남긴 문단이 말뭉치 전체여서 빠진 문단이 없습니다",
        },
    }
)
"""What is said of a sample, wherever a number rests on one."""


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
        return STRINGS(f"sample_caveat{self._kind}", size=self.size(), **self.facts)

    def note(self) -> Message:
        """How it was taken, and what that does to scores."""
        taken = STRINGS(f"sample_{self.keep}", **self.facts)
        if self.pool:
            taken = _(
                "{taken}, and the first {depth} of {pool} for each query over the whole corpus",
                taken=taken,
                **self.facts,
            )
        return STRINGS(f"sample_effect{self._kind}", taken=taken, **self.facts)

    @property
    def _kind(self) -> str:
        if self.keep == "none":
            return "_none"
        return "_pool" if self.pool else ""
