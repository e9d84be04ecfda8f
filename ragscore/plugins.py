"""Catalogues: what ragscore brings of a sort, by name, and what installed packages add to it.

Every sort of thing that can be added (a measure, a kind of retriever, a fusion method, ...) has one
visible catalogue. A package adds to it by an entry point of its group, in pyproject.toml::

    [project.entry-points."ragscore.measures"]
    Gain = "our_package.measures:Gain"

Names of entry points are read without importing anything. The package is imported when somebody
names the thing: in an experiment that is validated or run, by a flag, or in Python. Reading a
result imports none (:meth:`Catalogue.get` and ``in`` see only what is there already), except for
sections of a report.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ragscore.docstrings import without_markup
from ragscore.errors import ConfigError, did_you_mean
from ragscore.messages import Message

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

T = TypeVar("T")


class Catalogue(Mapping[str, T], Generic[T]):
    """Things by name: ragscore's own in their order, then those of packages that were loaded.

    Args:
        group: the group of entry points that adds to it.
        noun: what one of them is called in messages.
        own: ragscore's own; as ``module:thing`` where importing them is put off until one is used.
        wanted: what an entry point has to name, in words.
        fits: whether an object is such a thing, by its name and itself.
        objection: why a package may not add a thing that fits, such as an alias that is taken;
            empty if it may.
    """

    def __init__(
        self,
        group: str,
        noun: str,
        own: Mapping[str, T | str],
        *,
        wanted: str,
        fits: Callable[[str, Any], bool],
        objection: Callable[[T], str] = lambda thing: "",
    ) -> None:
        self.group, self.noun, self.own = group, noun, dict(own)
        self._wanted, self.fits, self._objection = wanted, fits, objection
        self._loaded: dict[str, T] = {}
        self._recorded: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name in self._loaded:
            return self._loaded[name]
        if name not in self.own:
            return self._recorded[name]
        self._loaded[name] = self._own(name, self.own[name])
        return self._loaded[name]

    def _own(self, name: str, thing: Any) -> T:
        """A thing of ragscore itself; where its line only says where it is, it is imported now.

        Raises:
            ConfigError: the line of the catalogue names nothing, or something else.
        """
        place = thing if isinstance(thing, str) else _place(thing)
        line = f"the {self.noun} '{name}' of ragscore itself ({place})"
        if isinstance(thing, str):
            module, _, attribute = place.partition(":")
            try:
                thing = getattr(import_module(module), attribute)
            except (AttributeError, ModuleNotFoundError) as error:
                if isinstance(error, ModuleNotFoundError) and error.name != module:
                    raise  # a library that is not installed
                instead = "Fix its line in the catalogue"
                raise ConfigError(f"{line} is not there: {error}", instead=instead) from error
        if problem := self._problem(name, thing):
            raise ConfigError(f"{line} {problem}", instead="Fix it, or its line in the catalogue")
        found: T = thing
        return found

    def _problem(self, name: str, thing: object) -> str:
        """Why a thing cannot stand in the catalogue under a name; empty if it can."""
        if not self.fits(name, thing):
            return f"is not {self._wanted}"
        lacking = sorted(getattr(thing, "__abstractmethods__", ()))
        return f"has no {' and no '.join(lacking)}" if lacking else ""

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self._loaded or name in self._recorded

    def record(self, name: str, thing: T) -> None:
        """Know a thing that is not ragscore's own from what a result records of it."""
        if name not in self.own:
            self._recorded.setdefault(name, thing)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.own, *self._loaded]))

    def __len__(self) -> int:
        return len(self.own.keys() | self._loaded.keys())

    def installed(self) -> dict[str, str]:
        """Name to ``module:thing`` of what other packages add; imports none of them."""
        return {name: value for name, value in self._added() if name not in self.own}

    def shadowed(self) -> dict[str, str]:
        """Name to ``module:thing`` of what other packages add under a name of ragscore's own, and
        what is therefore never used; imports none of them."""
        return {name: value for name, value in self._added() if name in self.own}

    def _added(self) -> list[tuple[str, str]]:
        return sorted((point.name, point.value) for point in entry_points(self.group))

    def names(self) -> list[str]:
        """Every name there is, ragscore's own first; imports nothing."""
        return list(dict.fromkeys([*self.own, *self._loaded, *self.installed()]))

    def origin(self, name: str) -> str:
        """What adds a thing, with its version: ``our-package 1 our_package.fusion:borda``; empty
        for ragscore's own."""
        if name in self.own or name not in self.installed():
            return ""
        point = entry_points(self.group)[name]
        package = f"{point.dist.name} {point.dist.version} " if point.dist else ""
        return f"{package}{point.value}"

    def load(self, name: str, where: str = "") -> T:
        """The thing of that name; the package that adds it is imported now.

        Args:
            name: as an experiment or a flag names it.
            where: what messages put in front.

        Raises:
            ConfigError: there is none, or its package cannot be imported or names something else.
        """
        if name in self.own or name in self._loaded:
            return self[name]
        if name not in self.installed():
            if name in self._recorded:
                return self._recorded[name]
            raise ConfigError(
                f"unknown {self.noun} '{name}'",
                where=where,
                instead=did_you_mean(name, self.names()),
            )
        point = entry_points(self.group)[name]
        origin = f"the {self.noun} '{name}' of the package {point.dist.name if point.dist else '?'}"
        instead = f"Fix or uninstall the package ({point.value})"
        try:
            thing = point.load()
        except Exception as error:  # foreign code
            raise ConfigError(
                f"{origin} cannot be imported: {type(error).__name__}: {error}",
                where=where,
                instead=instead,
            ) from error
        if problem := self._problem(name, thing) or self._objection(thing):
            raise ConfigError(f"{origin} {problem}", where=where, instead=instead)
        self._loaded[name] = thing
        return self._loaded[name]


def _place(thing: object) -> str:
    """Where a thing is written, as an entry point names it: ``ragscore.text:Words``."""
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    return f"{named.__module__}:{named.__qualname__}"


def summary_of(thing: object) -> Message:
    """One line about a thing of a catalogue: its ``summary``, ``description`` or ``tool``, else the
    first line of its docstring."""
    for attribute in ("summary", "description", "tool"):
        said = getattr(thing, attribute, None)
        if isinstance(said, str | Message):
            return said if isinstance(said, Message) else Message(said)
    return Message(without_markup((thing.__doc__ or "").strip().partition("\n")[0].rstrip(".")))


def entry_points(group: str) -> EntryPoints:
    """The entry points of a group; imports none of what they name."""
    changed = []
    for folder in sys.path:
        try:
            changed.append(Path(folder).stat().st_mtime_ns)
        except OSError:  # no folder, as that of a zip file that Python looks for
            changed.append(0)
    from importlib.metadata import EntryPoints

    return _by_group(tuple(sys.path), tuple(changed)).get(group) or EntryPoints(())


@lru_cache(maxsize=1)
def _by_group(folders: tuple[str, ...], changed: tuple[int, ...]) -> dict[str, EntryPoints]:
    """The entry points of every package in these folders; to read them takes milliseconds, and a
    command asks for a dozen groups."""
    from importlib.metadata import entry_points as read_entry_points

    found = read_entry_points()
    return {group: found.select(group=group) for group in found.groups}
