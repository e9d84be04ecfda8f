"""The best configuration as YAML, ready to paste into an experiment file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ragscore.sweeps.model import SweptConfigurations

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
        options = configured_options(written, values)
        lines.append(f"  {_flow(name)}:")
        for option, value in options.items():
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
        return (
            f"{{{', '.join(f'{_flow(str(key))}: {_flow(inner)}' for key, inner in value.items())}}}"
        )
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
