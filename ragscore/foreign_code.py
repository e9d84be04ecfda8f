"""ForeignCode: options that name code of your own, and the only place that imports it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import reduce
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, field_validator

from ragscore.errors import Problem, RagscoreError, RetrieverError, did_you_mean, message_of
from ragscore.files import expanded
from ragscore.kinds import KindSpec
from ragscore.plugins import entry_points
from ragscore.seal import fingerprint_file, fingerprint_folder


@contextmanager
def first_on_path(folder: str | None) -> Iterator[None]:
    """Modules are looked for in this folder first; None changes nothing."""
    if folder is None:
        yield
        return
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with suppress(ValueError):  # the code itself may have tidied up
            sys.path.remove(folder)


class ForeignCode(KindSpec):
    """Base of the kinds that run Python code of your own.

    Whoever runs an experiment with such a kind in it trusts the code like a script: it is imported
    when it runs, and never when a file is validated.
    """

    group: ClassVar[str | None] = None
    """Entry points of this group can be used by their bare names; None if there are none."""
    noun: ClassVar[str] = "retriever"
    """What the entry points of the group offer, for messages."""
    thing: ClassVar[str] = "Thing"
    """What stands behind the colon in messages."""

    use: Annotated[str, Field(min_length=1)]
    """`package.module:Thing`, or the name of an entry point of group ragscore.retrievers."""
    options: dict[str, Any] = Field(default={})
    """Keyword arguments of the class's constructor, or of the function."""
    folder: str | None = None
    """Where the module is looked for first; by default the experiment file's folder."""

    @field_validator("use")
    @classmethod
    def _names_code(cls, use: str) -> str:
        module, colon, thing = use.partition(":")
        if not colon and cls.group is not None:
            return use
        if module.endswith(".py") or "/" in module or "\\" in module:
            stem = Path(module.replace("\\", "/")).stem
            raise ValueError(
                f"'{use}' names a file. Write the module: {stem}:{thing or cls.thing}, "
                "and its folder under folder"
            )
        if not all(part.isidentifier() for part in (*module.split("."), *thing.split("."))):
            raise ValueError(f"'{use}' names no code. Write package.module:{cls.thing}")
        return use

    def resolved(self, base: Path) -> Self:
        """The same description with the folder of the code absolute."""
        made = super().resolved(base)
        if ":" not in made.use:
            return made
        return made.model_copy(update={"folder": str(base / expanded(made.folder or "."))})

    def content(self) -> dict[str, object]:
        """What a key digests: the options, not where the code stands."""
        return self.model_dump(mode="json", exclude={"folder"})

    def check(self) -> list[Problem]:
        """Check that the module or entry point exists, without importing it."""
        module, colon, _ = self.use.partition(":")
        if not colon:
            names = sorted({point.name for point in entry_points(self.group or "")})
            own = [] if self.use in names else [self._no_entry_point(names)]
        else:
            own = [] if _findable(module, self.folder) else [_no_module(module, self.folder)]
        return [*super().check(), *own]

    def code_digest(self) -> str:
        """SHA-256 of the file of the module that ``use`` names, of all files of its package where
        that stands in ``folder``; empty if there is none. Nothing is imported."""
        use = self.use
        if ":" not in use:
            points = entry_points(self.group or "")
            use = points[use].value if use in points.names else ""
        module = use.partition(":")[0]
        package = Path(self.folder or ".", module.partition(".")[0])
        if self.folder is not None and (package / "__init__.py").is_file():
            return fingerprint_folder(package)
        with suppress(ValueError):  # a module that was made by hand, such as __main__
            found = _module_spec(module, self.folder) if module else None
            return fingerprint_file(found.origin) if found is not None and found.origin else ""
        return ""

    def load(self, name: str) -> Any:
        """What ``use`` names, imported now; call it with its folder first on the path.

        Args:
            name: of the retriever, for messages.

        Raises:
            RetrieverError: the code cannot be imported; or what :meth:`code_error` makes of it.
        """
        return self._entry_point(name) if ":" not in self.use else self._imported(name)

    def code_error(self, problem: Problem, name: str) -> RagscoreError:
        """The error that says what is wrong with the code.

        Args:
            problem: what is wrong.
            name: of the retriever.
        """
        return RetrieverError(problem.what, retriever=name, instead=problem.instead)

    def _entry_point(self, name: str) -> Any:
        points = entry_points(self.group or "")
        if self.use not in points.names:
            raise self.code_error(self._no_entry_point(sorted(points.names)), name)
        with self._importing(self.use, name):
            return points[self.use].load()

    def _imported(self, name: str) -> Any:
        module, _, thing = self.use.partition(":")
        with self._importing(module, name):
            try:
                imported = _import(module, self.folder)
            except ModuleNotFoundError as error:
                if error.name and (module == error.name or module.startswith(f"{error.name}.")):
                    raise self.code_error(_no_module(module, self.folder), name) from error
                raise
        try:
            return reduce(getattr, thing.split("."), imported)
        except AttributeError as error:
            public = [
                key
                for key, value in vars(imported).items()
                if not key.startswith("_") and not isinstance(value, ModuleType)
            ]
            lacking = Problem(
                f"the module {module} has no '{thing}'", "", did_you_mean(thing, public)
            )
            raise self.code_error(lacking, name) from error

    @contextmanager
    def _importing(self, module: str, name: str) -> Iterator[None]:
        """Whatever a module raises while it is imported fails what uses it alone."""
        try:
            yield
        except (KeyboardInterrupt, RagscoreError):
            raise
        except BaseException as error:
            said = f"importing '{module}' raised {type(error).__name__}: {message_of(error)}"
            raise self.code_error(Problem(said), name) from error

    def _no_entry_point(self, names: list[str]) -> Problem:
        instead = did_you_mean(self.use, names) if names else f"Write package.module:{self.thing}"
        what = f"no installed package offers a {self.noun} '{self.use}'"
        return Problem(what, where="use", instead=instead)


def _import(module: str, folder: str | None) -> ModuleType:
    importlib.invalidate_caches()
    top = module.partition(".")[0]
    loaded = getattr(sys.modules.get(top), "__file__", None)
    here = PathFinder.find_spec(top, [folder]) if folder else None
    if loaded and here and here.origin and not Path(loaded).samefile(here.origin):
        # Another experiment's folder has a module of this name; it must not stand in for ours.
        for name in [name for name in sys.modules if name == top or name.startswith(f"{top}.")]:
            del sys.modules[name]
    return importlib.import_module(module)


def _findable(module: str, folder: str | None) -> bool:
    """Whether the module's file is there."""
    try:
        return _module_spec(module, folder) is not None
    except ValueError:  # a module that was made by hand, such as __main__
        return True


def _module_spec(module: str, folder: str | None) -> ModuleSpec | None:
    """Where a module is; a package on the way is looked into, not imported.

    Raises:
        ValueError: it was made by hand.
    """
    top, *rest = module.split(".")
    importlib.invalidate_caches()
    found: ModuleSpec | None = PathFinder.find_spec(top, [folder]) if folder else None
    found = found or find_spec(top)
    dotted = top
    for part in rest:
        if found is None or found.submodule_search_locations is None:
            return None
        dotted = f"{dotted}.{part}"
        found = PathFinder.find_spec(dotted, list(found.submodule_search_locations))
    return found


def _no_module(module: str, folder: str | None) -> Problem:
    where = f" in {folder} or" if folder else ""
    return Problem(
        f"there is no module '{module}'{where} among the installed packages",
        where="use",
        instead="Check the spelling, install its package, or name its folder under folder",
    )
