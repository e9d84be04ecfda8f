"""TuneOptions: how k or a score cut is chosen; the ``tune:`` key of an experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self, TypedDict

from pydantic import AfterValidator, Field, model_validator

from ragscore.dataset import Unit
from ragscore.errors import MeasureError
from ragscore.measures import F, Measure, P, R, parse_measure
from ragscore.messages import Message, _
from ragscore.names import Language
from ragscore.spec import Spec
from ragscore.validation.findings import check_tokenizer, contradiction

Rule = Literal["best_f", "precision", "recall", "budget", "knee"]
By = Literal["k", "score", "gap", "ratio"]
Share = Annotated[float, Field(gt=0, le=1)]

TARGETED: tuple[Rule, ...] = ("precision", "recall")
"""The rules that look for a target."""
CURVES = ("P", "R", "F1", "nDCG", "Success", "AP")
UNITS: Mapping[Unit, Message] = {
    "characters": _("characters"),
    "words": _("words"),
    "tokens": _("tokens"),
}
"""What contexts are measured in, in words."""


def family_named(text: str) -> Measure:
    """The measure that a text names, without its cutoff: it is read at every k.

    >>> str(family_named("nDCG")), str(family_named("R@10"))
    ('nDCG', 'R')

    Raises:
        MeasureError: there is no such measure, or it has no values at cutoffs.
    """
    try:
        measure = parse_measure(text)
    except MeasureError:
        if "@" in text:
            raise
        measure = parse_measure(f"{text}@depth")
    if not measure.has_curve:
        raise MeasureError(
            f"{text} has no value at each k", instead=f"Choose one of {', '.join(CURVES)}"
        )
    if measure.aggregate != "mean" or measure.weighs_queries:
        raise MeasureError(
            f"{text} is not a mean over the queries, and a curve draws means",
            instead=f"Choose one of {', '.join(CURVES)}",
        )
    if measure.may_be_undefined:
        raise MeasureError(
            f"{text} has no value for some queries, and a curve needs one for each",
            instead="Choose empty=0 or empty=1, or another measure",
        )
    return measure.family()


def _canonical(text: str) -> str:
    try:
        return str(family_named(text))
    except MeasureError as error:
        raise ValueError(str(error)) from None


class Budget(Spec):
    """The most that a context may hold; the first passage that does not fit ends it."""

    unit: Unit = "words"
    """The unit: characters, words separated by white space, or tokens of a tokenizer."""
    limit: Annotated[int, Field(ge=1)] | None = None
    """The most of that unit that the passages of one query may have together; without a limit,
    contexts are only measured."""
    tokenizer: str | None = None
    """The tokenizer that counts tokens: a folder with a Hugging Face tokenizer.json, an encoder
    such as minilm, a model of the hub that is on this machine, or `package.module:function` of your
    own, which takes a text and returns how many tokens it has."""

    @model_validator(mode="after")
    def _tokens_need_a_tokenizer(self) -> Self:
        check_tokenizer(self.unit, self.tokenizer)
        return self


class TuneOptions(Spec):
    """How to choose the number of passages: the rule and the measures."""

    measures: list[Annotated[str, AfterValidator(_canonical)]] = Field(list(CURVES), min_length=1)
    """Measures without cutoffs, shown at every k; rules use P, R and F with the options given
    here."""
    rule: Rule | None = None
    """``best_f``: the highest F; ``precision``: the largest k (loosest cut) with P of at least
    ``target``; ``recall``: the smallest k (strictest cut) with R of at least ``target``;
    ``budget``: the smallest k with the highest R of what fits the budget; ``knee``: where R stops
    growing fast. Without a rule nothing is recommended, unless a budget has a limit: then the rule
    is ``budget``."""
    beta: float = Field(1.0, gt=0)
    """How many times as much recall counts as precision in F."""
    target: Share | None = None
    """What precision or recall must reach, above 0 and up to 1."""
    confident: bool = False
    """True: the lower end of the 95 % interval must reach the target, not only the mean."""
    coverage: Share | None = None
    """The share of the queries, above 0 and up to 1, that a score cut must answer: a cut that
    leaves more of them without a passage is not recommended."""
    budget: Budget | None = None
    """The most that a context may hold; with a limit, every rule sees only what fits."""
    by: By = "k"
    """What the cut is on: ``k`` is the rank, ``score`` the score, ``gap`` the difference from
    the query's best score, ``ratio`` the share of it."""
    at: list[Annotated[int, Field(ge=1)]] = Field([])
    """More k to show in tables."""
    cluster: str | None = None
    """Metadata key, or the beginning of tags ``key:value``: queries that share its value are
    resampled, and put into folds, together."""
    folds: int = Field(5, ge=2, le=1_000)
    """Number of folds of the cross-validation."""
    repeats: int = Field(10, ge=1, le=1_000)
    """How often the folds are drawn."""
    seed: int = Field(1234, ge=0)
    """Random seed of the folds."""
    language: Language = "en"
    """Language in which a tuning prints itself."""

    @model_validator(mode="before")
    @classmethod
    def _a_limit_is_a_rule(cls, data: Any) -> Any:
        if not isinstance(data, Mapping) or data.get("rule") is not None:
            return data
        budget = data.get("budget")
        given = budget.get("limit") if isinstance(budget, Mapping) else None
        limit = budget.limit if isinstance(budget, Budget) else given
        return data if limit is None else {**data, "rule": "budget"}

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        rule, targeted = self.rule, "Choose the rule precision or recall"
        given = {"target": self.target, "confident": self.confident, "coverage": self.coverage}
        if rule is None:
            for name, value in given.items():
                if value:
                    shown = "a target" if name == "target" else name
                    what = f"{shown} is given, but no rule that uses it"
                    raise contradiction(name, what, targeted)
        if rule in TARGETED and self.target is None:
            what = f"the rule '{rule}' needs a target"
            raise contradiction("rule", what, "Give one between 0 and 1, such as 0.9")
        if rule not in TARGETED and self.target is not None:
            what = f"the rule '{rule}' has no target"
            raise contradiction("target", what, f"{targeted}, or leave the target out")
        if rule not in TARGETED and self.confident:
            what = f"confident is about a target, and the rule '{rule}' has none"
            raise contradiction("confident", what, f"{targeted}, or leave it out")
        if self.coverage is not None and self.by == "k":
            what = "coverage is the share of queries that a score cut answers; every k answers all"
            instead = "Cut by score, gap or ratio, or leave coverage out"
            raise contradiction("coverage", what, instead)
        if rule == "budget" and self.limit is None:
            what = "the rule 'budget' needs a budget with a limit"
            instead = "Add one, such as budget: {unit: words, limit: 2000}"
            raise contradiction("rule", what, instead)
        return self

    def without_budget(self) -> TuneOptions:
        """The options without a limit of contexts, and without a rule that needs one."""
        left_out = {"budget", "rule", "coverage"} if self.rule == "budget" else {"budget"}
        given = self.model_dump(exclude_unset=True, exclude=left_out)
        return TuneOptions.model_validate(given)

    @property
    def limit(self) -> int | None:
        """The most that a context may hold; None without a limit."""
        return None if self.budget is None else self.budget.limit

    def families(self) -> tuple[Measure, ...]:
        """The measures of the curves, each once, with P, R and the F of the rule among them."""
        listed = [family_named(text) for text in self.measures]
        others = [measure for measure in listed if not isinstance(measure, F)]
        first = [kind() for kind in (P, R) if not any(isinstance(m, kind) for m in others)] + others
        f_measures = [measure for measure in listed if isinstance(measure, F)]
        if not any(measure.beta == self.beta for measure in f_measures):
            if self.rule == "best_f" and self.measures == list(CURVES):
                f_measures = []  # nobody asked for F1
            f_measures.insert(0, F(beta=self.beta))
        kinds = [type(measure) for measure in first]
        place = 1 + max(kinds.index(P), kinds.index(R))  # F stands behind P and R
        return tuple(dict.fromkeys([*first[:place], *f_measures, *first[place:]]))


class TuneChanges(TypedDict, total=False):
    """The fields of :class:`TuneOptions` as keywords, so that an editor completes them."""

    measures: Sequence[str]
    rule: Rule | None
    beta: float
    target: float | None
    confident: bool
    coverage: float | None
    budget: Budget | None
    by: By
    at: Sequence[int]
    cluster: str | None
    folds: int
    repeats: int
    seed: int
    language: Language
