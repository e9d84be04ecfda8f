"""YAML with positions: plain data, and for every path in it the place it was written at.

YAML is data here. No tags beyond the core schema, no merge keys, no second document, no key
twice; aliases are followed, but not into a bomb. What can be read is read, so that all
problems of a file are shown at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml as pyyaml

from ragscore.errors import ConfigError, Problem
from ragscore.experiment.scalars import AmbiguousError, is_plain_text, resolve
from ragscore.experiment.source import UNPRINTABLE, Mark, Source, check_text

Path = tuple[str | int, ...]

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


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value was written.

    Attributes:
        key: the place of its key, None for an item of a list.
        value: the place of the value; where nothing is written, the place after the key.
        text: a plain scalar as it stands in the file, before it was read as a number or so.
    """

    key: Mark | None
    value: Mark
    text: str = ""
    empty: bool = False

    @property
    def start(self) -> Mark:
        """The key's mark where there is a key, else the value's."""
        return self.key or self.value

    @property
    def end(self) -> Mark:
        """The value's mark, but the key's where the value is empty or in a later line."""
        if self.key and (self.empty or self.key.line != self.value.line):
            return self.key
        return self.value


@dataclass
class Document:
    """Plain data read from a source, the place of every path, and what was wrong."""

    source: Source
    data: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    problems: dict[Path, tuple[Mark, Problem]] = field(default_factory=dict)
    """By the path at which reading went wrong; the value there is not to be trusted."""
    labels: dict[Path, str] = field(default_factory=dict)
    """Paths that come from elsewhere, such as ``--set depth=5``: the label replaces the place."""

    def problem(
        self, path: Path, what: str, instead: str = "", *, at: str = "key"
    ) -> tuple[Mark, Problem]:
        """A problem of a path: its mark, to sort by, and the problem with place and path.

        Args:
            path: a path that may go past what is written; the nearest place is taken.
            what: what was found, in one clause.
            instead: what to write instead.
            at: ``key`` or ``value``: which of the two the caret points to.
        """
        told = f"{show_path(path)}: {what}" if path else what
        for length in range(len(path), -1, -1):
            if label := self.labels.get(path[:length]):
                return Mark(1 << 30, 1), Problem(told, label, instead)
        for length in range(len(path), -1, -1):
            place = self.places.get(path[:length])
            if place is not None:
                whole = length == len(path)
                mark = place.end if at == "value" and whole else place.start
                return mark, self.source.problem(mark, told, instead)
        return Mark(1, 1), self.source.problem(None, told, instead)


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


def show_path(path: Path) -> str:
    """A path as text: ``retrievers.bm25.k1``, ``measures[2]``, ``retrievers."bm25.v2".k1``."""
    shown = ""
    for step in path:
        if isinstance(step, int):
            shown += f"[{step}]"
        else:
            plain = re.fullmatch(r"[^\s.\[\]\"'=]+", step)
            shown += ("." if shown else "") + (step if plain else f'"{step}"')
    return shown


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
        raise ConfigError(_syntax_problem(source, error)) from None
    if root is None:
        raise ConfigError("empty", where=source.name,
                          instead="An experiment names at least a dataset and its retrievers")
    _Construction(document).value((), None, root)
    return document


def dump_yaml(data: Any) -> str:
    """Plain data as YAML that :func:`read_yaml` reads back to the same."""
    return str(pyyaml.dump(
        data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1 << 20
    ))


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
                raise ConfigError(source.problem(
                    mark, "a second document begins here", "One file holds one experiment"))
            continue
        if isinstance(event, pyyaml.CollectionEndEvent):
            stack.pop().open = False
            continue
        if isinstance(event, pyyaml.AliasEvent):
            aliases += 1
            node = _aliased(source, mark, event.anchor, anchors)
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
        node.problem = (f"text with the character U+{ord(unprintable.group()):04X}",
                        "Leave it out: no name, path or option holds it")
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
    if name and not isinstance(node.content, _SCALAR_TAGS[name]):
        node.problem = (f"!!{name} on {text!r}, which is none", "Leave out the tag")
    return node


