"""Profiles: what other tools compute, as a table of options.

A profile sets options of measures that were left at their defaults, who is averaged, and how
scores are compared. It belongs to :func:`~ragscore.scoring.score` and not to the measures,
because half of what it sets (missing queries, 32-bit scores, a query that returns itself) is
decided before anything is measured.

To add one: a line in :data:`PROFILES`, a function in ``benchmarks/oracles/tools.py`` that asks
the real tool, and ``python -m benchmarks.oracles.record NAME``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.errors import ConfigError
from ragscore.kinds import NameOf
from ragscore.measures import Measure
from ragscore.measures.base import build
from ragscore.messages import Text, _
from ragscore.plugins import Catalogue
from ragscore.run import Run
from ragscore.run.order import put_in_order

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Profile:
    """What one tool does where tools differ.

    Attributes:
        tool: the tool, and the version that the tests compare with.
        source: where it can be read.
        options: by name of measure, the options that give the tool's number.
        missing: a judged query that the run lacks scores ``zero``, or is ``drop``ped.
        score_bits: scores are compared as floats of this many bits.
        drop_self: a passage whose id is the query's is taken out of the ranking.
        exceptions: where the tool still gives another number, whatever the options.
    """

    tool: Text
    source: str
    options: Mapping[str, Options] = field(default_factory=dict)
    missing: Literal["zero", "drop"] = "zero"
    score_bits: Literal[32, 64] = 64
    drop_self: bool = False
    exceptions: Text = ""

    def measures(self, measures: Iterable[Measure]) -> tuple[Measure, ...]:
        """The measures with the profile's options; one that was given stays, the default too.

        >>> from ragscore.measures import parse_measures
        >>> measures = parse_measures(["AP@5", "AP(denominator=R)@10"])
        >>> [str(measure) for measure in PROFILES["torchmetrics"].measures(measures)]
        ['AP(denominator=found)@5', 'AP@10']
        """
        return tuple(dict.fromkeys(map(self._with_options, measures)))

    def _with_options(self, measure: Measure) -> Measure:
        family = type(measure)
        given = {name: getattr(measure, name) for name in measure.model_fields_set}
        options = {**self.options.get(measure.name, {}), **given}
        return build(family, options, str(measure))

    @property
    def as_it_is(self) -> bool:
        """True if the tool reads a run as ragscore does."""
        return self.score_bits == 64 and not self.drop_self

    def run(self, run: Run) -> Run:
        """The run as the tool would read it: its order, and without what it drops."""
        if self.drop_self:
            run = run.without_self()
        return in_32_bits(run) if self.score_bits == 32 else run

    def scores(self, scores: NDArray[Any] | None) -> NDArray[Any] | None:
        """The scores of an array of passage numbers, as precise as the tool reads them.

        Raises:
            ConfigError: the profile looks at ids, which an array does not have.
        """
        if self.drop_self:
            raise ConfigError(
                "the profile drops a passage whose id is the query's, and the run has no ids",
                instead="Give text ids, or drop them before and take the profile trec9",
            )
        if scores is None or self.score_bits == 64:
            return scores
        return _rounded(scores)


def in_32_bits(run: Run) -> Run:
    """The run in the order that its scores have as 32-bit floats: some that differed now tie.

    >>> run = Run.from_dict({"q": {"a": 1.00000001, "b": 1.0}})
    >>> list(in_32_bits(run).to_dict()["q"])
    ['b', 'a']
    """
    if run.scores is None:
        return run
    rows, scores = put_in_order(run.passages, run.rows, _rounded(run.scores))
    return replace(run, rows=rows, scores=scores)


def _rounded(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Scores to the nearest 32-bit float; what lies beyond those ties with the largest."""
    largest = float(np.finfo(np.float32).max)
    rounded: NDArray[np.float32] = np.clip(scores, -largest, largest).astype(np.float32)
    return rounded.astype(np.float64)


_OLDER = {"iprec": {"rounding": "trec9"}, "11pt": {"rounding": "trec9"}}

