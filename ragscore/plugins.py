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

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ragscore.errors import ConfigError, did_you_mean

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
    """

    def __init__(
        self,
        group: str,
        noun: str,
        own: Mapping[str, T | str],
        *,
        wanted: str,
        fits: Callable[[str, Any], bool],
    ) -> None:
        self.group, self.noun, self.own = group, noun, dict(own)
        self._wanted, self.fits = wanted, fits
        self._loaded: dict[str, T] = {}
        self._recorded: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name in self._loaded:
            return self._loaded[name]
        if name not in self.own:
            return self._recorded[name]
        thing = self.own[name]
        if isinstance(thing, str):
            thing = self._own(name, thing)
        self._loaded[name] = thing
        return self._loaded[name]

    def _own(self, name: str, place: str) -> T:
        """A thing of ragscore itself, imported now.

        Raises:
            ConfigError: the line of the catalogue names nothing, or something else.
        """
        module, _, attribute = place.partition(":")
        line = f"the {self.noun} '{name}' of ragscore itself ({place})"
        instead = "Fix its line in the catalogue"
        try:
            thing: Any = getattr(import_module(module), attribute)
        except (AttributeError, ModuleNotFoundError) as error:
            if isinstance(error, ModuleNotFoundError) and error.name != module:
                raise  # a library that is not installed
            raise ConfigError(f"{line} is not there: {error}", instead=instead) from error
        if not self.fits(name, thing):
            raise ConfigError(f"{line} is not {self._wanted}", instead=instead)
        found: T = thing
        return found

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
        points = sorted(entry_points(self.group), key=lambda point: point.name)
        return {point.name: point.value for point in points if point.name not in self.own}

    def shadowed(self) -> dict[str, str]:
        """Name to ``module:thing`` of what other packages add under a name of ragscore's own, and
        what is therefore never used; imports none of them."""
        points = sorted(entry_points(self.group), key=lambda point: point.name)
        return {point.name: point.value for point in points if point.name in self.own}

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
        try:
            thing = point.load()
        except Exception as error:  # foreign code
            raise ConfigError(
                f"{origin} cannot be imported: {type(error).__name__}: {error}",
                where=where,
                instead=f"Fix or uninstall the package ({point.value})",
            ) from error
        if not self.fits(name, thing):
            raise ConfigError(
                f"{origin} is not {self._wanted}",
                where=where,
                instead=f"Fix or uninstall the package ({point.value})",
            )
        self._loaded[name] = thing
        return self._loaded[name]


def entry_points(group: str) -> EntryPoints:
    """The entry points of a group; imports none of what they name."""
    from importlib.metadata import entry_points as all_entry_points

    return all_entry_points(group=group)
