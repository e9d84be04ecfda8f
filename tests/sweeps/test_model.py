"""What a sweep hands over: shapes, names of configurations, what can be chosen by."""

import pytest

from ragscore.errors import ConfigError
from ragscore.sweeps.model import configuration_label, swept_measure
from tests.factories.sweeps import swept


def test_parameters_of_its_own_are_named_without_the_retriever():
    assert swept().labels[:2] == ("bm25[k1=0.6,b=0.3]", "bm25[k1=0.6,b=0.6]")
    setting = {"hybrid.k": 20, "bm25.k1": 0.9}
    assert configuration_label("hybrid", setting) == "hybrid[k=20,bm25.k1=0.9]"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.30000000000000004, "0.3"), (True, "true"), (None, "null"), ([1, 0.5], "[1,0.5]")],
)
def test_values_are_short_in_labels(value, shown):
    assert configuration_label("bm25", {"bm25.b": value}) == f"bm25[b={shown}]"


def test_a_retriever_needs_what_it_is_built_on():
    inputs = {"reranked": ("hybrid",), "hybrid": ("bm25", "dense"), "bm25": (), "dense": ()}
    needed = swept(inputs=inputs).needs("reranked")
    assert needed[-2:] == ("hybrid", "reranked")
    assert set(needed) == set(inputs)


def test_a_circle_of_a_damaged_file_ends():
    assert set(swept(inputs={"bm25": ("hybrid",), "hybrid": ("bm25",)}).needs("bm25")) == {
        "bm25",
        "hybrid",
    }


def test_a_geometric_mean_is_nothing_to_choose_by():
    assert str(swept_measure("nDCG@10")) == "nDCG@10"
    with pytest.raises(ConfigError, match="do not count alike"):
        swept_measure("gmAP")
