"""YAML with positions: plain data, and for every path in it the place it was written at.

YAML is data here. No tags beyond the core schema, no merge keys, no second document, no key
twice; aliases are followed, but not into a bomb. What can be read is read, so that all
problems of a file are shown at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml as pyyaml

from ragscore.errors import ConfigError
from ragscore.experiment.config.document import Document, Place, show_path
from ragscore.experiment.config.syntax import syntax_problem
from ragscore.experiment.config.text import UNPRINTABLE, Mark, Source, check_text
from ragscore.validation.findings import Path
from ragscore.validation.scalars import AmbiguousError, is_plain_text, resolve

MAX_ALIASES = 100
MAX_VALUES = 10_000
MAX_NESTING = 50

_LOADER: Any = getattr(pyyaml, "CSafeLoader", pyyaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
_SCALAR_TAGS: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float, int),
    "bool": (bool,),
    "null": (type(None),),
}


@dataclass(slots=True)
class _Node:
    """A node of the graph: ``content`` is a scalar, a list of nodes or of (key, value)."""

    mark: Mark
    kind: str
    content: Any
    text: str = ""
    problem: tuple[str, str] | None = None
    open: bool = True
    empty: bool = False


def read_yaml(source: Source) -> Document:
    """Read one YAML document.

    Raises:
        ConfigError: the text is no YAML, is empty, holds several documents, or grows past the
            limits; anything smaller is in ``Document.problems``.
    """
    check_text(source)
    document = Document(source)
    try:
        root = _compose(source, _events(source))
    except pyyaml.YAMLError as error:
        raise ConfigError(syntax_problem(source, error)) from None
    if root is None:
        raise ConfigError(
            "empty",
            where=source.name,
            instead="An experiment names at least a dataset and its retrievers",
        )
    _Construction(document).value((), None, root)
    return document


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
    return dumper.represent_scalar(f"{_CORE}str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def _events(source: Source) -> Iterator[Any]:
    events: Iterator[Any] = pyyaml.parse(source.text, Loader=_LOADER)
    return events


def _compose(source: Source, events: Iterator[Any]) -> _Node | None:
    """The root of the node graph; an aliased node is there once, however often it is used."""
    root: _Node | None = None
    stack: list[_Node] = []
    anchors: dict[str, _Node] = {}
    aliases = values = documents = 0
    for event in events:
        mark = Mark(event.start_mark.line + 1, event.start_mark.column + 1)
        if isinstance(event, pyyaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise ConfigError(
                    source.problem(
                        mark, "a second document begins here", "One file holds one experiment"
                    )
                )
            continue
        if isinstance(event, pyyaml.CollectionEndEvent):
            stack.pop().open = False
            continue
        if isinstance(event, pyyaml.AliasEvent):
            aliases += 1
            node = _aliased(source, mark, str(event.anchor), anchors)
        elif isinstance(event, pyyaml.NodeEvent):
            node = _node(event, mark)
            if event.anchor:
                anchors[event.anchor] = node
        else:
            continue
        values += 1
        _check_growth(source, mark, aliases, values, len(stack))
        if stack:
            stack[-1].content.append(node)
        elif root is None:
            root = node
        if isinstance(event, pyyaml.CollectionStartEvent):
            stack.append(node)
    return root


def _node(event: Any, mark: Mark) -> _Node:
    tag = event.tag or ""
    name = tag.removeprefix(_CORE) if tag.startswith(_CORE) else None
    if isinstance(event, pyyaml.CollectionStartEvent):
        kind = "map" if isinstance(event, pyyaml.MappingStartEvent) else "seq"
        node = _Node(mark, kind, [])
        if tag not in ("", "!") and name != kind:
            node.problem = _tag_problem(tag)
        return node
    text: str = event.value
    node = _Node(mark, "scalar", text, open=False)
    if unprintable := UNPRINTABLE.search(text):
        node.problem = (
            f"text with the character U+{ord(unprintable.group()):04X}",
            "Leave it out: no name, path or option holds it",
        )
        return node
    if tag in ("", "!") and not event.implicit[0]:
        return node
    if name == "str":
        return node
    if tag and name not in _SCALAR_TAGS:
        node.problem = _tag_problem(tag)
        return node
    node.text, node.empty = text, not text and not tag
    try:
        node.content = resolve(text)
    except AmbiguousError as error:
        node.problem = (error.what, error.instead)
    if isinstance(node.content, float) and not math.isfinite(node.content):
        node.problem = (f"{text}, which is not finite", "Write a finite number")
    if name and not isinstance(node.content, _SCALAR_TAGS[name]):
        node.problem = (f"!!{name} on {text!r}, which is none", "Leave out the tag")
    return node


def _tag_problem(tag: str) -> tuple[str, str]:
    shown = "!!" + tag.removeprefix(_CORE) if tag.startswith(_CORE) else tag
    return (
        f"the tag {shown}: a configuration is plain data",
        "Leave out the tag, and write text, numbers, lists or keys with values",
    )


def _aliased(source: Source, mark: Mark, anchor: str, anchors: dict[str, _Node]) -> _Node:
    node = anchors.get(anchor)
    if node is None:
        raise ConfigError(
            source.problem(
                mark,
                f"the alias *{anchor} has no anchor &{anchor} before it",
                f"Quote the text, or write the anchor &{anchor} first",
            )
        )
    if node.open:
        raise ConfigError(
            source.problem(
                mark,
                f"the alias *{anchor} stands inside its own anchor &{anchor}",
                "Write out what is meant",
            )
        )
    return node


def _check_growth(source: Source, mark: Mark, aliases: int, values: int, nesting: int) -> None:
    what = ""
    if aliases > MAX_ALIASES:
        what = f"more than {MAX_ALIASES} aliases"
    elif values > MAX_VALUES:
        what = f"more than {MAX_VALUES:,} values, with aliases written out"
    elif nesting > MAX_NESTING:
        what = f"nested more than {MAX_NESTING} deep"
    if what:
        raise ConfigError(
            source.problem(mark, f"{what}: no experiment is that large", "Write out what is meant")
        )


class _Construction:
    """Turns the graph into plain data, noting the place of every path."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.values = 0

    def value(self, path: Path, key: Mark | None, node: _Node) -> Any:
        document = self.document
        self.values += 1
        _check_growth(document.source, node.mark, 0, self.values, len(path))
        document.places[path] = Place(key, node.mark, node.text, node.empty)
        if node.problem:
            self.wrong(path, node.mark, *node.problem)
        if node.kind == "scalar":
            value: Any = node.content
        elif node.kind == "seq":
            value = [
                self.value((*path, place), None, item) for place, item in enumerate(node.content)
            ]
        else:
            value = self.mapping(path, node)
        if not path:
            document.data = value
        return value

    def mapping(self, path: Path, node: _Node) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key, value in zip(node.content[::2], node.content[1::2], strict=True):
            name = self.key(path, key)
            if name is None:
                continue
            inner = (*path, name)
            if name in mapping:
                first = self.document.places[inner].start
                self.wrong(
                    inner,
                    key.mark,
                    f"the key is there twice, first in line {first.line}, column {first.column}",
                    "Keep one of the two",
                    slot=(*inner, ""),
                )
                continue
            mapping[name] = self.value(inner, key.mark, value)
        return mapping

    def key(self, path: Path, node: _Node) -> str | None:
        """The text of a key, or None with a problem noted."""
        if node.kind != "scalar":
            self.wrong((*path, "?"), node.mark, "a list or mapping as a key", "A key is text")
            return None
        if node.problem:
            self.wrong((*path, str(node.content)), node.mark, *node.problem)
            return str(node.content)
        if not isinstance(node.content, str):
            self.wrong(
                (*path, node.text),
                node.mark,
                "the key is not text",
                f"Write '{node.text}' with quotes",
            )
            return node.text
        if node.text == "<<":
            self.wrong(
                (*path, "<<"),
                node.mark,
                "merge keys are not supported",
                "Write out the keys, or use an alias for a whole value",
            )
            return None
        return node.content

    def wrong(
        self, path: Path, mark: Mark, what: str, instead: str, *, slot: Path | None = None
    ) -> None:
        """Note a problem; ``slot`` files it where it hides no later problem of its path."""
        told = f"{show_path(path)}: {what}" if path else what
        problem = self.document.source.problem(mark, told, instead)
        slot = slot or path
        self.document.problems[(*slot, "") if slot in self.document.problems else slot] = (
            mark,
            problem,
        )
