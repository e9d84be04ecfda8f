"""Every measure of the table as a parameter, and its values on small runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragscore.dataset import Qrels
from ragscore.dataset.forbidden import Forbidden
from ragscore.measures import ERR, TABLE, IPrec, Measure
from ragscore.scoring import score
from ragscore.scoring.conventions import choices, options_of

FLAT = [family for family in TABLE if not family.needs_spans]
"""What passages and grades are enough for."""
BOUNDED = [family for family in FLAT if family.bounded]
CURVES = [family for family in FLAT if family.has_curve]
GROWING = {"R", "Success", "RR", "AP", "AR", "CG", "DCG", "IDCG", "bpref", "infAP", "RBP", "ERR"}
"""What never falls when one more passage is looked at."""
OF_THE_RUN = {"Judged", "Unjudged", "RBPresidual", "AUC", "NumRet", "SetP", "SetF"}
"""What asks for passages that came back, whether somebody judged them or not."""
PASSAGES = 20


def named(families: list[type[Measure]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("family", families, ids=lambda family: family.name)


OPTIONS: list[tuple[type[Measure], dict[str, str]]] = [
    (family, {option: word})
    for family in FLAT
    for option in options_of(family)
    for word in choices(family, option)
    if option != "empty" and word != family.model_fields[option].default
]
"""Every word that an option takes beside its default."""
with_options = pytest.mark.parametrize(
    ("family", "options"), OPTIONS, ids=lambda part: getattr(part, "name", str(part))
)
every = named(FLAT)
bounded = named(BOUNDED)


def measure_of(family: type[Measure], k: int) -> Measure:
    """One that does not depend on other queries (ERR's default grade does)."""
    if family is IPrec:
        return IPrec(recall=0.5)
    if family is ERR:
        return ERR(max_grade=3, cutoff=k)
    return family(cutoff=k) if family.has_curve else family()


def values(
    run: dict, qrels: dict, family: type[Measure], k: int, *, depth: int | None = None
) -> dict[str, float]:
    """At cutoff k; of what came back to that depth where the measure has no cutoff."""
    measure = measure_of(family, k)
    depth = depth if measure.has_curve else k
    if family.reads_forbidden:
        qrels = with_forbidden(Qrels.from_dict(qrels))
    scores = score(run, qrels, [measure], n_passages=PASSAGES, depth=depth)
    return scores.entries[0].per_query(measure)


def with_forbidden(qrels: Qrels, passage: str = "never returned") -> Qrels:
    """The same judgments with one passage forbidden to each query."""
    passages = qrels.passages.extended([passage])
    queries = qrels.queries
    forbidden = Forbidden.of_pairs(queries, [passage] * len(queries), queries, passages)
    return replace(qrels, passages=passages, forbidden=forbidden)


PERFECT = {
    "RBP": (1 - 0.9**3),
    "RBPresidual": 0.9**3,
    "Unjudged": 0.0,
    "Leak": 0.0,
    "AR": 2 / 3,
    "ERR": None,
}
"""The value of the perfect ranking where it is not 1; ERR's depends on the grades."""
