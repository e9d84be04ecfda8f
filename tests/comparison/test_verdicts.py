"""Every template of a verdict, reached by data made for it, in both languages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ragscore.comparison import Comparison, compare
from ragscore.comparison.check_strings import CHECK_TEXTS
from ragscore.comparison.strings import VERDICT_TEXTS
from ragscore.elements.numbers import p_relation, signed_text
from ragscore.scoring import Scores, score
from ragscore.strings import LISTED, Listed, Sentence
from tests.factories.scores import scored
from tests.factories.verdict_cases import CASES, CHECKS, HALF, moved, verdict

GOLDEN = Path(__file__).with_name("verdicts.txt")


def printed(name: str) -> str:
    """A case as verdicts.txt has it."""
    case = CASES[name]
    found = verdict(scored(case.values), **case.words)
    lines = [f"# {name}: {found.state}", *found.printed("en"), *found.printed("ko")]
    return "\n".join(lines)


@pytest.mark.parametrize("name", CASES)
def test_the_lines_are_said_word_for_word(name: str) -> None:
    golden = {
        element.partition(": ")[0]: element
        for element in GOLDEN.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    }
    assert list(golden) == [f"# {known}" for known in CASES]
    assert printed(name) == golden[f"# {name}"]


def test_the_language_of_the_options_is_that_of_the_text() -> None:
    values = scored(CASES["open"].values)
    found = verdict(values, language="ko")
    assert str(found) == found.text == "\n".join(found.printed("ko"))
    assert found.printed("en") == verdict(values).text.split("\n")


@pytest.mark.parametrize("key", CHECKS)
def test_data_that_cannot_be_read_is_said_so_and_nothing_else(key: str) -> None:
    scores, english, korean = CHECKS[key]
    found = verdict(scores, allow_intersect=True)
    [line] = found.lines
    assert (found.state, line.word("en"), line.kind) == ("CHECK DATA", "Not yet", "use")
    assert (line.text("en"), line.text("ko")) == (english, korean)
    assert found.leader is None
    assert line.parts[0].facts["problem"].key == key


def test_every_string_is_reached() -> None:
    used: set[str] = set()

    def collect(part: Any) -> None:
        if isinstance(part, Sentence):
            used.add(part.key)
            for fact in part.facts.values():
                collect(fact)
        if isinstance(part, Listed):
            used.add(part.last)
            more = len(part.parts) - LISTED
            used.update(["others"] * (more > 1) + ["others_one"] * (more == 1))
            for one in part.parts:
                collect(one)

    found = [verdict(scored(case.values), **case.words) for case in CASES.values()]
    found += [verdict(scores, allow_intersect=True) for scores, *_ in CHECKS.values()]
    for line in (line for one in found for line in one.lines):
        used.add(line.label)
        for part in line.parts:
            collect(part)
    texts = {**VERDICT_TEXTS, **CHECK_TEXTS}
    elsewhere = {key for key in texts if key.startswith(("family_", "withheld_"))}
    # tests/cli/test_unknown_ids.py reaches each of these.
    elsewhere |= {key for key in texts if key.startswith("ids_") or key.endswith("_ids")}
    # And tests/report/sections/test_equal_budgets.py, tests/results/test_what_decides.py these.
    decides = ("chunks", "label_chunks", "in_", "size_", "but_", "use_outage", "against_not_")
    elsewhere |= {key for key in texts if key.startswith(decides)}
    # And tests/results/test_sampled_results.py these.
    elsewhere |= {"label_sample", "sample"}
    assert used & texts.keys() == texts.keys() - elsewhere


def test_a_claim_over_all_is_contradicted_by_any_of_them() -> None:
    values = {
        "nDCG@10": {"bm25": HALF, "a": moved(HALF, 0.3, 0.35), "b": moved(HALF, 0.1, 0.2, 0.15)},
        "R@10": {"bm25": HALF, "a": HALF, "b": moved(HALF, 0.2, 0.1)},
    }
    found = verdict(scored(values))
    assert (found.state, found.leader) == ("CLEAR", "a")
    assert found.printed("en")[-1] == "But: b is better on R@10 (+0.150 [+0.117, +0.183])."
    values["R@10"]["b"] = moved(HALF, 0.2, -0.15)
    assert [line.kind for line in verdict(scored(values)).lines] == ["use", "sure"]


def test_wrong_query_ids_are_found_by_scoring_itself() -> None:
    qrels = {f"q{n}": ["a"] for n in range(12)}
    good = score({query: ["x", "a"] for query in qrels}, qrels, ["RR"], retriever="bm25")
    wrong = score({f"Q{n}": ["a"] for n in range(12)}, qrels, ["RR"], retriever="dense")
    found = verdict(Scores.joined([good, wrong]))
    assert found.text.startswith(
        "Not yet. Do not read the ranking yet: no query id of dense is in the judgments (12 of "
        "12). Upper and lower case differ: 'Q0' in the run, 'q0' in the judgments."
    )


def test_sparse_judgments_are_no_reason_to_distrust() -> None:
    # One judged passage a query, nine of ten unjudged in the top ten: as most made for RAG.
    qrels = {f"q{n}": ["a"] for n in range(20)}
    filler = [f"x{n}" for n in range(9)]
    parts = [
        score(dict.fromkeys(qrels, order), qrels, ["nDCG@10"], retriever=name)
        for name, order in {"bm25": [*filler, "a"], "dense": ["a", *filler]}.items()
    ]
    assert verdict(Scores.joined(parts)).state == "CLEAR"


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0302, "= 0.03"), (0.0, "< 0.001"), (0.000999, "< 0.001"), (0.001, "= 0.001"),
     (0.0496, "= 0.0496"), (0.04996, "= 0.04996"), (0.05, "= 0.05"), (0.25, "= 0.25"),
     (0.9999, "= 1")],
)  # fmt: skip
def test_p_values_are_printed_as_they_decide(p: float, text: str) -> None:
    assert p_relation(p) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0071, "+0.007"), (-0.05, "-0.050"), (0.0, "0.000"), (1e-17, "0.000"), (-0.0004, "-0.000")],
)
def test_differences_are_printed_with_sign(value: float, text: str) -> None:
    assert signed_text(value) == text


def test_no_verdict_prints_a_number_that_is_none() -> None:
    for case in CASES.values():
        comparison: Comparison = compare(scored(case.values), **case.words)
        for language in ("en", "ko"):
            said = "\n".join(comparison.datasets[0].verdict.printed(language))  # type: ignore[arg-type]
            assert not re.search(r"\bnan\b|\binf\b|None|\{|\}", said)
