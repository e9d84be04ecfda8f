"""A corpus in blocks is the corpus, whatever the blocks are."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore.dataset import Corpus, Ids
from ragscore.dataset.byte_ids import ByteIds, joined_ids
from ragscore.dataset.byte_texts import ByteTexts
from ragscore.dataset.text_columns import SelectedTexts, taken
from ragscore.errors import DataError
from ragscore.models import Passage

TEXTS = st.text(max_size=12)
PASSAGES = st.lists(
    st.builds(
        Passage,
        id=TEXTS.filter(bool),
        text=TEXTS,
        title=st.sampled_from(["", "", "Rent", " 임대 "]),
        tags=st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True),
        metadata=st.dictionaries(st.sampled_from(["year"]), st.integers(0, 3)),
    ),
    min_size=1,
    max_size=30,
    unique_by=lambda passage: passage.id,
)


@given(PASSAGES, st.lists(st.integers(0, 30), max_size=4))
def test_a_corpus_in_blocks_reads_as_the_whole(passages: list[Passage], cuts: list[int]) -> None:
    bounds = [0, *sorted(min(cut, len(passages)) for cut in cuts), len(passages)]
    parts = [passages[start:end] for start, end in pairwise(bounds)]
    whole, joined = (
        Corpus.from_passages(passages),
        Corpus.of_blocks([Corpus.from_passages(part) for part in parts]),
    )
    assert list(joined) == passages
    assert joined.digest == whole.digest
    assert joined.titled == whole.titled
    for fields in (("title", "text"), ("text",), ("title",)):
        assert list(joined.content(fields)) == list(whole.content(fields))
        assert joined.content(fields)[1:-1] == list(whole.content(fields)[1:-1])
    rows = np.arange(len(passages))[::-2]
    assert taken(joined.texts, rows) == taken(whole.texts, rows)
    chosen = SelectedTexts(joined.texts, np.append(rows, -1))
    assert list(chosen) == [*taken(whole.texts, rows), ""]
    assert chosen.character_counts().tolist() == list(map(len, chosen))
    assert [block.first for block in joined.blocks] == bounds[:-1]
    assert dict(joined.tags) == whole.tags
    assert dict(joined.metadata) == whole.metadata


@given(st.lists(TEXTS, min_size=1, unique=True), st.lists(TEXTS))
def test_ids_in_bytes_are_the_ids(texts: list[str], others: list[str]) -> None:
    listed, packed = Ids(texts), ByteIds(ByteTexts.of(texts))
    assert packed == listed
    assert listed == packed
    assert packed.digest == listed.digest
    assert list(packed) == texts
    assert [packed[row] for row in range(len(texts))] == texts
    assert packed[1:] == texts[1:]
    assert packed.rows(others).tolist() == listed.rows(others).tolist()
    rows = np.arange(len(texts))[::-1]
    assert packed.texts(rows) == listed.texts(rows)
    assert packed.rows_of(listed, rows).tolist() == rows.tolist()
    assert listed.rows_of(packed, rows).tolist() == rows.tolist()
    assert list(packed.extended(others)) == list(listed.extended(others))
    assert packed.starts_with(Ids(texts[:1]))
    bytes_of_others = ByteIds(ByteTexts.of(dict.fromkeys(others)))
    assert list(packed.extended(bytes_of_others)) == list(listed.extended(others))
    assert packed.extended(joined_ids([Ids(texts[:1])])) is packed
    assert all((text in packed) == (text in listed) for text in [*texts, *others])
    assert packed.repeated() is None


def test_an_id_of_two_blocks_is_refused() -> None:
    one, two = (Corpus(Ids(ids), [""] * len(ids)) for ids in (["a", "b"], ["c", "b", "a"]))
    assert joined_ids([one.ids, two.ids]).repeated() == (1, 3)
    with pytest.raises(DataError, match="the id 'b' occurs twice"):
        Corpus.of_blocks([one, two])


def test_ids_far_apart_are_decoded_alone() -> None:
    ids = ByteIds(ByteTexts.of(f"passage {row} 조항" for row in range(100_000)))
    rows = np.array([99_999, 3, 50_000])
    assert ids.texts(rows) == ["passage 99999 조항", "passage 3 조항", "passage 50000 조항"]
