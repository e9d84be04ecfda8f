"""trec_eval's names and ragscore's, both ways."""

from __future__ import annotations

import pytest

from ragscore.errors import MeasureError
from ragscore.measures import TABLE, SetF, parse_measure
from ragscore.measures.trec_names import (
    ALL_TREC,
    MISSING,
    OFFICIAL,
    lines,
    measures_for,
    name_of,
    understands,
)


@pytest.mark.parametrize(
    ("text", "measures"),
    [
        ("map", "AP"),
        ("gm_map", "gmAP"),
        ("P.5,10", "P@5 P@10"),
        ("P_5", "P@5"),
        ("recall.10", "R@10"),
        ("ndcg", "nDCG"),
        ("ndcg.1=3,2=9,4=4.5", "nDCG(gain={1:3,2:9,4:4.5})"),
        ("ndcg_1=3,2=9,4=4.5", "nDCG(gain={1:3,2:9,4:4.5})"),
        ("ndcg_cut.10,23.4", "nDCG@10 nDCG@23"),
        ("ndcg_cut_10", "nDCG@10"),
        ("map_cut_10", "AP@10"),
        ("success", "Success@1 Success@5 Success@10"),
        ("iprec_at_recall..10,0", "iprec@0 iprec@0.1"),
        ("iprec_at_recall_0.10", "iprec@0.1"),
        ("11pt_avg..25,.5,.75", "11pt(points={0.25,0.5,0.75})"),
        ("relative_P.5", "P(denominator=min)@5"),
        ("Rprec_mult.0.5", "Rprec(multiple=0.5)"),
        ("set_F.4.0", "SetF(beta=2)"),
        ("set_F", "SetF"),
        ("rbp.p=0.8", "RBP(p=0.8)"),
        ("rbp_resid", "RBPresidual(complete=0)"),
        ("unj", "Unjudged@5 Unjudged@10 Unjudged@20"),
        ("runid", ""),
    ],
)
def test_the_measures_behind_a_name(text: str, measures: str) -> None:
    assert " ".join(map(str, measures_for(text))) == measures
    assert understands(text)


def test_every_line_has_its_name_back() -> None:
    for line in lines(["all_trec", "set_F.0.5", "rbp.p=0.8", "P.7", "ndcg.1=3"]):
        assert lines([line.name]) == (line,)
        # Rprec at 1 times R is Rprec.
        if line.measure is not None and line.name != "Rprec_mult_1.00":
            assert name_of(line.measure) == line.name


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        ("P@5", "P_5"),
        ("P(relevant_from=2)@5", None),
        ("nDCG@5", "ndcg_cut_5"),
        ("nDCG(gain=exp)@5", None),
        ("nDCG(gain={1:3})", "ndcg_1=3"),
        ("nDCG(gain={1:3})@5", None),
        ("P@depth", None),
        ("iprec(rounding=trec9)@0.1", "iprec_at_recall_0.10"),
        ("iprec@0.123", "iprec_at_recall_0.12"),
        ("SetF(beta=2)", "set_F_4"),
        ("MR", None),
        ("AUC", None),
        ("AP(denominator=min)@5", None),
    ],
)
def test_the_name_of_a_measure(measure: str, name: str | None) -> None:
    assert name_of(parse_measure(measure)) == name


def test_given_parameters_replace_the_defaults_and_the_order_is_fixed() -> None:
    found = [line.name for line in lines(["official", "P.10,5", "P.7", "num_ret"])]
    assert found[:4] == ["runid", "num_q", "num_ret", "num_rel"]
    assert found[-4:] == ["iprec_at_recall_1.00", "P_5", "P_7", "P_10"]
    assert set(OFFICIAL) < set(ALL_TREC)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mapp", "trec_eval has no measure 'mapp'. Did you mean 'map'?"),
        ("G", "ragscore does not have trec_eval's G"),
        ("utility.2,-1,0,0", "ragscore does not have trec_eval's utility"),
        ("prefs_simp", "reads judgments, not preferences"),
        ("map.5", "map has no parameters"),
        ("P.x", "'x' is not a parameter of P"),
        ("P.", "'' is not a parameter of P"),
        ("P.0", "the number 0 is too small. It must be at least 1"),
        ("P.1_0", "'1_0' is not a parameter"),
        ("P.1e999", "'1e999' is not a parameter"),
        ("ndcg.1", "'1' is not a parameter of ndcg"),
        ("rbp.q=0.8", "'q=0.8' is not a parameter of rbp"),
        ("set_F.-1", "'-1' is not a parameter of set_F"),
        ("iprec_at_recall.2", "the number 2.0 is too large. It must be at most 1"),
    ],
)
def test_wrong_names(text: str, says: str) -> None:
    with pytest.raises(MeasureError) as error:
        lines([text])
    assert says in str(error.value)


def test_what_is_missing_is_told_and_not_there() -> None:
    assert not set(MISSING) & set(ALL_TREC)
    assert all(MISSING.values())
    assert understands("relstring.20")
    assert not understands("nDCG@10")


def test_the_higher_relevance_level_reaches_binary_measures_only() -> None:
    changed = {
        family.name
        for family in TABLE
        if "relevant_from" in family.model_fields
        and family.model_fields["relevant_from"].default is not None
    }
    assert {"P", "AP", "bpref", "iprec", "SetF", "NumRel", "RBP"} <= changed
    assert not {"nDCG", "DCG", "ERR", "Judged", "NumRet"} & changed
    assert str(SetF(beta=2).with_relevant_from(2)) == "SetF(beta=2,relevant_from=2)"
    assert str(parse_measure("nDCG@5").with_relevant_from(2)) == "nDCG@5"
    assert str(parse_measure("iprec@0.1").with_relevant_from(2)) == "iprec(relevant_from=2)@0.1"
