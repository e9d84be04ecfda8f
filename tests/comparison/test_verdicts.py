"""Every template of a verdict, reached by data made for it, in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragscore.comparison import check, verdict_text
from ragscore.comparison.check import DIFFERENT_IDS
from ragscore.comparison.verdict_text import verdict_headline
from ragscore.elements.model import Element, Headline, Lines
from ragscore.elements.show import show
from ragscore.messages import Message
from ragscore.names import LANGUAGES
from ragscore.scoring import Scores, score
from tests.factories.scores import scored
from tests.factories.verdict_cases import CASES, CHECKS, HALF, moved, verdict
from tools.translate import Text, in_python

GOLDEN = Path(__file__).with_name("verdicts.txt")


def printed(name: str) -> str:
    """A case as verdicts.txt has it."""
    case = CASES[name]
    found = verdict(scored(case.values), **case.words)
    texts = (show(found, language=language).replace("\n\n", "\n") for language in LANGUAGES)
    return "\n".join([f"# {name}: {found.state}, {found.reason}", *texts])


@pytest.mark.parametrize("name", CASES)
def test_the_lines_are_said_word_for_word(name: str) -> None:
    golden = {
        element.partition(": ")[0]: element
        for element in GOLDEN.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    }
    assert list(golden) == [f"# {known}" for known in CASES]
    assert printed(name) == golden[f"# {name}"]


@pytest.mark.parametrize("key", CHECKS)
def test_data_that_cannot_be_read_is_said_so_and_nothing_else(key: str) -> None:
    scores, english, korean = CHECKS[key]
    found = verdict(scores, allow_intersect=True)
    assert str(found) == f"Not yet. {english}"
    assert show(found, language="ko") == f"판단 보류. {korean}"
    assert (found.state, found.leader, found.recommended) == ("CHECK DATA", None, None)


def test_a_card_is_read_in_ten_seconds() -> None:
    for case in CASES.values():
        found = verdict(scored(case.values), **case.words)
        card = verdict_headline(found)
        lines = {str(word): str(text).split() for word, text in card.lines}
        first = ("Sure:", "Open:", "To settle:")
        assert len(str(card.text).split()) + sum(len(lines.get(w, ())) for w in first) <= 60
        assert all(len(words) <= 20 for word, words in lines.items() if word not in first)
        assert found.recommended in str(card.text)


def messages(thing: object) -> Iterator[Message]:
    """All that an element says, each piece by itself."""
    if isinstance(thing, Message):
        yield thing
        for fact in thing.facts.values():
            yield from messages(fact)
    elif isinstance(thing, tuple):
        for part in thing:
            yield from messages(part)
    elif isinstance(thing, Headline):
        yield from messages((thing.word, thing.text, thing.lines))
    elif isinstance(thing, Lines):
        yield from messages(thing.lines)
    else:
        assert not isinstance(thing, Element)


def test_every_sentence_is_reached() -> None:
    found = [verdict(scored(case.values), **case.words) for case in CASES.values()]
    found += [verdict(scores, allow_intersect=True) for scores, *_ in CHECKS.values()]
    used = {text.template for one in found for text in messages(one.elements())}
    texts = {
        text.template
        for place in (check, verdict_text)
        for _, text in in_python(Path(str(place.__file__)).read_text(encoding="utf-8"))
        if isinstance(text, Text)
    }
    # tests/report/sections/test_equal_budgets.py, tests/results/test_what_decides.py and
    # tests/results/test_sampled_results.py reach these, tests/cli/test_unknown_ids.py those on
    # ids.
    start = (
        r"{M} compares|Chunks|A larger depth|The top|No context|{limit}|failed queries|the encoder|"
        r"{slice}|{parts}|Depends|{names} failed|{problem}.*{error}|Fix it|At the same k|"
        r"The ranking changes|{A} {n}|.* (query|passage) id in|Judged .* ids in|Sample: "
    )
    elsewhere = {text for text in texts - used if re.match(start, text)}
    elsewhere |= {text.template for text in DIFFERENT_IDS.values()}
    assert texts - used == elsewhere - used


def test_what_another_measure_decides_the_other_way_is_said() -> None:
    values = {
        "nDCG@10": {"bm25": HALF, "a": moved(HALF, 0.3, 0.35), "b": moved(HALF, 0.1, 0.2, 0.15)},
        "R@10": {"bm25": HALF, "a": HALF, "b": moved(HALF, 0.2, 0.1)},
    }
    found = verdict(scored(values))
    assert (found.state, found.leader) == ("CLEAR", "a")
    assert str(found).split("\n")[-1] == "But: b is better on R@10, by 0.150 [+0.117, +0.183]."
    values["R@10"]["b"] = moved(HALF, 0.2, -0.15)
    assert verdict(scored(values)).but is None


def test_wrong_query_ids_are_found_by_scoring_itself() -> None:
    qrels = {f"q{n}": ["a"] for n in range(12)}
    good = score({query: ["x", "a"] for query in qrels}, qrels, ["RR"], retriever="bm25")
    wrong = score({f"Q{n}": ["a"] for n in range(12)}, qrels, ["RR"], retriever="dense")
    found = verdict(Scores.joined([good, wrong]))
    assert str(found).startswith(
        "Not yet. No query id in the run of dense is in the judgments (12 of 12). Upper and lower "
        "case differ: 'Q0' in the run, 'q0' in the judgments."
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


def test_no_verdict_prints_a_number_that_is_none() -> None:
    for case in CASES.values():
        found = verdict(scored(case.values), **case.words)
        for language in LANGUAGES:
            said = show(found, language=language)
            assert not re.search(r"\bnan\b|\binf\b|None|\{|\}", said)
