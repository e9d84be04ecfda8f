"""What the files of a result say of how it was made; what cannot be read counts as not said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ragscore.comparison.options import CompareOptions
from ragscore.errors import DataError
from ragscore.report.options import ReportOptions
from ragscore.report.settings import settings
from ragscore.strings import Language, Strings

if TYPE_CHECKING:
    from ragscore.results import RecordedResult
    from ragscore.tuning.options import TuneOptions


def experiment(text: str) -> Mapping[str, Any]:
    """The data of experiment.yaml; empty where it is none that ragscore wrote."""
    try:
        found = settings(text)
    except DataError:
        return {}
    return found if isinstance(found, dict) else {}


def recorded_options(result: RecordedResult) -> ReportOptions:
    """What the experiment said of its report; the defaults where it said nothing that is known."""
    try:
        return ReportOptions.model_validate(result.manifest.report or {})
    except ValidationError:  # written by another version
        return ReportOptions()


def compare_options(
    manifest: Mapping[str, Any], language: Language, words: Strings, notes: list[str]
) -> CompareOptions:
    """How the experiment was compared, said in the report's language; the defaults where it was
    not."""
    said = manifest.get("compare") or {}
    try:
        options = CompareOptions.model_validate(said)
    except ValidationError:
        notes.append(words("gathered_options", key="compare"))
        options = CompareOptions()
    return options.model_copy(update={"language": language})


def tune_options(
    manifest: Mapping[str, Any],
    experiment: Mapping[str, Any],
    language: Language,
    words: Strings,
    notes: list[str],
) -> TuneOptions:
    """How the experiment chose k; the defaults where it did not."""
    from ragscore.tuning.options import TuneOptions

    said = manifest.get("tune") or experiment.get("tune")
    try:
        options = TuneOptions.model_validate(said if isinstance(said, dict) else {})
    except ValidationError:
        notes.append(words("gathered_options", key="tune"))
        options = TuneOptions()
    return options.model_copy(update={"language": language})
