"""The options of everything that runs a sentence-transformers model, of any type.

A spec that runs a model derives from :class:`ModelOptions`, or from :class:`HubModel` where the
user names the model, and sets ``model_type``. Its key digests ``weights()``;
:class:`~ragscore.encoders.open_model.OpenModel` loads it.
"""

from __future__ import annotations

import os
import re
import uuid
from abc import abstractmethod
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import ClassVar, Literal, Self

from pydantic import Field, PositiveInt

from ragscore.encoders.base import Role
from ragscore.encoders.known_models import MULTILINGUAL, known_class, language_doubt
from ragscore.encoders.model_types import DENSE, ModelType, misfit, misfit_by_name, stated_positions
from ragscore.errors import MissingPackageError, Problem
from ragscore.files import expanded
from ragscore.kinds import KindSpec
from ragscore.messages import Text
from ragscore.seal import fingerprint_folder
from ragscore.version import installed_version

Device = Literal["auto", "cpu", "cuda", "mps"]
Dtype = Literal["float32", "float16", "bfloat16"]

PACKAGES = ("sentence-transformers", "transformers")
"""Packages whose releases may change a vector or a score by more than its last bits."""

MODEL_FILES = ("modules.json", "config.json")
"""A model has one of these."""

NOT_HERE = uuid.uuid4().hex
"""Stands for the content of models that are not on this machine yet, and may turn out to be
anything: what is keyed with it is found by this process alone."""

HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")


class ModelOptions(KindSpec):
    """How a model is run, whichever it is."""

    packages: ClassVar[tuple[str, ...]] = ("numpy", *PACKAGES, "torch")
    model_type: ClassVar[ModelType] = DENSE
    """Which class of sentence-transformers loads the model."""

    batch_size: PositiveInt = 32
    """Texts encoded at a time; it affects speed and memory, not the result."""
    device: Device = "auto"
    """Where the model runs; `auto` takes cuda, then mps, then cpu."""
    dtype: Dtype = "float32"
    """Precision of the model's weights; vectors are always returned as float32."""
    max_seq_length: PositiveInt | None = None
    """Tokens after which a text is cut, special ones and prompt included: at most as many as the
    model has positions for; by default the model's own limit."""

    @property
    @abstractmethod
    def label(self) -> str:
        """The model as the user named it, for messages."""

    @property
    def where(self) -> str:
        """What an error names: `encoder minilm`."""
        return f"{self.model_type.noun} {self.label}"

    @abstractmethod
    def location(self) -> str:
        """What sentence-transformers loads: a folder or a name on the model hub."""

    @abstractmethod
    def weights(self) -> dict[str, object]:
        """What identifies the model's weights, for keys."""

    def commit(self) -> str | None:
        """The commit of a model from the hub that is on this machine; None for another."""
        return None

    def releases(self) -> list[str]:
        """Packages that decide what the model returns, with their releases, for keys."""
        return [release(package) for package in PACKAGES]

    def needs(self) -> tuple[tuple[str, str], ...]:
        """Distribution and module of each package that is needed."""
        return (("sentence-transformers", "sentence_transformers"),)

    def missing_packages(self) -> list[MissingPackageError]:
        """An error, not raised, for each package that is needed and not installed."""
        return [
            MissingPackageError(package, f"the {self.where}", "dense")
            for package, module in self.needs()
            if find_spec(module) is None
        ]

    def check(self) -> list[Problem]:
        """What can be found wrong with the model without loading it: packages, files, type."""
        missing = [problem for error in self.missing_packages() for problem in error.problems]
        if missing or self.max_seq_length is None:
            return missing
        here = self.files()
        most = None if here is None else stated_positions(here)
        if most is None or self.max_seq_length <= most:
            return []
        return [Problem(too_long(self.max_seq_length, most))]

    def files(self) -> Path | None:
        """The folder on this machine with the model's files; None if it is not known."""
        return None

    def prompt(self, role: Role) -> str | None:
        """What is put before a text of this role; None leaves it to the model."""
        return None


class TextReader(ModelOptions):
    """The options of a model that reads passages and queries apart from each other."""

    query_prompt: str | None = None
    """Literal text put before each query, such as `query: `; by default the model's own query
    prompt where it stores one, else none."""
    passage_prompt: str | None = None
    """Literal text put before each passage; by default the model's own, else none."""

    def prompt(self, role: Role) -> str | None:
        return self.query_prompt if role == "query" else self.passage_prompt

    def read_by(self, role: Role) -> dict[str, object]:
        """What can change what the model makes of a text of this role, for keys."""
        return {
            "model": self.weights(),
            "prompt": self.prompt(role),
            "dtype": self.dtype,
            "max_seq_length": self.max_seq_length,
            "packages": self.releases(),
        }

    def token_limit(self) -> int | None:
        """How many tokens of a text are read, where that is known without loading the model."""
        return self.max_seq_length

    def doubt(self, written: str) -> Text | None:
        instead = MULTILINGUAL[self.model_type.library_class]
        return language_doubt(self.label, written, instead)


