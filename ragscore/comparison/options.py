"""CompareOptions: how scores are compared: an experiment's ``compare:``, the command's flags."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from ragscore.errors import ConfigError, Problem, did_you_mean
from ragscore.spec import Spec
from ragscore.stats.corrections import Correction

IntervalMethod = Literal["default", "bca", "t", "percentile"]
TestMethod = Literal["randomization", "t", "wilcoxon"]
Language = Literal["en", "ko"]


class CompareOptions(Spec):
    """How retrievers are compared.

    >>> CompareOptions(baseline="bm25").margin
    0.01
    """

    baseline: str | None = None
    """The retriever that the others are compared with; by default the first."""
    margin: Annotated[float, Field(gt=0)] = 0.01
    """The largest difference that does not matter, in the measure's own units."""
    interval: IntervalMethod = "default"
    """How 95 % intervals are made; default: Wilson for means of 0/1 measures, BCa for other
    means, Student t for paired differences."""
    test: TestMethod = "randomization"
    """The paired test; randomization flips the signs of the differences."""
    correction: Correction = "holm"
    """How p-values are corrected for the number of comparisons in a family."""
    cluster: str | None = None
    """A tag or metadata key: queries that share its value are one unit of the statistics."""
    all_pairs: bool = False
    """Also compare every pair by randomized Tukey HSD."""
    permutations: Annotated[int, Field(ge=100)] = 1_000
    """Permutations of the randomized Tukey HSD."""
    resamples: Annotated[int, Field(ge=100)] = 10_000
    """Resamples of the bootstrap and of the randomization test."""
    seed: Annotated[int, Field(ge=0)] = 1234
    """Start of all that is drawn at random: the same seed gives the same digits."""
    slices: tuple[str, ...] = ()
    """Tags and metadata keys by whose values the measures are also shown."""
    allow_intersect: bool = False
    """Compare on the common queries where the retrievers were scored on different ones."""
    language: Language = "en"
    """Language of the verdict."""


def compare_options(options: CompareOptions | None = None, **words: Any) -> CompareOptions:
    """Options from words (``margin=0.02``), checked with errors in plain words.

    Args:
        options: where to start from; by default the defaults.
        words: fields of :class:`CompareOptions`.

    Raises:
        ConfigError: a name or value that is not allowed.

    >>> compare_options(margin=0.02).margin
    0.02
    """
    base = options or CompareOptions()
    if not words:
        return base
    unknown = [name for name in words if name not in CompareOptions.model_fields]
    if unknown:
        hint = did_you_mean(unknown[0], CompareOptions.model_fields)
        raise ConfigError("unknown option", where=unknown[0], instead=hint)
    given = {name: getattr(base, name) for name in base.model_fields_set}
    try:
        return CompareOptions(**{**given, **words})
    except ValidationError as error:
        raise ConfigError(_problems(error)) from None


def _problems(error: ValidationError) -> list[Problem]:
    found = []
    for detail in error.errors(include_url=False):
        where, context = str(detail["loc"][0]), detail.get("ctx", {})
        instead = f"It {detail['msg'].replace('Input should', 'must')}"
        if "gt" in context:
            instead = f"It must be more than {context['gt']:g}"
        elif "ge" in context:
            instead = f"It must be at least {context['ge']:g}"
        found.append(Problem(f"{detail['input']!r} does not fit", where=where, instead=instead))
    return found
