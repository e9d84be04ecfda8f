"""Late interaction: what is encoded, by which model, and which passages are scored."""

from __future__ import annotations

from functools import partial
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from ragscore import canonical
from ragscore.cache import Cache
from ragscore.dataset import Corpus
from ragscore.encoders.base import Role
from ragscore.encoders.gathering import gather
from ragscore.encoders.model_types import MULTI_VECTOR, ModelType
from ragscore.encoders.ragged import RaggedEncoded
from ragscore.encoders.ragged_models import RaggedEncoder, Storage, TokenModel
from ragscore.errors import Problem
from ragscore.progress import Progress
from ragscore.retrievers.artifact import Artifact
from ragscore.retrievers.model_retriever import ModelRetriever
from ragscore.retrievers.multi_vector.multi_vector_index import MultiVectorIndex, TokenIndex
from ragscore.retrievers.multi_vector.pool_index import PoolIndex, PoolTokens
from ragscore.spec import canonical_json, digest_text
from ragscore.validation.findings import contradiction

POOL = 100


class MultiVector(ModelRetriever):
    """Compares queries and passages token by token: late interaction (ColBERT), exactly.

    A MultiVectorEncoder of sentence-transformers gives each token a vector; a passage scores, for
    each token of the query, the similarity of its most similar token, added up (MaxSim). With
    ``retriever``, only the first ``n`` passages of that retriever are encoded and scored.

    Source: Khattab and Zaharia, ColBERT, SIGIR 2020.

    >>> MultiVector(model="lightonai/GTE-ModernColBERT-v1", retriever="bm25").inputs()
    ('bm25',)
    """

    model_type: ClassVar[ModelType] = MULTI_VECTOR
    exact_pair: ClassVar[int] = 2_000
    kind: Literal["multi-vector"] = "multi-vector"
    """Which retriever this is."""
    model: str = Field(min_length=1)
    """A folder, relative to the experiment file, or a name on the model hub such as
    `lightonai/GTE-ModernColBERT-v1`. Code inside a model is never run."""
    retriever: Annotated[str, Field(min_length=1)] | None = None
    """Name of another retriever of the experiment whose first `n` passages are scored; by default
    all passages are."""
    n: PositiveInt = POOL
    """How many passages of `retriever` are scored, at most the experiment's depth."""
    storage: Storage = "float32"
    """Precision in which the token vectors of passages are kept: `float16` halves them."""

    @model_validator(mode="after")
    def _pool_fits(self) -> Self:
        if self.retriever is None and "n" in self.model_fields_set and self.n != POOL:
            what = "n has no meaning without retriever"
            raise contradiction("n", what, "Leave it out, or name one")
        if self.retriever is not None and (self.filter is not None or self.collapse is not None):
            what = "with retriever, filter and collapse have no meaning here"
            instead = f"Set them on '{self.retriever}', which finds the passages"
            raise contradiction("filter" if self.filter is not None else "collapse", what, instead)
        return self

    def inputs(self) -> tuple[str, ...]:
        return () if self.retriever is None else (self.retriever,)

    def search_depth(self, depth: int) -> int:
        return depth if self.retriever is None else self.n

    def exact(self) -> MultiVector | None:
        if self.retriever is None:
            return None
        return self.model_copy(update={"retriever": None, "n": POOL})

    def content(self) -> dict[str, object]:
        content = super().content()
        del content["retriever"]  # its key counts, not its name
        return {**content, "scores": canonical.FORMAT}

    def vector_key(self, role: Role) -> str:
        storage = self.storage if role == "passage" else None
        return digest_text(canonical_json([super().vector_key(role), storage]))

    def _encoder(self, progress: Progress) -> RaggedEncoder:
        return TokenModel(self, self.storage, progress)

    def unfit_for_blocks(self) -> Problem | None:
        if self.retriever is not None:  # the tokens of what that returns alone
            return None
        return Problem(
            "the token vectors of all passages are searched together, and the corpus is read in "
            "blocks",
            where="kind",
            instead="Score what another retriever finds: set retriever",
        )

    def artifacts(self, corpus: Corpus) -> tuple[Artifact, ...]:
        texts = corpus.content(self.fields) if self.retriever is None else ()  # pools say which
        return (Artifact("vectors", self.vector_key("passage"), "", texts),)

    def open_index(
        self,
        corpus: Corpus,
        cache: Cache | None,
        *,
        name: str,
        strict: bool,
        progress: Progress,
    ) -> TokenIndex:
        encoder = self.open_encoder(progress)
        texts, key = corpus.content(self.fields), self.vector_key("passage")
        gather_texts = partial(gather, key, encoder, RaggedEncoded, cache=cache, progress=progress)
        if self.retriever is not None:
            tokens = PoolTokens(corpus.ids, texts, gather_texts)
            return PoolIndex(encoder, tokens, self.retriever, self.n, corpus.ids, name, progress)
        gathered = gather_texts(ids=corpus.ids, texts=texts)
        return MultiVectorIndex(encoder, gathered, corpus.ids, name, progress)