class NamedModel(KindSpec):
    """A model that the user names: a folder, or a name on the model hub."""

    model: str = Field(min_length=1)
    """A folder, relative to the experiment file, or a name on the model hub such as
    `intfloat/multilingual-e5-small`. Code inside a model is never run."""
    revision: str | None = None
    """Commit, tag or branch on the model hub; name a commit where runs must repeat exactly."""

    @property
    def label(self) -> str:
        """The model as the user named it, for messages."""
        return self.model

    @property
    def folder(self) -> Path | None:
        """The model's folder; None if the model is a name on the hub."""
        folder = expanded(self.model)
        return folder if folder.is_dir() else None

    def resolved(self, base: Path) -> Self:
        made = super().resolved(base)
        if not HUB_NAME.fullmatch(self.model) or (base / self.model).is_dir():
            folder = base / expanded(self.model)
            return made.model_copy(update={"model": str(folder)})
        return made

    def here(self) -> bool:
        """Whether the model is on this machine, so that its content is known."""
        return self.folder is not None or self.commit() is not None

    def location(self) -> str:
        """A folder or a name on the model hub."""
        return self.model if self.folder is None else str(self.folder)

    def weights(self) -> dict[str, object]:
        """What identifies the model's weights, for keys."""
        if self.folder is not None:
            return {"folder": fingerprint_folder(self.folder)}
        return {"name": self.model, "commit": self.commit() or NOT_HERE}

    def commit(self) -> str | None:
        """The commit of a model from the hub that is on this machine; None for another."""
        snapshot = self.snapshot()
        return None if snapshot is None else snapshot.name

    def hub_names(self) -> list[str]:
        """Under which names the model is looked for on the hub."""
        return [self.model]

    def hub_folder(self) -> str | None:
        """Where models from the hub are kept; None: where the hub's own library keeps them."""
        return None

    def snapshot(self) -> Path | None:
        """Where on this machine the files of a model from the hub are; None if they are not."""
        if self.folder is not None or find_spec("huggingface_hub") is None:
            return None
        from huggingface_hub import try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError

        for model, name in product(self.hub_names(), MODEL_FILES):
            try:
                file = try_to_load_from_cache(model, name, self.hub_folder(), self.revision)
            except HFValidationError:
                return None
            if isinstance(file, str):
                return Path(file).parent
        return None

    def missing_folder(self, others: str = "") -> Problem | None:
        """What is wrong where the model is neither a folder nor a name that the hub may have.

        Args:
            others: what else could be named, behind a comma.
        """
        if self.folder is not None or HUB_NAME.fullmatch(self.model):
            return None
        first = f"Name an existing folder{',' if others else ' or'}"
        instead = f"{first} a model on the hub (owner/name){others}"
        return Problem(f"there is no model folder {self.model}", instead=instead)


class HubModel(NamedModel, ModelOptions):
    """A model of sentence-transformers that the user names."""

    def files(self) -> Path | None:
        return self.folder or self.snapshot()

    def hub_names(self) -> list[str]:
        # As the library looks for it.
        own = self.model_type.organisation and "/" not in self.model
        prefixed = [f"{self.model_type.organisation}/{self.model}"] if own else []
        return [*prefixed, self.model]

    def hub_folder(self) -> str | None:
        return os.environ.get("SENTENCE_TRANSFORMERS_HOME")

    def check(self) -> list[Problem]:
        problems = super().check()
        missing = self.missing_folder(
            ", or use encoder: minilm" if self.model_type is DENSE else ""
        )
        if missing is not None:
            return [*problems, missing]
        folder = self.folder
        if folder is not None and not any((folder / name).is_file() for name in MODEL_FILES):
            expected = f"Expected one of {', '.join(MODEL_FILES)} in it"
            return [*problems, Problem(f"the folder {folder} holds no model", instead=expected)]
        here = self.files()
        unfit = (
            misfit(here, self.model_type, self.label)
            if here is not None
            else misfit_by_name(self.model, known_class(self.model), self.model_type)
        )
        return problems if unfit is None else [*problems, unfit]


def too_long(limit: int, most: int) -> str:
    """What is wrong with a ``max_seq_length`` that a model has no positions for."""
    return f"max_seq_length is {limit:,}, but the model reads at most {most:,} tokens"


def release(package: str) -> str:
    """A package and its release without the patch: `transformers 5.23`."""
    return f"{package} {'.'.join((installed_version(package) or '').split('.')[:2])}"
