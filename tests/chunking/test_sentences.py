"""Sentences of English, Korean and others begin where a reader would say so."""

# ruff: noqa: RUF001
from __future__ import annotations

import random
import time

import pytest

from ragscore.chunking import SentenceChunker
from ragscore.chunking.sentence_rules import sentence_begins

ONE = SentenceChunker(size=1, unit="sentences")
# `|` stands where a sentence begins.
SENTENCES = [
    # English: abbreviations, initials, numbers
    "Dr. Lee and Mrs. Smith pay $3.50. |The rent, e.g. for a flat, is due.",
    "See No. 5 and Fig. 2 on p. 12. |No. |I will not.",
    "The U.S. Government acts. |He lives in the U.S. |The law is clear.",
    "Acme Inc. sells it. |We asked Acme Inc. |They agreed.",
    "J. K. Rowling wrote it at 5 p.m. Monday. |It sold, etc. |However, it ended.",
    "It is version 1.2.3 of www.example.com. |Pay 1,000.50 by Dec. 5.",
    "It was in Dec. |Rain fell.",
    "It ended in 1999. |Then it began.",
    "She has a Ph.D. in law. |What?! |Really… |Wait... what?",
    # quotations and brackets
    "He said, “Go. Now.” |Then he left.",
    '"Stop!" he said. |"Stop." |He left.',
    "He paid (see p. 5. It is long). |Then he left.",
    "It is *due.* |**Pay.** |Now",
    # items and headings
    "1. Rent is due.\n|2. Pets are allowed.",
    "# Rent\n|It is due.\n|- one cat\n|- one dog",
    "A line that is\nwrapped goes on. |A blank line\n\n|ends one",
    "1. Rent is due |2. Pets are allowed |3. Notice is three months. |It ended in 1999. |Yes",
    # Korean
    "다음은 주지 않는다. |1. 예방접종 비용 |2. 미용 |3. 치과 치료. |4. 안경 |5. 선천성 질환.",
    "면책 사유는 다음과 같다 3. 미용 목적이다.",
    "임대료는 매달 1일에 낸다. |늦으면 3.5%의 이자가 붙는다. |왜 그럴까요? |네. |알겠습니다!",
    '그는 "비가 온다. 우산을 써라."라고 말했다. |그리고 나갔다.',
    "그는 “갔다.” 라고 했다. |끝났다.",
    "회의는 2024. 5. 3. 열렸다. |참석자는 12명이다.",
    "가. 계약의 목적은 이렇다.\n|나. 기간은 2년이다.",
    "끝났다.|그리고 갔다.",
    "주식회사 ABC Inc. 대표가 왔다. |그는 J. Kim 씨다.",
    "제3.1조(해지) 계약은 끝난다.\n|① 첫째다.\n|② 둘째다.",
    # others
    "吾輩は猫である。|名前はまだ無い。",
    "「そうか。」と言った。|彼は去った。",
    "他说：“好。”|他走了！|真的？",
    "यह किराया है। |वह देय है।",
    "هل هذا إيجار؟ |نعم.",
]


@pytest.mark.parametrize("marked", SENTENCES)
def test_sentences(marked: str) -> None:
    expected = [sentence.strip() for sentence in marked.split("|")]
    text = marked.replace("|", "")
    assert [text[start:end] for start, end in ONE.spans(text).tolist()] == expected


@pytest.mark.slow
def test_korean_sentences_of_kiwi() -> None:
    kiwi = pytest.importorskip("kiwipiepy")
    assert kiwi
    text = '😀 그는 "비가 온다. 우산을 써라."라고 말했다.\n3.5%가 늘었다 안녕하세요? 네.'
    chunker = ONE.changed(splitter="kiwi")
    assert [text[start:end] for start, end in chunker.spans(text).tolist()] == [
        '😀 그는 "비가 온다. 우산을 써라."라고 말했다.',
        "3.5%가 늘었다",
        "안녕하세요?",
        "네.",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", [".", ". ", "\n", "\n ", '"', "“", "(", ". )", "# ", "다.", "!?", "-\n", " ", ".\r"]
)
def test_time_grows_with_the_text(part: str) -> None:
    """Twenty times the text takes nowhere near four hundred times as long."""
    text = part * (100_000 // len(part))
    began = time.perf_counter()
    sentence_begins(text)
    assert time.perf_counter() - began < 5  # a quadratic pass takes hours


def test_sentences_do_not_depend_on_what_follows_a_blank_line() -> None:
    parts = [text.replace("|", "") for text in SENTENCES]
    random.Random(7).shuffle(parts)
    alone = [part[a:b] for part in parts for a, b in ONE.spans(part).tolist()]
    whole = "\n\n".join(parts)
    assert [whole[a:b] for a, b in ONE.spans(whole).tolist()] == alone
