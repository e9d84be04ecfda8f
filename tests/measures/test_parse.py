"""A measure prints as it parses."""

from __future__ import annotations

import pytest

from ragscore.errors import MeasureError
from ragscore.measures import (
    DEFAULT_MEASURES,
    NDCG,
    TABLE,
    F,
    IPrec,
    Measure,
    P,
    parse_measure,
    parse_measures,
)


@pytest.mark.parametrize("family", TABLE, ids=lambda family: family.name)
def test_every_measure_prints_as_it_parses(family: type[Measure]) -> None:
    if family is IPrec:
        made, behind = [IPrec(recall=0.25), IPrec(recall=0), IPrec(recall=1)], "@0.25"
    elif family.has_curve:
        made, behind = [family(cutoff=7), family(cutoff="depth")], "@7"
    else:
        made, behind = [family()], ""
    for measure in made:
        assert parse_measure(str(measure)) == measure
        assert parse_measure(measure.label) == measure
    for alias in family.aliases:
        assert parse_measure(f"{alias.upper()}{behind}") == made[0]


@pytest.mark.parametrize(
    ("text", "printed", "label"),
    [
        ("nDCG@10", "nDCG@10", "nDCG@10"),
        ("ndcg( gain = exp )@10", "nDCG(gain=exp)@10", "nDCG(gain=exp)@10"),
        ("nDCG(gain=linear)@10", "nDCG@10", "nDCG@10"),
        ("mAP@100", "AP@100", "mAP@100"),
        ("MRR", "RR", "mRR"),
        ("precision@5", "P@5", "P@5"),
        ("Hits@3", "Success@3", "Success@3"),
        ("f1@10", "F1@10", "F1@10"),
        ("F(beta=2)@10", "F(beta=2)@10", "F(beta=2)@10"),
        ("P(relevant_from=2)@10", "P(relevant_from=2)@10", "P(relevant_from=2)@10"),
        ("Recall@depth", "R@depth", "R@depth"),
        ("MeanRank", "MR", "MR"),
        ("iprec@0.1", "iprec@0.1", "iprec@0.1"),
        ("IPrec(rounding=trec9) @ 0.10", "iprec(rounding=trec9)@0.1", "iprec(rounding=trec9)@0.1"),
        ("11PT(points={.25,0.5})", "11pt(points={0.25,0.5})", "11pt(points={0.25,0.5})"),
        ("mar@10", "AR@10", "mAR@10"),
        ("AR(form=curve)@10", "AR(form=curve)@10", "mAR(form=curve)@10"),
        ("rbp(p=0.80,gain=graded)@5", "RBP(p=0.8,gain=graded)@5", "RBP(p=0.8,gain=graded)@5"),
        ("RPREC(multiple=2.0)", "Rprec(multiple=2)", "Rprec(multiple=2)"),
        ("numrelret", "NumRelRet", "NumRelRet"),
        ("unj@5", "Unjudged@5", "Unjudged@5"),
        ("hit_rate@5", "Success@5", "Success@5"),
        ("Hit-Rate@5", "Success@5", "Success@5"),
        ("mean_reciprocal_rank@10", "RR@10", "mRR@10"),
        ("mean_average_precision", "AP", "mAP"),
        ("r_precision", "Rprec", "Rprec"),
        ("alpha_ndcg@5", "alpha-nDCG@5", "alpha-nDCG@5"),
    ],
)
def test_words(text: str, printed: str, label: str) -> None:
    measure = parse_measure(text)
    assert (str(measure), measure.label) == (printed, label)
    assert parse_measure(printed) == measure


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nDGC@10", "unknown measure 'nDGC'. Did you mean 'nDCG'?"),
        ("hit_rat@5", "unknown measure 'hit_rat'. Did you mean 'HitRate'? Allowed: nDCG, "),
        ("recal@5", "unknown measure 'recal'. Did you mean 'Recall'?"),
        ("P", "P needs a cutoff. Write P@10"),
        ("P@0", "'0' is not a cutoff"),
        ("P@-1", "'-1' is not a cutoff"),
        ("P@" + "9" * 5000, "is not a cutoff"),
        ("P@ten", "'ten' is not a cutoff"),
        ("P@1.5", "'1.5' is not a cutoff"),
        (
            "nDCG(gain=cubic)@10",
            "gain: unknown gain 'cubic'. Allowed: linear, exp, binary, or",
        ),
        ("nDCG(gain={1:3)@10", "gain: unknown gain '{1:3'. Allowed: linear, exp, binary, or a map"),
        ("nDCG(gain={{1:3}})@10", "gain: unknown gain '{{1:3}}'. Allowed: "),
        ("nDCG(gain={})@10", "gain: unknown gain '{}'. Allowed: "),
        ("nDCG(gain={1:a})@10", "gain: a map has a number for each grade: {1:3,2:9}"),
        ("nDCG(gain={1:1,1:2})@10", "gain: a map needs at least one grade, and each grade once"),
        ("AP(denominator=r)@5", "denominator: unknown value 'r'. Did you mean 'R'? Allowed: R,"),
        ("11pt(points=x)", "points: the text 'x' where a number is expected"),
        ("nDCG(gian=exp)@10", "nDCG has no option 'gian'. Did you mean 'gain'?"),
        ("nDCG(exp)@10", "'exp' is not an option. Write name=value"),
        ("nDCG(gain=exp,gain=exp)@10", "the option 'gain' is given twice"),
        ("F(beta=0)@10", "beta: the number 0 is too small. It must be more than 0"),
        ("F(beta=nan)@10", "beta: the text 'nan', which is not finite"),
        ("P(relevant_from=0)@10", "relevant_from: the number 0 is too small"),
        ("P(cutoff=3)", "'cutoff=3' is not an option"),
        ("P@10@20", "'P@10@20' is not a measure"),
        ("", "'' is not a measure"),
        ("Rprec@10", "Rprec has no cutoff. Write Rprec"),
        ("SetF@depth", "SetF has no cutoff"),
        ("iprec", "iprec needs a level of recall. Write iprec@0.1"),
        ("iprec@1.5", "'1.5' is not a level of recall"),
        ("iprec@nan", "'nan' is not a level of recall"),
        ("iprec@depth", "'depth' is not a level of recall"),
        ("iprec(recall=0.1)", "'recall=0.1' is not an option"),
        ("11pt(points={})", "points: empty. At least one is needed"),
        ("11pt(points={2})", "the number 2 is too large. It must be at most 1"),
        ("RBP(p=1)", "p: the number 1 is too large. It must be less than 1"),
        ("F(beta=-1)@5", "beta: the number -1 is too small. It must be more than 0"),
        (
            "nDCG(relevant_from=0)",
            "relevant_from: the number 0 is too small. It must be more than 0",
        ),
        ("ERR(max_grade=0)", "max_grade: the number 0 is too small. It must be more than 0"),
        ("(gain=exp)@10", "'(gain=exp)@10' is not a measure"),
        ("ndcg_cut_10", "'ndcg_cut_10' is trec_eval's name. Write nDCG@10"),
        ("P.5,10", "'P.5,10' is trec_eval's name. Write P@5, P@10"),
        ("binG", "ragscore does not have trec_eval's binG"),
    ],
)
def test_wrong_words(text: str, says: str) -> None:
    with pytest.raises(MeasureError) as error:
        parse_measure(text)
    assert says in str(error.value)


def test_the_same_measure_three_ways() -> None:
    assert P(cutoff=10) == P() @ 10 == parse_measure("P@10")
    assert NDCG(gain="exp") @ 5 == parse_measure("nDCG(gain=exp)@5")
    assert F().family() == (F() @ 3).family()


def test_the_default_list_is_canonical() -> None:
    assert [str(parse_measure(text)) for text in DEFAULT_MEASURES] == list(DEFAULT_MEASURES)


def test_iprec_alone_is_its_eleven_levels_in_a_list() -> None:
    levels = [str(measure) for measure in parse_measures(["iprec", "AP", "iprec@0.5"])]
    assert levels[:3] == ["iprec@0", "iprec@0.1", "iprec@0.2"]
    assert levels[10:] == ["iprec@1", "AP"]
    older = parse_measures(["iprec(rounding=trec9)"])
    assert {measure.options()["rounding"] for measure in older} == {"trec9"}
    assert IPrec(recall=0.5) == IPrec(recall=0.1) @ 0.5
