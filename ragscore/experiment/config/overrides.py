"""``--set retrievers.bm25.k1=0.9``: values from the command line, laid over the file's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ragscore.errors import ConfigError, Problem, unknown_name
from ragscore.experiment.config.file import ConfigText
from ragscore.experiment.config.placed_data import EXTENSION, ConfigDocument
from ragscore.experiment.config.yaml import read_yaml
from ragscore.validation.findings import KeyPath, show_path

_EQUALS = re.compile(r'=|"[^"]*"')
_SEGMENT = re.compile(r"""(?:"([^"]+)"|([^.\["]+))(?=[.\[]|$)""")
_DATASETS: dict[str | int, str] = {"dataset": "datasets", "datasets": "dataset"}
_ITEM = re.compile(r"\[?([0-9]{1,6})\]?(?=[.\[]|$)")


def apply_overrides(document: ConfigDocument, overrides: Sequence[str]) -> list[Problem]:
    """Lay ``PATH=VALUE`` over a document's data, in order; what cannot be is returned."""
    problems = []
    for override in overrides:
        flag = f"--set {override}"
        try:
            _apply(document, override, flag)
        except ConfigError as error:
            problems += [Problem(problem.what, flag, problem.instead) for problem in error.problems]
    return problems


def _apply(document: ConfigDocument, override: str, flag: str) -> None:
    path, text = _split(document.data, override)
    if str(path[0]).startswith(EXTENSION):
        raise ConfigError(
            f"{path[0]} is not an option: aliases were replaced by what it holds",
            instead="Set the option where it is used: --set retrievers.NAME.KEY=VALUE",
        )
    value = flag_value(flag, text)
    target = document.data
    for length, step in enumerate(path[:-1], 1):
        if isinstance(target, dict) and target.get(step) is None:
            target[step] = {}
            document.override(path[:length], flag)
        target = target[step]
    target[path[-1]] = value
    if len(path) == 1 and path[0] in _DATASETS:
        target.pop(_DATASETS[path[0]], None)
    document.override(path, flag)


def _split(data: Any, override: str) -> tuple[KeyPath, str]:
    """The path and the text of the value: split at the first ``=`` outside quotes before which a
    path stands, since a name may hold one too."""
    unfit: ConfigError | None = None
    for end in (match.start() for match in _EQUALS.finditer(override) if match[0] == "="):
        try:
            return _resolve(data, override[:end].strip()), override[end + 1 :]
        except ConfigError as error:
            unfit = unfit or error
    raise unfit or ConfigError(
        "not of the form PATH=VALUE", instead="Write --set retrievers.bm25.k1=0.9"
    )


def flag_value(flag: str, text: str) -> Any:
    """What a flag gives, read as YAML: a number, text, or a list or mapping in one line.

    Raises:
        ConfigError: it is not one value.
    """
    # Behind a key, so that a bare text and an empty one are YAML too.
    read = read_yaml(ConfigText(flag, f"value: {text}"))
    if read.misread:
        problems = [misread.problem for misread in read.misread]
        raise ConfigError(
            Problem(problem.what.removeprefix("value: "), instead=problem.instead)
            for problem in problems
        )
    if not isinstance(read.data, dict) or list(read.data) != ["value"]:
        raise ConfigError("not one value", instead="Put the value in quotes")
    return read.data["value"]


def _resolve(data: Any, text: str) -> KeyPath:
    """The path that a text names: by the longest keys that are there, else split at dots."""
    path: KeyPath = ()
    rest = text
    value = data
    while rest:
        if path and not rest.startswith("["):
            rest = rest.removeprefix(".")
        step, length = _step(value, path, rest)
        rest = rest[length:]
        path = (*path, step)
        if isinstance(value, list):
            value = value[step]  # type: ignore[index]
        else:
            _check_step(value, path, bool(rest))
            value = value.get(step) if isinstance(value, dict) else None
        if rest and not isinstance(value, dict | list | None):
            raise ConfigError(
                f"{show_path(path)} is {value!r}, which has no keys",
                instead=f"Set {show_path(path)} itself, to {{key: value, ...}}",
            )
    if not path:
        raise ConfigError("no path before '='", instead="Write --set retrievers.bm25.k1=0.9")
    return path


def _step(value: Any, path: KeyPath, rest: str) -> tuple[str | int, int]:
    """The next step of a path, and how much of the text it takes."""
    if isinstance(value, list):
        item = _ITEM.match(rest)
        if item is None or int(item[1]) >= len(value):
            last = len(value) - 1
            raise ConfigError(
                f"{show_path(path)} is a list of {len(value)}",
                instead=f"Name an item from {show_path(path)}[0] to [{last}]"
                if value
                else f"Set {show_path(path)} itself",
            )
        return int(item[1]), item.end()
    keys = [
        key
        for key in (value if isinstance(value, dict) else ())
        if rest == key or rest.startswith((f"{key}.", f"{key}["))
    ]
    if keys:
        longest = max(keys, key=len)
        return longest, len(longest)
    segment = _SEGMENT.match(rest)
    if rest.startswith("[") and value is None:
        raise ConfigError(
            f"{show_path(path)} is not in the file",
            instead=f"Set {show_path(path)} itself, to a list",
        )
    if segment is None:
        raise ConfigError(
            f"'{rest}' is not a path",
            instead="Write keys with dots between them: retrievers.bm25.k1",
        )
    return segment[1] or segment[2], segment.end()


def _check_step(value: Any, path: KeyPath, more: bool) -> None:
    """A retriever must be there before one of its options can be set."""
    if len(path) == 2 and path[0] == "retrievers" and more:
        names = list(value) if isinstance(value, dict) else []
        if path[1] not in names:
            raise ConfigError(unknown_name("retriever", str(path[1]), names))
