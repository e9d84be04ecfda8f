"""A measure prints as it parses."""

from __future__ import annotations

import pytest

from ragscore.errors import MeasureError
from ragscore.measures import DEFAULT_MEASURES, NDCG, TABLE, F, P, parse_measure


@pytest.mark.parametrize("family", TABLE, ids=lambda family: family.name)
def test_every_measure_prints_as_it_parses(family: type) -> None:
    for measure in (family(cutoff=7), family(cutoff="depth")):
        assert parse_measure(str(measure)) == measure
        assert parse_measure(measure.label) == measure
    for alias in family.aliases:
        assert parse_measure(f"{alias.upper()}@7") == family(cutoff=7)


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
        ("P", "P needs a cutoff. Write P@10"),
        ("P@0", "'0' is not a cutoff"),
        ("P@-1", "'-1' is not a cutoff"),
        ("P@" + "9" * 5000, "is not a cutoff"),
        ("P@ten", "'ten' is not a cutoff"),
        ("P@1.5", "'1.5' is not a cutoff"),
        ("nDCG(gain=cubic)@10", "gain: 'cubic' does not fit. Allowed: linear, exp"),
        ("nDCG(gian=exp)@10", "nDCG has no option 'gian'. Did you mean 'gain'?"),
        ("nDCG(exp)@10", "'exp' is not an option. Write name=value"),
        ("nDCG(gain=exp,gain=exp)@10", "the option 'gain' is given twice"),
        ("F(beta=0)@10", "beta: '0' does not fit"),
        ("F(beta=nan)@10", "beta: 'nan' does not fit"),
        ("P(relevant_from=0)@10", "relevant_from: '0' does not fit"),
        ("P(cutoff=3)", "'cutoff=3' is not an option"),
        ("P@10@20", "'P@10@20' is not a measure"),
        ("", "'' is not a measure"),
        ("(gain=exp)@10", "'(gain=exp)@10' is not a measure"),
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
