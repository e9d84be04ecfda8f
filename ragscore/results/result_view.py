"""ResultView: the options by which a result is compared and tuned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from ragscore.comparison import CompareOptions
from ragscore.errors import DataError
from ragscore.messages import Message, _
from ragscore.results.manifest import Manifest
from ragscore.results.settings import settings
from ragscore.tuning import TuneOptions

T = TypeVar("T")


@dataclass(frozen=True)
class Noted(Generic[T]):
    """A part of a result, with what was left out of it, and why."""

    value: T
    notes: tuple[Message, ...] = ()


@dataclass(frozen=True)
class ResultView:
    """The options by which a result is compared and tuned.

    Attributes:
        compare: how its retrievers are compared.
        tune: how k is chosen.
        choices: whether a reader may choose baseline and primary measure; else only the default
            is computed.
    """

    compare: Noted[CompareOptions]
    tune: Noted[TuneOptions]
    choices: bool = True


def experiment_data(text: str) -> Mapping[str, Any]:
    """The data of experiment.yaml; empty if ragscore did not write it."""
    try:
        found = settings(text)
    except DataError:
        return {}
    return found if isinstance(found, dict) else {}


def recorded_view(manifest: Manifest, text: str) -> ResultView:
    """The view that an experiment names, with the defaults where it names nothing.

    Args:
        manifest: of the result.
        text: its experiment.yaml.
    """
    return ResultView(_compare_options(manifest), _tune_options(text))


def _compare_options(manifest: Manifest) -> Noted[CompareOptions]:
    try:
        return Noted(CompareOptions.model_validate(manifest.compare or {}))
    except ValidationError:
        return Noted(CompareOptions(), (_unread("compare"),))


def _tune_options(text: str) -> Noted[TuneOptions]:
    options = experiment_data(text).get("tune")
    try:
        return Noted(TuneOptions.model_validate(options if isinstance(options, dict) else {}))
    except ValidationError:
        return Noted(TuneOptions(), (_unread("tune"),))


def _unread(key: str) -> Message:
    return _(
        "The recorded options of '{key}' cannot be read by this version; the defaults are used.",
        key=key,
    )
