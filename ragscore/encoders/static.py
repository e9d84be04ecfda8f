"""Static embeddings: a text is the mean of its tokens' vectors. No PyTorch, and fast anywhere."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import PositiveInt

from ragscore.encoders.base import EncoderSpec, OpenEncoder, Role, TokenCuts, TokenSpans, Vectors
from ragscore.encoders.known_models import MULTILINGUAL, language_doubt
from ragscore.encoders.model_loading import refuse_unreachable, unloadable
from ragscore.encoders.model_options import NamedModel, release
from ragscore.encoders.open_model import encodable
from ragscore.errors import ConfigError, MissingPackageError, Problem
from ragscore.json_data import load_json
from ragscore.messages import Text, _
from ragscore.progress import Progress, Stage

FILES = ("model.safetensors", "tokenizer.json")
"""What a static model consists of, besides its configuration."""
VECTORS = {"embeddings", "embedding.weight"}
"""Names of the tensor with a vector for each token; other models have none of these."""
MAX_HEADER = 1 << 20
"""Bytes above which a header is not read: a static model's is of a few hundred."""
SUBFOLDER = "0_StaticEmbedding"
"""Where sentence-transformers puts these files."""

ANOTHER = "Give the folder of a downloaded model"

CHUNK = 1024
"""Texts that are encoded at a time; takes milliseconds."""


class Static(NamedModel, EncoderSpec):
    """A static model (model2vec): fast, without a GPU and without PyTorch."""

    packages: ClassVar[tuple[str, ...]] = ("numpy", "model2vec")
    kind: Literal["static"] = "static"
    """Which encoder this is."""
    max_seq_length: PositiveInt | None = None
    """Tokens after which a text is cut; by default the model's own limit (mostly 512). A static
    model has no positions, so any number will do."""

    def content(self, role: Role) -> dict[str, object]:
        return {
            "kind": self.kind,
            "model": self.weights(),
            "max_seq_length": self.max_seq_length,
            "packages": [release("model2vec")],
        }

    def token_limit(self) -> int | None:
        return self.max_seq_length

    def doubt(self, written: str) -> Text | None:
        return language_doubt(self.label, written, MULTILINGUAL["StaticModel"])

    def missing_package(self) -> MissingPackageError | None:
        """An error, not raised, where model2vec is not installed."""
        if find_spec("model2vec") is not None:
            return None
        return MissingPackageError("model2vec", f"the encoder {self.label}", "static")

    def check(self) -> list[Problem]:
        package = self.missing_package()
        problems = [] if package is None else list(package.problems)
        missing = self.missing_folder()
        if missing is not None:
            problems.append(missing)
        if self.folder is not None and not _is_static(self.folder):
            problems.append(
                Problem(
                    f"the folder {self.folder} holds no static model of model2vec",
                    instead=f"Expected {' and '.join(FILES)} in it, as StaticModel.save_pretrained "
                    "writes them; any other model is {kind: sentence-transformers, model: ...}",
                )
            )
        return problems

    def _opened(self, progress: Progress) -> OpenEncoder:
        return LoadedStatic(self, progress)


