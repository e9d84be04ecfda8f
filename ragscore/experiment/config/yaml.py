"""YAML with places: plain data, and for every path in it the place it was written at.

YAML is data here. No tags beyond the core schema, no second document, no key twice; aliases and
merge keys (``<<: *base``) are followed, but not into a bomb. A merged value has the place at which
it is written, in the mapping of the anchor. What can be read is read, so that all problems of a
file are shown at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml as pyyaml

from ragscore.errors import ConfigError, Problem
from ragscore.experiment.config.file import UNPRINTABLE, ConfigText, Mark
from ragscore.experiment.config.nodes import CORE, PLAIN, Growth, compose, mark_of
from ragscore.experiment.config.placed_data import ConfigDocument, Misread, Place
from ragscore.validation.findings import KeyPath, show_path
from ragscore.validation.scalars import AmbiguousError, Scalar, is_plain_text, resolve

_MERGE = "<<"
_SCALARS: dict[str, tuple[type, ...]] = {
    f"{CORE}str": (str,),
    f"{CORE}int": (int,),
    f"{CORE}float": (float, int),
    f"{CORE}bool": (bool,),
    f"{CORE}null": (type(None),),
}


def read_yaml(text: ConfigText) -> ConfigDocument:
    """Read one YAML document.

    Raises:
        ConfigError: the text is not YAML, is empty, holds several documents, or grows past the
            limits; anything smaller is in ``ConfigDocument.misread``.
    """
    return _Reading(text).document(compose(text))


def dump_yaml(data: Any) -> str:
    """Plain data as YAML that :func:`read_yaml` reads back to the same."""
    return str(
        pyyaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1 << 20)
    )


class _Dumper(pyyaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: pyyaml.SafeDumper, text: str) -> pyyaml.ScalarNode:
    style = None if is_plain_text(text) and text != "<<" else '"'
    return dumper.represent_scalar(f"{CORE}str", text, style=style)


_Dumper.add_representer(str, _represent_text)


class _Pair(NamedTuple):
    """A key with its value, as nodes; ``copied`` where a merge brought it from an anchor."""

    key: pyyaml.Node
    value: pyyaml.Node
    copied: bool = False


class _Reading:
    """Turns nodes into plain data, noting the place of every path."""

    def __init__(self, text: ConfigText) -> None:
        self.read = ConfigDocument(text)
        self.growth = Growth(text)
        self.known: set[int] = set()
        self.within: list[int] = []
        self.copying = 0
        self.noted: dict[tuple[Mark, str], Problem] = {}

    def document(self, root: pyyaml.Node) -> ConfigDocument:
        """The document of a root node."""
        self.read.data = self.value((), None, root)
        self.read.misread.sort(key=lambda misread: misread.mark)
        return self.read

    def value(self, path: KeyPath, key: Mark | None, node: pyyaml.Node) -> Any:
        """The value of a node, which an alias may have brought here."""
        mark = mark_of(node)
        alias = self.enter(node, key or mark)
        empty = node.tag == PLAIN and not node.value
        self.read.places[path] = Place(mark, key, empty)
        if isinstance(node, pyyaml.ScalarNode):
            value: Any = self.scalar(path, node)
        elif isinstance(node, pyyaml.SequenceNode):
            self.expect_tag(path, node, "seq")
            value = [
                self.value((*path, place), None, item) for place, item in enumerate(node.value)
            ]
        else:
            self.expect_tag(path, node, "map")
            value = self.mapping(path, node)
        self.leave(alias)
        return value

    def enter(self, node: pyyaml.Node, mark: Mark) -> bool:
        """Begin to read a node; whether it was read before, and an alias brought it here."""
        self.growth.values += 1
        alias = id(node) in self.known
        self.growth.aliases += alias and not self.copying
        self.growth.check(mark)
        if id(node) in self.within:
            what = "an alias is inside its own anchor"
            raise ConfigError(self.read.text.problem(mark, what, "Write out what is meant"))
        self.known.add(id(node))
        self.within.append(id(node))
        self.copying += alias
        return alias

    def leave(self, alias: bool) -> None:
        """End what :meth:`enter` began."""
        self.copying -= alias
        self.within.pop()

    def mapping(self, path: KeyPath, node: pyyaml.Node) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for name, pair in self.pairs(path, node).items():
            self.copying += pair.copied
            mapping[name] = self.value((*path, name), mark_of(pair.key), pair.value)
            self.copying -= pair.copied
        return mapping

    def pairs(self, path: KeyPath, node: pyyaml.Node) -> dict[str, _Pair]:
        """The pairs of a mapping by key, merged ones included: what is written beside ``<<`` wins
        over what is merged, and of several mappings the first."""
        pairs: dict[str, _Pair] = {}
        first: dict[tuple[bool, str], Mark] = {}
        for key, value in node.value:
            mark = mark_of(key)
            merges = key.tag == PLAIN and key.value == _MERGE
            name = _MERGE if merges else self.key(path, key)
            if name is None:
                continue
            known = first.setdefault((merges, name), mark)
            if known != mark:
                what = f"the key occurs twice, first in line {known.line}, column {known.column}"
                instead = "Write <<: [*one, *other]" if merges else "Keep one of the two"
                self.wrong((*path, name), mark, what, instead, unread=False)
            elif not merges:
                pairs[name] = _Pair(key, value)
            else:
                for inner, pair in self.merged(path, mark, value):
                    pairs.setdefault(inner, pair)
        return pairs

    def merged(
        self, path: KeyPath, mark: Mark, node: pyyaml.Node, *, listed: bool = False
    ) -> Iterator[tuple[str, _Pair]]:
        """What a ``<<`` at a mark brings: the pairs of a mapping, or of each in a list."""
        alias = self.enter(node, mark)
        if isinstance(node, pyyaml.MappingNode):
            self.growth.values += len(node.value)
            copied = self.copying > 0
            for name, pair in self.pairs(path, node).items():
                yield name, pair._replace(copied=pair.copied or copied)
        elif isinstance(node, pyyaml.SequenceNode) and not listed:
            for inner in node.value:
                yield from self.merged(path, mark, inner, listed=True)
        else:
            what = "what is merged is not a mapping"
            instead = "Write <<: *name, after &name before a mapping, or <<: [*one, *other]"
            self.wrong((*path, _MERGE), mark, what, instead)
        self.leave(alias)

    def key(self, path: KeyPath, node: pyyaml.Node) -> str | None:
        """The text of a key, or None with a problem noted."""
        mark = mark_of(node)
        if not isinstance(node, pyyaml.ScalarNode):
            self.wrong((*path, "?"), mark, "a list or mapping as a key", "A key is text")
            return None
        text = str(node.value)
        noted = len(self.read.misread)
        name = self.scalar((*path, text), node)
        if not isinstance(name, str) and len(self.read.misread) == noted:
            self.wrong((*path, text), mark, "the key is not text", f"Write '{text}' with quotes")
        return text

    def scalar(self, path: KeyPath, node: pyyaml.ScalarNode) -> Scalar:
        """The value of a scalar; its text, with a problem noted, where it has none."""
        text, mark, value = str(node.value), mark_of(node), None
        if unprintable := UNPRINTABLE.search(text):
            what = f"text with the character U+{ord(unprintable.group()):04X}"
            self.wrong(path, mark, what, "Leave it out: no name, path or option holds it")
            return text
        if node.tag == f"{CORE}str":
            return text
        if node.tag != PLAIN and node.tag not in _SCALARS:
            self.expect_tag(path, node, "")
            return text
        try:
            value = resolve(text)
        except AmbiguousError as error:
            self.wrong(path, mark, error.what, error.instead)
            return text
        if isinstance(value, float) and not math.isfinite(value):
            self.wrong(path, mark, f"{text}, which is not finite", "Write a finite number")
        elif not isinstance(value, _SCALARS.get(node.tag, object)):
            what = f"!!{node.tag.removeprefix(CORE)} on {text!r}, which does not fit it"
            self.wrong(path, mark, what, "Leave out the tag")
        return value

    def expect_tag(self, path: KeyPath, node: pyyaml.Node, name: str) -> None:
        """Note a problem where a node has another tag than this one of the core schema."""
        if node.tag == f"{CORE}{name}":
            return
        tag = node.tag
        shown = "!!" + tag.removeprefix(CORE) if tag.startswith(CORE) else tag
        self.wrong(
            path,
            mark_of(node),
            f"the tag {shown}: a configuration is plain data",
            "Leave out the tag, and write text, numbers, lists or keys with values",
        )

    def wrong(
        self, path: KeyPath, mark: Mark, what: str, instead: str, *, unread: bool = True
    ) -> None:
        whole = f"{show_path(path)}: {what}" if path else what
        # What an alias or a merge brings to several places is wrong once, where it is written.
        problem = self.noted.setdefault((mark, what), self.read.text.problem(mark, whole, instead))
        self.read.misread.append(Misread(path, mark, problem, unread))
