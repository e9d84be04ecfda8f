"""The nodes of a YAML text, as a parser composes them, and no more than an experiment needs."""

from __future__ import annotations

from typing import Any

import yaml as pyyaml

from ragscore.errors import ConfigError
from ragscore.experiment.config.file import ConfigText, Mark, check_text
from ragscore.experiment.config.syntax import syntax_problem

MAX_ALIASES = 100
MAX_VALUES = 10_000
MAX_NESTING = 50

CORE = "tag:yaml.org,2002:"
PLAIN = "plain"
"""The tag of a scalar without quotes: what it is, its text says."""
_FASTEST: Any = getattr(pyyaml, "CSafeLoader", pyyaml.SafeLoader)


def compose(text: ConfigText) -> pyyaml.Node:
    """The root node of the one document that a text holds.

    Raises:
        ConfigError: the text is not YAML, is empty, holds several documents, or grows past the
            limits.
    """
    loader = _Nodes(check_text(text))
    try:
        root: pyyaml.Node | None = loader.get_single_node()
    except pyyaml.YAMLError as error:
        raise ConfigError(syntax_problem(text, error)) from None
    finally:
        loader.dispose()
    if root is None:
        raise ConfigError(
            "empty",
            where=text.name,
            instead="An experiment names at least a dataset and its retrievers",
        )
    return root


def mark_of(node: pyyaml.Node) -> Mark:
    """The place at which a node begins."""
    return Mark(node.start_mark.line + 1, node.start_mark.column + 1)


class Growth:
    """Counts what is read, and stops where no experiment is that large."""

    def __init__(self, text: ConfigText) -> None:
        self.text = text
        self.aliases = self.values = self.nesting = 0

    def check(self, mark: Mark) -> None:
        """Raise a ConfigError at a mark where a limit is passed."""
        what = ""
        if self.aliases > MAX_ALIASES:
            what = f"more than {MAX_ALIASES} aliases"
        elif self.values > MAX_VALUES:
            what = f"more than {MAX_VALUES:,} values, with aliases written out"
        elif self.nesting > MAX_NESTING:
            what = f"nested more than {MAX_NESTING} deep"
        if what:
            what = f"{what}: more than an experiment needs"
            raise ConfigError(self.text.problem(mark, what, "Write out what is meant"))


class _Nodes(_FASTEST):  # type: ignore[misc]
    """Composes the nodes of a text, which libyaml does in C where it is installed."""

    def __init__(self, text: ConfigText) -> None:
        super().__init__(text.content)
        self.growth = Growth(text)

    def descend_resolver(self, parent: Any, index: Any) -> None:
        """Called before each node: a bomb is met here, before it fills the memory."""
        self.growth.values += 1
        self.growth.nesting += 1
        self.growth.check(mark_of(parent) if parent else Mark(1, 1))

    def ascend_resolver(self) -> None:
        """Called behind each node."""
        self.growth.nesting -= 1

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        """The tag of a node that has none."""
        if kind is pyyaml.ScalarNode:
            return PLAIN if implicit[0] else f"{CORE}str"
        return f"{CORE}seq" if kind is pyyaml.SequenceNode else f"{CORE}map"
