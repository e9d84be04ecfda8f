"""trec_eval's measures in the order in which it prints them, and what each is in ragscore.

Source: trec_eval 10 (measures.c, and the defaults in each m_*.c).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ragscore.measures.average_precision import AP
from ragscore.measures.base import Measure
from ragscore.measures.coverage import UnjudgedShare
from ragscore.measures.cumulated_gain import NDCG
from ragscore.measures.first_relevant import RR
from ragscore.measures.geometric import GMAP, GMBPref
from ragscore.measures.inferred import InfAP
from ragscore.measures.interpolated import LEVELS, ElevenPoint, IPrec
from ragscore.measures.passage_counts import NumRel, NumRelRet, NumRet
from ragscore.measures.preference import BPref
from ragscore.measures.r_precision import Rprec
from ragscore.measures.rank_biased import RBP, RBPResidual
from ragscore.measures.sets import P, R, Success
from ragscore.measures.whole_sets import SetF, SetP, SetR

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


@dataclass(frozen=True)
class TrecMeasure:
    """One entry of trec_eval's table.

    Attributes:
        kind: what its parameters are: none; whole numbers or levels, each of them a line; one
            text that belongs to a single line.
        family: the measure's class, None if it is no measure.
        options: those that make it what trec_eval computes.
        field: the option that takes the parameter.
        defaults: the parameters where none is given.
        read, write: a text parameter as the option's value, and back.
    """

    kind: Literal["none", "cuts", "levels", "text"] = "none"
    family: type[Measure] | None = None
    options: tuple[tuple[str, Any], ...] = ()
    field: str = "cutoff"
    defaults: tuple[float, ...] = ()
    read: Callable[[str], Any] = str
    write: Callable[[Any], str] = str
    whole: bool = False
    summary_only: bool = False


def _cuts(family: type[Measure], defaults: tuple[int, ...] = CUTS, **options: Any) -> TrecMeasure:
    return TrecMeasure("cuts", family, tuple(options.items()), defaults=defaults)


def numbers(text: str) -> tuple[float, ...]:
    """The numbers of ``5,10``; ValueError if one is not a number."""
    if "_" in text:  # Python reads 1_0 as 10
        raise ValueError(text)
    return tuple(float(part) for part in text.split(","))


def _pairs(text: str) -> dict[float, float]:
    pairs = (part.split("=") for part in text.split(","))
    return {float(grade): float(gain) for grade, gain in pairs}


def _persistence(text: str) -> float:
    name, _, value = text.partition("=")
    if name != "p":
        raise ValueError(text)
    return float(value)


NAMED: dict[str, TrecMeasure] = {
    "runid": TrecMeasure(summary_only=True),
    "num_q": TrecMeasure(whole=True, summary_only=True),
    "num_ret": TrecMeasure(family=NumRet, whole=True),
    "num_rel": TrecMeasure(family=NumRel, whole=True),
    "num_rel_ret": TrecMeasure(family=NumRelRet, whole=True),
    "map": TrecMeasure(family=AP),
    "gm_map": TrecMeasure(family=GMAP, summary_only=True),
    "Rprec": TrecMeasure(family=Rprec),
    "bpref": TrecMeasure(family=BPref),
    "recip_rank": TrecMeasure(family=RR),
    "iprec_at_recall": TrecMeasure("levels", IPrec, field="recall", defaults=LEVELS),
    "P": _cuts(P),
    "recall": _cuts(R),
    "infAP": TrecMeasure(family=InfAP),
    "gm_bpref": TrecMeasure(family=GMBPref, summary_only=True),
    "Rprec_mult": TrecMeasure("levels", Rprec, field="multiple", defaults=MULTIPLES),
    "11pt_avg": TrecMeasure(
        "text", ElevenPoint, field="points", read=numbers,
        write=lambda points: ",".join(f"{point:g}" for point in points),
    ),
    "ndcg": TrecMeasure(
        "text", NDCG, field="gain", read=_pairs,
        write=lambda gains: ",".join(f"{grade:g}={gain:g}" for grade, gain in gains),
    ),
    "ndcg_cut": _cuts(NDCG),
    "map_cut": _cuts(AP),
    "relative_P": _cuts(P, denominator="min"),
    "success": _cuts(Success, (1, 5, 10)),
    "set_P": TrecMeasure(family=SetP),
    "set_relative_P": TrecMeasure(family=SetP, options=(("denominator", "min"),)),
    "set_recall": TrecMeasure(family=SetR),
    "set_F": TrecMeasure(
        "text", SetF, field="beta", read=lambda text: math.sqrt(float(text)),
        write=lambda beta: f"{beta * beta:.12g}",
    ),
    "rbp": TrecMeasure(
        "text", RBP, field="p", read=_persistence, write=lambda p: f"p={p:g}",
    ),
    "rbp_resid": TrecMeasure(
        "text", RBPResidual, (("complete", "0"),), field="p", read=_persistence,
        write=lambda p: f"p={p:g}",
    ),
    "unj": _cuts(UnjudgedShare, (5, 10, 20)),
}  # fmt: skip
"""In the order in which trec_eval prints."""

OFFICIAL: tuple[str, ...] = (
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref",
    "recip_rank", "iprec_at_recall", "P",
)  # fmt: skip
"""What trec_eval prints where nothing is asked for."""

SET: tuple[str, ...] = (
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "set_P", "set_relative_P",
    "set_recall", "set_F",
)  # fmt: skip
"""What ``-m set`` prints, without :data:`MISSING`."""

ALL_TREC: tuple[str, ...] = tuple(NAMED)
"""What ``-m all_trec`` prints, without :data:`MISSING`."""

NICKNAMES: dict[str, tuple[str, ...]] = {"official": OFFICIAL, "set": SET, "all_trec": ALL_TREC}

_GAINS = "Use nDCG"
_PREFERENCES = "ragscore reads judgments, not preferences"
_SEVERAL_JUDGES = "ragscore reads one judge a file: score each file of judgments by itself"
MISSING: dict[str, str] = {
    "relstring": "It is a string of grades, not a number",
    "utility": "Use NumRet, NumRel and NumRelRet: it is a weighted sum of them",
    "binG": _GAINS,
    "G": _GAINS,
    "dcg": "Use DCG@k",
    "ideal_dcg": "Use IDCG@k",
    "ndcg_rel": _GAINS,
    "Rndcg": _GAINS,
    "set_map": "It is SetP times SetR for each query",
    "num_nonrel_judged_ret": "Use Judged@k and NumRelRet",
    "num_nonjudged_ret": "Use Unjudged@k",
    "yaap": "Use AP",
    **dict.fromkeys(("map_avgjg", "P_avgjg", "Rprec_mult_avgjg"), _SEVERAL_JUDGES),
    **dict.fromkeys(
        (
            "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret",
            "prefs_simp", "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_simp_ret",
            "prefs_pair_ret", "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret", "prefs_simp_imp",
            "prefs_pair_imp", "prefs_avgjg_imp",
        ),
        _PREFERENCES,
    ),
    **dict.fromkeys(("prefs", "all_prefs"), _PREFERENCES),
    "qrels_jg": _SEVERAL_JUDGES,
}  # fmt: skip
"""trec_eval's measures and nicknames that ragscore does not have, and what to do instead."""
