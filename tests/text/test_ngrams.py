"""Character n-grams: the terms of Lucene's CJKAnalyzer, on the examples of its own tests."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore import BM25, Dataset, evaluate
from ragscore.text import Ngrams


@pytest.mark.parametrize(
    ("text", "terms"),
    [  # TestCJKAnalyzer and TestCJKBigramFilter of Lucene
        ("一二三四五六七八九十", "一二 二三 三四 四五 五六 六七 七八 八九 九十"),
        ("一 二三四 五六七八九 十", "一 二三 三四 五六 六七 七八 八九 十"),
        ("あいうえおabcかきくけこ", "あい いう うえ えお abc かき きく くけ けこ"),
        ("あいうえおabんcかきくけ こ", "あい いう うえ えお ab ん c かき きく くけ こ"),
        ("あいうえおabcかきくけこ、", "あい いう うえ えお abc かき きく くけ けこ"),
        ("多くの学生が試験に落ちた。",
         "多く くの の学 学生 生が が試 試験 験に に落 落ち ちた"),
        ("ＴＥＳＴ １２３４５", "test 12345"),  # noqa: RUF001
        ("ﾊﾟﾅｿﾆｯｸ", "パナ ナソ ソニ ニッ ック"),
        ("안녕하세요 한글입니다", "안녕 녕하 하세 세요 한글 글입 입니 니다"),
        ("我是中国人", "我是 是中 中国 国人"),
        ("𩬅艱鍟䇹愯瀛", "𩬅艱 艱鍟 鍟䇹 䇹愯 愯瀛"),
        ("一二 ab3 §", "一二 ab3"),
        ("", ""),
    ],
)  # fmt: skip
def test_pairs_are_those_of_lucene(text: str, terms: str) -> None:
    assert Ngrams().open().tokens(text) == terms.split()


@pytest.mark.parametrize(
    ("n", "terms"),
    [(1, "보 증 금 a1"), (3, "보증금 a1"), (4, "보증금 a1")],
)
def test_runs_shorter_than_n_stay_whole(n: int, terms: str) -> None:
    assert Ngrams(n=n).open().tokens("보증금 A1") == terms.split()


def test_decomposed_text_has_the_same_terms() -> None:
    text = "보증금과 がぎ, naïve"
    assert Ngrams().open().tokens(normalize("NFD", text)) == Ngrams().open().tokens(text)


@given(st.text(st.sampled_from("가나다一二あアab1 ,"), max_size=12), st.integers(1, 4))
def test_each_run_gives_all_of_its_parts(text: str, n: int) -> None:
    wanted: list[str] = []
    for piece in "".join(f" {x} " if x in "ab1" else x for x in text).replace(",", " ").split():
        wanted += [piece[at : at + n] for at in range(max(1, len(piece) - n + 1))]
    joined = "".join(Ngrams(n=n).open().tokens(text))
    assert sorted(joined) == sorted("".join(wanted))


def test_a_query_finds_a_noun_behind_its_particle_without_an_extra() -> None:
    passages = {"a": "월세는 매달 1일에 낸다.", "b": "보증금은 두 달 치 월세를 넘지 않는다."}
    dataset = Dataset.from_rows(passages, {"q": "보증금이 얼마인가"}, {"q": ["b"]}, name="rules")
    retrievers = {"pairs": BM25(tokenizer="bigrams"), "words": BM25(tokenizer="words")}
    result = evaluate(dataset, retrievers, ["RR@2"], depth=2)
    runs = {name: result["rules"].runs[name].to_dict() for name in retrievers}
    assert runs["words"] == {"q": {}}
    assert list(runs["pairs"]["q"]) == ["b"]
