"""SweptConfigurations: every configuration of a sweep, scored on the same queries of one dataset;
what a configuration is called, and how it is written in YAML.

The experiment makes it; what is here reads it, and searches nothing again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.errors import ConfigError
from ragscore.measures import Measure, parse_measure

MAX_CONFIGURATIONS = 2_000
"""More configurations are an error before anything runs, since all pairs of them are compared;
``sample`` draws from any number."""

Setting = Mapping[str, Any]
"""By parameter with its retriever (``bm25.k1``), the value of one configuration."""


def configuration_label(retriever: str, setting: Setting) -> str:
    """What a configuration is called; parameters of its own come without the retriever.

    >>> configuration_label("hybrid", {"hybrid.weights": [1, 2], "bm25.k1": 0.9})
    'hybrid[weights=[1,2],bm25.k1=0.9]'
    """
    own = f"{retriever}."
    parts = (f"{name.removeprefix(own)}={value_text(value)}" for name, value in setting.items())
    return f"{retriever}[{','.join(parts)}]"


def value_text(value: Any) -> str:
    """The value of a parameter as labels and tables show it: JSON without spaces, texts bare.

    >>> value_text("lucene"), value_text([0.25, 1.0]), value_text(True)
    ('lucene', '[0.25,1]', 'true')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(value_text, value))}]"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def is_number(value: Any) -> bool:
    """Whether a value of a parameter is a number, and not true or false."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def swept_measure(text: str) -> Measure:
    """The measure that a sweep chooses by.

    Args:
        text: as it parses.

    Raises:
        MeasureError: it cannot be parsed.
        ConfigError: its mean is not one over queries that count alike, so that no choice by it
            can be tried on other queries.
    """
    measure = parse_measure(text)
    if measure.weighs_queries or measure.aggregate == "geometric mean":
        raise ConfigError(
            f"a sweep cannot choose by {measure}, whose queries do not count alike",
            instead="Choose by a measure with a value per query, such as nDCG@10",
        )
    return measure


@dataclass(frozen=True, eq=False)
class SweptConfigurations:
    """C configurations of swept retrievers on the same Q queries.

    Attributes:
        dataset: its name.
        measure: what is chosen by, as it parses; see :func:`swept_measure`.
        query_ids: the queries.
        retrievers: of each configuration, the retriever that it configures.
        settings: of each configuration, parameter to value: its own, and those of the swept
            retrievers that it is built on. Values are plain JSON.
        values: float64[C, Q], what each scores on each query; NaN if undefined.
        means: by measure as it parses, float64[C], NaN if undefined: the measures of the
            experiment.
        latency_ms: float64[C], milliseconds per query; NaN if it was not measured.
        index_bytes: float64[C], the indexes that it searches; NaN if unknown.
        written: by swept retriever, float64[Q]: what it scores with the settings of the file.
        specs: by name, options as they are written in YAML (``kind`` too): each swept retriever
            and all that it is built on.
        inputs: by the same names, the retrievers that each is built on.
        bounds: by parameter with its retriever, those of its smallest and largest values that the
            option itself allows none beyond.
        clusters: int64[Q], a label per query where queries belong together; None: each alone.
        failures: by label, why a configuration has no values; it is not among the C.
    """

    dataset: str
    measure: str
    query_ids: tuple[str, ...]
    retrievers: tuple[str, ...]
    settings: tuple[Setting, ...]
    values: NDArray[np.float64]
    means: Mapping[str, NDArray[np.float64]]
    latency_ms: NDArray[np.float64]
    index_bytes: NDArray[np.float64]
    written: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    specs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    inputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bounds: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    clusters: NDArray[np.int64] | None = None
    failures: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.retrievers)

    def __repr__(self) -> str:
        return f"SweptConfigurations({self.dataset}: {len(self)}, {len(self.query_ids)} queries)"

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What each configuration is called: ``bm25[k1=0.9,b=0.4]``."""
        pairs = zip(self.retrievers, self.settings, strict=True)
        return tuple(configuration_label(retriever, setting) for retriever, setting in pairs)

    def needs(self, retriever: str) -> tuple[str, ...]:
        """A retriever and all that it is built on, itself last."""
        found, reached = [retriever], {retriever}
        for name in found:
            found += [below for below in self.inputs.get(name, ()) if below not in reached]
            reached.update(found)
        return tuple(reversed(found))


_WORD = re.compile(r"[^\W\d_][\w./-]*")
"""Texts that YAML reads as they are, but for those that it reads as something else."""
_NOT_TEXT = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"}


def configured_yaml(swept: SweptConfigurations, at: int) -> str:
    """A configuration as the block ``retrievers:``: its retriever and all that it is built on.

    What differs from the file has a comment with what the file says.

    Args:
        swept: with the options as they are written.
        at: the configuration.

    Returns:
        The block; empty if the options are not known.
    """
    retriever, setting = swept.retrievers[at], swept.settings[at]
    if retriever not in swept.specs:
        return ""
    lines = ["retrievers:"]
    for name in swept.needs(retriever):
        written = swept.specs.get(name, {})
        own = f"{name}."
        values = {key.removeprefix(own): setting[key] for key in setting if key.startswith(own)}
        lines.append(f"  {_flow(name)}:")
        for option, value in configured_options(written, values).items():
            note = ""
            if option not in written:
                note = "  # was the default"
            elif written[option] != value:
                note = f"  # was {_flow(written[option])}"
            lines.append(f"    {_flow(option)}: {_flow(value)}{note}")
    return "\n".join(lines) + "\n"


def configured_options(written: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a retriever with other values of some parameters.

    Args:
        written: its options in the file.
        values: by parameter; a dotted one reaches into nested options, also those that another
            value has just set.

    >>> configured_options({"tokenizer": {"kind": "words"}}, {"k1": 2, "tokenizer.stem": True})
    {'tokenizer': {'kind': 'words', 'stem': True}, 'k1': 2}
    """
    options: dict[str, Any] = dict(written)
    for parameter in sorted(values, key=lambda name: name.count(".")):
        *path, last = parameter.split(".")
        place = options
        for step in path:
            inside = place.get(step)
            place[step] = dict(inside) if isinstance(inside, Mapping) else {}
            place = place[step]
        place[last] = values[parameter]
    return options


def _flow(value: Any) -> str:
    """A value on one line of YAML, whatever text is in it.

    >>> _flow({"model": "minilm", "fields": ["title", "a: b"], "rate": 1e-05, "on": None})
    '{model: minilm, fields: [title, "a: b"], rate: 1.0e-05, "on": null}'
    """
    if isinstance(value, Mapping):
        pairs = (f"{_flow(str(key))}: {_flow(inner)}" for key, inner in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, float):
        digits, exponent, power = repr(value).partition("e")
        return f"{digits}{'' if '.' in digits or not exponent else '.0'}{exponent}{power}"
    if isinstance(value, str) and _WORD.fullmatch(value) and value.lower() not in _NOT_TEXT:
        return value
    text = json.dumps(value, ensure_ascii=False, default=str)
    return "".join(
        letter if letter.isprintable() else json.dumps(letter).strip('"') for letter in text
    )