def _tag_problem(tag: str) -> tuple[str, str]:
    shown = "!!" + tag.removeprefix(_CORE) if tag.startswith(_CORE) else tag
    return (f"the tag {shown}: a configuration is plain data",
            "Leave out the tag, and write text, numbers, lists or keys with values")


def _aliased(source: Source, mark: Mark, anchor: str, anchors: dict[str, _Node]) -> _Node:
    node = anchors.get(anchor)
    if node is None:
        raise ConfigError(source.problem(
            mark, f"the alias *{anchor} has no anchor &{anchor} before it",
            f"Quote the text, or write the anchor &{anchor} first"))
    if node.open:
        raise ConfigError(source.problem(
            mark, f"the alias *{anchor} stands inside its own anchor &{anchor}",
            "Write out what is meant"))
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
        raise ConfigError(source.problem(
            mark, f"{what}: no experiment is that large", "Write out what is meant"))


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
                self.value((*path, place), None, item)
                for place, item in enumerate(node.content)
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
                self.wrong(inner, key.mark, "the key is there twice, first in line "
                           f"{first.line}, column {first.column}", "Keep one of the two",
                           slot=(*inner, ""))
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
            self.wrong((*path, node.text), node.mark, "the key is not text",
                       f"Write '{node.text}' with quotes")
            return node.text
        if node.text == "<<":
            self.wrong((*path, "<<"), node.mark, "merge keys are not supported",
                       "Write out the keys, or use an alias for a whole value")
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
            mark, problem
        )


_SYNTAX: tuple[tuple[str, str, str], ...] = (
    ("mapping values are not allowed", "': ' where no key can be",
     "Put text that holds ': ' in quotes; a key in the line above needs ': ' with its space"),
    ("unexpected end of stream", "text in quotes that begins here never ends",
     "Add the closing quote"),
    ("cannot start any token", "text cannot begin with this character", "Put it in quotes"),
    ("unknown escape character", "an unknown escape after \\ in double quotes",
     "Write \\\\ for a backslash, or use single quotes"),
    ("invalid Unicode character escape", "an escape that is no character",
     "Write the character itself"),
    ("expected ',' or ']'", "the list that begins here with [ never ends", "Add ']' or ','"),
    ("expected ',' or '}'", "the mapping that begins here with { never ends", "Add '}' or ','"),
    ("expected key", "the line does not continue what is above it",
     "Indent it like its neighbours; a key is followed by ': '"),
    ("<block end>", "the line does not continue what is above it",
     "Indent it like its neighbours; a key is followed by ': '"),
    ("could not find expected ':'", "a line without ': ' where a key is expected",
     "Write key: value"),
    ("-' indicator", "a list goes on with something that is no '- item'",
     "Indent it like its neighbours"),
)
_BEGINS_HERE = ("unexpected end of stream", "expected ',' or")


def _syntax_problem(source: Source, error: pyyaml.YAMLError) -> Problem:
    if not isinstance(error, pyyaml.MarkedYAMLError):
        return source.problem(None, f"not YAML: {error}")
    found = error.problem or "cannot be read"
    at = error.problem_mark or error.context_mark
    if any(text in found for text in _BEGINS_HERE) and error.context_mark:
        at = error.context_mark
    mark = Mark(at.line + 1, at.column + 1) if at else None
    line = source.lines[mark.line - 1] if mark and mark.line <= len(source.lines) else ""
    tab = re.match(r" *\t", line)
    if tab and mark:
        mark = Mark(mark.line, tab.end())
        return source.problem(mark, "a tab in the indentation", "Indent with spaces")
    for text, what, instead in _SYNTAX:
        if text in found:
            return source.problem(mark, f"not YAML: {what}", instead)
    return source.problem(mark, f"not YAML: {found}")