class LoadedStatic(OpenEncoder):
    """Encodes with a static model that is loaded when first used.

    Args:
        spec: which model.
        progress: reports a download.
    """

    def __init__(self, spec: Static, progress: Progress) -> None:
        self.spec = spec
        self.progress = progress
        # The commit that the encoder's key names: a branch may move before the model is loaded.
        self.revision = spec.commit() or spec.revision

    @property
    def chunk(self) -> int:
        return CHUNK

    @property
    def device(self) -> str:
        return "cpu"

    def load(self) -> None:
        _ = self.model

    def encode(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None = None
    ) -> Vectors:
        vectors = np.zeros((len(texts), self.model.dim), dtype=np.float32)
        for start in range(0, len(texts), CHUNK):
            block = [encodable(text) for text in texts[start : start + CHUNK]]
            vectors[start : start + CHUNK] = self.model.encode(block, use_multiprocessing=False)
            if stage is not None:
                stage.advance(len(block))
        return vectors

    def token_cuts(self, texts: Sequence[str], role: Role) -> TokenCuts | None:
        cuts = np.zeros((len(texts), 2), dtype=np.int32)
        limit = self.model.max_length
        if limit is None:
            return cuts
        # Of a text longer than this, model2vec does not even split the rest into tokens.
        characters = limit * self.model.median_token_length
        written = [encodable(text) for text in texts]
        # A token is at least one character of ASCII.
        long = [at for at, text in enumerate(written) if len(text) > limit or not text.isascii()]
        if long:
            whole = self._tokens([written[at] for at in long])
            read = np.minimum(whole, limit)
            cut = [number for number, at in enumerate(long) if len(written[at]) > characters]
            if cut:
                begun = self._tokens([written[long[number]][:characters] for number in cut])
                read[cut] = np.minimum(begun, limit)
            cuts[long] = np.where(whole > read, [whole, read], 0).T
        return cuts

    def _tokens(self, texts: list[str]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """How many tokens each text has."""
        found = self._uncut.encode_batch_fast(texts, add_special_tokens=False)
        return np.array([len(encoding.ids) for encoding in found])

    def token_spans(self, texts: Sequence[str]) -> list[TokenSpans] | None:
        written = [encodable(text) for text in texts]
        found = self._uncut.encode_batch(written, add_special_tokens=False)
        return [np.array(each.offsets, dtype=np.int32).reshape(-1, 2) for each in found]

    def room(self, role: Role) -> int | None:
        limit: int | None = self.model.max_length
        return limit

    @cached_property
    def _uncut(self) -> Any:
        """The model's tokenizer, without its limit."""
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(self.model.tokenizer.to_str())
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def model(self) -> Any:
        """The StaticModel of model2vec.

        Raises:
            ConfigError: it cannot be loaded.
            MissingPackageError: model2vec is not installed.
        """
        missing = self.spec.missing_package()
        if missing is not None:
            raise missing
        where = f"encoder {self.spec.label}"
        if problems := self.spec.check():
            raise ConfigError(replace(problem, where=where) for problem in problems)
        from model2vec import StaticModel

        limit = self.spec.max_seq_length
        options: dict[str, Any] = {} if limit is None else {"max_length": limit}
        try:
            with _silent():
                return StaticModel.from_pretrained(self._folder(where), **options)
        except ConfigError:
            raise
        except Exception as error:
            raise unloadable(error, where, ANOTHER) from error

    def _folder(self, where: str) -> Path:
        """The model's folder: what is on this machine is taken as it is, for a run must not depend
        on the network."""
        from huggingface_hub import snapshot_download
        from model2vec.persistence.datamodels import get_all_model2vec_paths
        from model2vec.persistence.utils import SilentTqdm

        here = self.spec.folder or self.spec.snapshot()
        if here is not None and _is_static(here):
            return here
        refuse_unreachable(self.spec.model, where, ANOTHER)
        self.progress.note(_("downloading the model {model}", model=self.spec.model))
        fetched = snapshot_download(
            self.spec.model,
            revision=self.revision,
            allow_patterns=get_all_model2vec_paths(),
            tqdm_class=SilentTqdm,
        )
        return Path(fetched)


def _is_static(folder: Path) -> bool:
    places = (folder, folder / SUBFOLDER)
    return any(
        all((place / name).is_file() for name in FILES) and VECTORS & _tensors(place / FILES[0])
        for place in places
    )


def _tensors(file: Path) -> set[str]:
    """The names of what a file of safetensors holds, as its header says; none where it is none."""
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        header = opened.read(length) if length <= MAX_HEADER else b""
    try:
        found = load_json(header)
    except ValueError:
        return set()
    return set(found) if isinstance(found, dict) else set()


@contextmanager
def _silent() -> Iterator[None]:
    """Keep the library's own warnings off the terminal."""
    logger = logging.getLogger("model2vec")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)