_OWN: dict[str, Profile] = {
    "trec": Profile(
        _("trec_eval 10, with -c"),
        "https://github.com/usnistgov/trec_eval",
        exceptions=_("It refuses a run that names a passage twice for a query."),
    ),
    "trec9": Profile(
        _("trec_eval 9 without -c, and pytrec_eval-terrier 0.5.11"),
        "https://github.com/terrierteam/pytrec_eval",
        options=_OLDER,
        missing="drop",
        score_bits=32,
        exceptions=_("Both refuse a run file that names a passage twice for a query."),
    ),
    "ir_measures": Profile(
        "ir_measures 0.4.3",
        "https://ir-measur.es",
        options={**_OLDER, "RBP": {"p": 0.8}, "RBPresidual": {"p": 0.8}},
        score_bits=32,
        exceptions=_(
            "RR with a cutoff, RBP and Judged compare 64-bit scores and break ties by ascending "
            "id. NumRel of a missing query is 0, and Judged counts a negative grade. If a passage "
            "is named twice for a query, its last line counts."
        ),
    ),
    "ranx": Profile(
        _("ranx 0.3.21, with make_comparable"),
        "https://github.com/AmenRa/ranx",
        options={"nDCG": {"relevant_from": 1.0}, "DCG": {"relevant_from": 1.0}},
        exceptions=_(
            "Tied scores stay in the order given. bpref takes unjudged (negative) for judged and "
            "is NaN without judged non-relevant passages. RBP weighs by the raw grade. If a "
            "passage is named twice for a query, its last line counts."
        ),
    ),
    "beir": Profile(
        "beir 2.2.0: EvaluateRetrieval.evaluate",
        "https://github.com/beir-cellar/beir",
        missing="drop",
        score_bits=32,
        drop_self=True,
        exceptions=_(
            "It rounds to 5 digits. Its R_cap is R(denominator=min), its Accuracy Success; they "
            "and MRR (evaluate_custom) count a missing query as 0, keep ties in the order given "
            "and a passage with the query's id."
        ),
    ),
    "torchmetrics": Profile(
        "torchmetrics 1.9.0: torchmetrics.retrieval",
        "https://lightning.ai/docs/torchmetrics",
        options={"AP": {"denominator": "found"}, "nDCG": {"tie": "expected"}},
        exceptions=_(
            "It computes in 32 bits. A passage counts as returned where its score is above 0, in "
            "nDCG and hit rate whatever its score. Ties elsewhere than in nDCG are in no stated "
            "order."
        ),
    ),
    "sklearn": Profile(
        "scikit-learn 1.9.1: ndcg_score, average_precision_score",
        "https://scikit-learn.org/stable/modules/model_evaluation.html",
        options={"nDCG": {"tie": "expected"}},
        exceptions=_(
            "It has a score for every passage, so nothing is missing or unjudged. "
            "average_precision_score takes tied passages as one step."
        ),
    ),
    "autorag": Profile(
        "AutoRAG 0.3.27",
        "https://github.com/Marker-Inc-Korea/AutoRAG",
        options={
            "P": {"denominator": "returned"},
            "AP": {"denominator": "found"},
            "nDCG": {"gain": "binary", "ideal": "as_many"},
        },
        exceptions=_(
            "The ground truth of a query is one group of ids, whose recall is Success; with a "
            "group for each id recall is R, and mAP and mRR are the mean of 1/rank over the "
            "relevant passages. Its F1 is that of its P. Its gain is 2^g - 1, and g is 0 or 1."
        ),
    ),
    "llamaindex": Profile(
        "llama-index-core 0.14.25",
        "https://github.com/run-llama/llama_index",
        options={
            "P": {"denominator": "returned"},
            "nDCG": {"gain": "binary", "ideal": "uncut"},
        },
        exceptions=_(
            "Before 0.13 its ideal was nDCG(ideal=slots). It refuses a query for which nothing "
            "came back or nothing is relevant."
        ),
    ),
    "implicit": Profile(
        "implicit 0.7.3: ranking_metrics_at_k",
        "https://github.com/benfred/implicit",
        options={
            "P": {"denominator": "min", "average": "micro", "empty": "skip"},
            "AP": {"denominator": "min", "empty": "skip"},
            "nDCG": {"gain": "binary", "empty": "skip"},
        },
        exceptions=_(
            "Every stored test item counts as relevant, whatever its value. Its AUC at k is AUC@k "
            "with its number of items for the passages."
        ),
    ),
    "recommenders": Profile(
        _("recommenders 1.2.1: python_evaluation, map_at_k for AP@k"),
        "https://github.com/recommenders-team/recommenders",
        options={
            "P": {"empty": "skip"},
            "R": {"empty": "skip"},
            "AP": {"denominator": "min", "empty": "skip"},
            "nDCG": {"gain": "binary", "empty": "skip"},
        },
        missing="drop",
        exceptions=_(
            "Every rated item counts as relevant. Its nDCG counts a missing query as 0. Its `map` "
            "is AP@k with R as denominator."
        ),
    ),
}

PROFILES: Catalogue[Profile] = Catalogue(
    "ragscore.profiles",
    "profile",
    _OWN,
    wanted="a ragscore.scoring.Profile",
    fits=lambda name, thing: isinstance(thing, Profile),
)
"""Every profile by its name; a measure that one does not name keeps its defaults."""

ProfileName = Annotated[str, NameOf(PROFILES)]


def profile_named(name: str, *, load: bool = False) -> Profile:
    """The profile of that name.

    Args:
        name: of ragscore's own, or of an installed package's.
        load: import the package that adds it. What reads a result does not: there the name may
            be anybody's.

    Raises:
        ConfigError: no profile has that name, or its package may not be imported here.
    """
    if name in PROFILES and not load:
        return PROFILES[name]
    if load or name not in PROFILES.installed():
        return PROFILES.load(name)
    raise ConfigError(
        f"the profile '{name}' comes from an installed package, which reading a result does not "
        "import",
        instead=f"Call ragscore.scoring.PROFILES.load('{name}') first",
    )
