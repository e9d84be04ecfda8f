"""The types of models that sentence-transformers loads, and what a model's files say it is.

The library makes a model of any type out of any transformer: what its files lack, it fills with
random numbers, and says so in a log. Here such a model is refused before it is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragscore.errors import Problem
from ragscore.json_data import load_json

LibraryClass = Literal["SentenceTransformer", "SparseEncoder", "MultiVectorEncoder", "CrossEncoder"]


@dataclass(frozen=True)
class ModelType:
    """Models that one class of sentence-transformers loads.

    Attributes:
        library_class: that class.
        noun: what errors call such a model.
        used: how an experiment uses one.
        example: one on the model hub.
        organisation: on the model hub, of names without one; None: none is added.
        bare: how the architectures end of transformers that are such a model without the
            library's own files.
    """

    library_class: LibraryClass
    noun: str
    used: str
    example: str
    organisation: str | None
    bare: tuple[str, ...]

    @property
    def noun_phrase(self) -> str:
        """The noun with its article."""
        return f"{'an' if self.noun[0] in 'aeiou' else 'a'} {self.noun}"


DENSE = ModelType(
    "SentenceTransformer",
    "encoder",
    "encoder: {kind: sentence-transformers, model: ...} of a retriever of kind faiss",
    "intfloat/multilingual-e5-small",
    "sentence-transformers",
    ("",),  # any: the mean of its token vectors is taken, with a note
)
SPARSE = ModelType(
    "SparseEncoder",
    "sparse encoder",
    "a retriever {kind: sparse, model: ...}",
    "naver/splade-cocondenser-ensembledistil",
    "sparse-encoder",
    ("ForMaskedLM",),
)
MULTI_VECTOR = ModelType(
    "MultiVectorEncoder",
    "multi-vector encoder",
    "a retriever {kind: multi-vector, model: ...}",
    "lightonai/GTE-ModernColBERT-v1",
    None,
    ("HF_ColBERT", "ForRetrieval"),
)
CROSS_ENCODER = ModelType(
    "CrossEncoder",
    "cross-encoder",
    "by: {kind: cross-encoder, model: ...} of a retriever of kind rerank",
    "cross-encoder/ms-marco-MiniLM-L6-v2",
    "cross-encoder",
    ("ForSequenceClassification", "ForCausalLM"),
)
MODEL_TYPES = (DENSE, SPARSE, MULTI_VECTOR, CROSS_ENCODER)

PYLATE = ("query_prefix", "document_prefix")
"""What PyLate, whose models are multi-vector encoders, writes beside a model."""


def misfit(folder: Path, wanted: ModelType, label: str) -> Problem | None:
    """What is wrong where the files of a model say that it is none of the wanted type.

    Args:
        folder: of the model, on this machine.
        wanted: the type that is needed.
        label: the model as the user named it.
    """
    try:
        found = _library_class(folder)
        architectures = _architectures(folder)
    except (OSError, ValueError):
        return None  # loading says what is wrong with the files
    if found is None:
        if not architectures or any(name.endswith(wanted.bare) for name in architectures):
            return None
        found = architectures[0]
    elif found == wanted.library_class:
        return None
    return _other_type(label, found, wanted)


def misfit_by_name(model: str, known: str | None, wanted: ModelType) -> Problem | None:
    """What is wrong with a model whose files are not on this machine, judged by its name.

    Args:
        model: its name on the hub.
        known: the class that it was trained as; None if unknown.
        wanted: the type that is needed.
    """
    if model == "minilm":
        instead = "Write encoder: minilm for a retriever of kind faiss"
        if wanted is not DENSE:
            instead += f", or name a model that was trained as {wanted.noun_phrase}, such as "
            instead += wanted.example
        return Problem("minilm is not a model on the hub but the packaged encoder", instead=instead)
    # Dense ones are made of any transformer, and of static models.
    if known is None or known == wanted.library_class or wanted is DENSE:
        return None
    return _other_type(model, known, wanted)


def _other_type(label: str, found: str, wanted: ModelType) -> Problem:
    known = [model_type for model_type in MODEL_TYPES if model_type.library_class == found]
    use = f"; this one is for {known[0].used}" if known else ""
    return Problem(
        f"the model {label} is a {found}, and a {wanted.library_class} is needed",
        instead=f"Name one that was trained as {wanted.noun_phrase}, such as {wanted.example}{use}",
    )


def stated_positions(folder: Path) -> int | None:
    """For how many tokens a model has positions, as its configuration says; None if it does not
    say. RoBERTa and its like have a few fewer."""
    try:
        stated = _mapping(folder / "config.json").get("max_position_embeddings")
    except (OSError, ValueError):
        return None  # loading says what is wrong with the file
    return stated if type(stated) is int and stated > 0 else None


def activation_not_run(folder: Path) -> str | None:
    """The activation function that the files of a cross-encoder name, where it is code that is not
    PyTorch's: the library applies its own in its place. None if there is no such function.

    Args:
        folder: of the model, on this machine.
    """
    try:
        settings = _mapping(folder / "config_sentence_transformers.json")
        config = _mapping(folder / "config.json")
    except (OSError, ValueError):
        return None  # loading says what is wrong with the files
    nested = config.get("sentence_transformers")
    named = (
        settings.get("activation_fn"),
        nested.get("activation_fn") if isinstance(nested, dict) else None,
        config.get("sbert_ce_default_activation_function"),  # of versions before 4
    )
    first = next((name for name in named if isinstance(name, str)), "torch.")
    return None if first.startswith("torch.") else first


def _library_class(folder: Path) -> str | None:
    """The class that a model was saved as; None for a transformer that no class has saved."""
    if not (folder / "modules.json").is_file():
        return None
    settings = _mapping(folder / "config_sentence_transformers.json")
    named = settings.get("model_type")
    if named == "ColBERT" or (named is None and "HF_ColBERT" in _architectures(folder)):
        return MULTI_VECTOR.library_class  # as PyLate 3 or ColBERT's authors call it
    if isinstance(named, str):
        return named
    if any(name in settings for name in PYLATE):
        return MULTI_VECTOR.library_class
    return DENSE.library_class


def _architectures(folder: Path) -> list[str]:
    named = _mapping(folder / "config.json").get("architectures")
    return [name for name in named if isinstance(name, str)] if isinstance(named, list) else []


def _mapping(file: Path) -> dict[str, Any]:
    if not file.is_file():
        return {}
    found = load_json(file.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise ValueError(f"{file.name} holds no object")
    return found
