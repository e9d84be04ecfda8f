"""What must not come back where judgments name units: lists of units and passages, and rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore.dataset import Dataset
from ragscore.errors import DataError
from ragscore.formats import convert, load_dataset
from ragscore.judge import leaked, numbered_alike, of_units
from ragscore.run import Run
from ragscore.scoring import score

RULES: list[dict[str, Any]] = [
    {"field": "tenant", "op": "!=", "value": "query.tenant"},
    {"field": "year", "op": "<", "value": 2003},
    {"field": "tenant", "op": "in", "value": ["t2"]},
    {"field": "tenant", "op": "not in", "value": ["t0", "t1"]},
]
QUERIES = 10
CUTOFFS = ("units", "passages")


def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def passages(count: int = 40, units: int = 12) -> list[dict[str, Any]]:
    """Passages of documents; some of none; the tenants and years within a document differ."""
    made = rng()
    found = []
    for row in range(count):
        metadata: dict[str, Any] = {"year": int(made.integers(2000, 2012))}
        if row % 5:
            metadata["tenant"] = f"t{made.integers(3)}"
        if row % 9:
            metadata["document"] = f"d{made.integers(units)}"
        found.append({"id": f"p{row:02}", "text": f"text {row}", "metadata": metadata})
    return found


def queries() -> list[dict[str, Any]]:
    return [
        {"id": f"q{at}", "text": f"what {at}", "metadata": {"tenant": f"t{at % 3}"} if at else {}}
        for at in range(QUERIES)
    ]


def judged_and_forbidden() -> list[dict[str, Any]]:
    """Lists name units, passages of units, and passages without one. Grades are 0: nothing that
    is forbidden may be relevant."""
    made = rng()
    return [
        {
            "query_id": f"q{at}",
            "passages": {f"d{made.integers(12)}": 0},
            "forbidden": [f"d{at}", f"p{made.integers(40):02}", "p00"] if at % 2 else [],
        }
        for at in range(QUERIES)
    ]


def runs(ids: list[str]) -> dict[str, dict[str, float]]:
    made = rng()
    return {
        f"q{at}": dict(
            zip(
                made.choice(ids, size=25, replace=False).tolist(),
                made.integers(0, 12, 25).tolist(),
                strict=True,
            )
        )
        for at in range(QUERIES)
    }


def fulfils(metadata: dict[str, Any], asked: dict[str, Any], rule: dict[str, Any]) -> bool:
    value, wanted = metadata.get(rule["field"]), rule["value"]
    if wanted == "query.tenant":
        wanted = asked.get("tenant")
    if value is None or wanted is None:
        return False
    if rule["op"] in ("!=", "not in"):
        return bool(value != wanted if rule["op"] == "!=" else value not in wanted)
    return bool(value < wanted if rule["op"] == "<" else value in wanted)


def by_hand(cutoff: str, rules: list[dict[str, Any]]) -> dict[str, list[str]]:
    """For each query what a ranking holds, in order, that is forbidden; others are empty texts."""
    rows = {row["id"]: row["metadata"] for row in passages()}
    asked = {row["id"]: row.get("metadata", {}) for row in queries()}
    listed = {row["query_id"]: set(row["forbidden"]) for row in judged_and_forbidden()}
    found = {}
    for query, returned in runs(list(rows)).items():

        def forbidden(passage: str, query: str = query) -> bool:
            own = rows[passage].get("document")
            return bool({passage, own} & listed[query]) or any(
                fulfils(rows[passage], asked[query], rule) for rule in rules
            )

        if cutoff == "passages":
            order = sorted(returned, key=lambda one: (returned[one], one), reverse=True)
            found[query] = [one if forbidden(one) else "" for one in order]
            continue
        best: dict[str, float] = {}
        for passage, value in returned.items():
            unit = rows[passage].get("document", passage)
            best[unit] = max(value, best.get(unit, -1))
        order = sorted(best, key=lambda one: (best[one], one), reverse=True)
        leaking = {rows[one].get("document", one) for one in rows if forbidden(one)}
        found[query] = [unit if unit in leaking else "" for unit in order]
    return found


@pytest.mark.parametrize("rules", [[], RULES[:1], RULES], ids=["lists", "a rule", "rules"])
@pytest.mark.parametrize("cutoff", CUTOFFS)
def test_leaks_are_those_of_a_plain_loop(cutoff: str, rules: list[dict[str, Any]]) -> None:
    data = Dataset.from_rows(
        passages(),
        queries(),
        judged_and_forbidden(),
        unit={"field": "document", "cutoff": cutoff},
        forbidden=rules or None,
        allow_missing=True,
    )
    run = Run.from_dict(runs([row["id"] for row in passages()]))
    expected = by_hand(cutoff, rules)
    for k in (1, 4, 25):
        (entry,) = score(run, data, [f"LeakCount@{k}", f"Leak@{k}"]).entries
        counts = {query: sum(map(bool, order[:k])) for query, order in expected.items()}
        assert entry.per_query(f"LeakCount@{k}") == counts
        assert entry.per_query(f"Leak@{k}") == {query: min(n, 1) for query, n in counts.items()}
    placed, qrels = numbered_alike(run, data.qrels)
    ranked = of_units(placed, qrels)
    leaks = leaked(ranked, qrels, 4)
    named = [ranked.passages[int(row)] for row in leaks.passage]
    if cutoff == "units":
        named = [qrels.named(passage) for passage in named]
    listed = zip(qrels.queries.texts(leaks.query), leaks.rank.tolist(), named, strict=True)
    assert list(listed) == [
        (query, at + 1, one)
        for query, order in sorted(expected.items())
        for at, one in enumerate(order[:4])
        if one
    ]


@pytest.mark.parametrize(("cutoff", "refused"), [("units", True), ("passages", False)])
def test_a_relevant_unit_with_a_forbidden_passage(cutoff: str, refused: bool) -> None:
    rows = [
        {"id": "a1", "text": "x", "metadata": {"document": "a", "year": 2001}},
        {"id": "a2", "text": "y", "metadata": {"document": "a", "year": 2009}},
    ]
    unit = {"field": "document", "cutoff": cutoff}
    for forbids in ({"forbidden": ["a1"]}, {}):
        truth = [{"query_id": "q", "passages": {"a": 1}, **forbids}]
        rule = None if forbids else {"field": "year", "op": "<", "value": 2005}
        given = (rows, {"q": "?"}, truth)
        if refused:
            what = r"the unit 'a' has grade 1 .* forbids passages of it"
            with pytest.raises(DataError, match=what):
                Dataset.from_rows(*given, unit=unit, forbidden=rule)
        else:
            data = Dataset.from_rows(*given, unit=unit, forbidden=rule)
            found = score({"q": ["a2", "a1"]}, data, ["Leak@1", "Leak@2"]).to_dict()
            assert found["dataset"]["run"] == {"Leak@1": 0.0, "Leak@2": 1.0}
    both = {"field": "year", "op": "<", "value": 2015}
    with pytest.raises(DataError, match="the rule year < 2015 forbids passages of it"):
        Dataset.from_rows(
            rows, {"q": "?"}, [{"query_id": "q", "passages": {"a": 1}}], unit=unit, forbidden=both
        )


def test_files_hold_what_is_forbidden_and_say_what_is_not_there(tmp_path: Path) -> None:
    unit = {"field": "document", "cutoff": "passages"}
    data = Dataset.from_rows(
        passages(), queries(), judged_and_forbidden(), unit=unit, allow_missing=True
    )
    assert not data.missing_passages
    convert(data, tmp_path / "data")
    read = load_dataset(tmp_path / "data", unit=unit, allow_missing=True, name=data.name)
    assert read.qrels.judgments_digest == data.qrels.judgments_digest
    assert read.counts["missing_passages"] == 0
    truth = tmp_path / "data" / "ground_truth.jsonl"
    lines = truth.read_text().splitlines()
    truth.write_text("\n".join([lines[0], '{"query_id": "q9", "forbidden": ["nowhere"]}']) + "\n")
    rows = tmp_path / "data" / "passages.jsonl"
    kept = [line for line in rows.read_text().splitlines() if "document" in line]
    rows.write_text("\n".join(kept) + "\n")
    with pytest.raises(DataError, match=r"jsonl:2: forbidden: the unit 'nowhere' is not the doc"):
        load_dataset(tmp_path / "data", unit=unit)


def test_parts_of_a_block_come_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = [{**row, "passages": {f"d{at}": 1, f"d{at + 1}": 0}, "forbidden": [f"d{at + 1}"]}
             for at, row in enumerate(judged_and_forbidden())]  # fmt: skip
    data = Dataset.from_rows(
        passages(), queries(), truth, unit="metadata.document", allow_missing=True
    )
    run = runs([row["id"] for row in passages()])
    measures = ["nDCG@3", "AP", "Judged@5", "LeakCount@4"]
    (whole,) = score(run, data, measures).entries
    monkeypatch.setattr("ragscore.judge.retrieved.PLACES", 60)  # two queries at a time
    (parts,) = score(run, data, measures).entries
    np.testing.assert_array_equal(parts.values, whole.values)
    assert parts.counts == whole.counts
    assert whole.values.any(axis=1).all()
