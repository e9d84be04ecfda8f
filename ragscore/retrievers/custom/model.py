"""Your own retriever, named in the experiment: the only place that imports foreign code."""

from __future__ import annotations

import importlib
import sys
from functools import reduce
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, PositiveInt, field_validator

from ragscore.cache import Cache
from ragscore.dataset import Corpus
from ragscore.errors import Problem, RetrieverError, did_you_mean
from ragscore.files import expanded
from ragscore.plugins import entry_points
from ragscore.progress import Progress
from ragscore.retrievers.corpus_retriever import CorpusRetriever
from ragscore.retrievers.custom.answers import FOREIGN
from ragscore.retrievers.custom.calling import CustomIndex, first_on_path, open_custom

GROUP = "ragscore.retrievers"
"""Entry points of this group can be used by their bare names."""


class Custom(CorpusRetriever):
    """Your own Python code: a function, or a class with retrieve(queries, k).

    A function is called as ``(query_text, k)`` and returns passage ids, best first, or
    (id, score) pairs. A class has ``retrieve(queries, k)``, with a list of texts in and a list of
    such answers out, and may have ``index(corpus)``, which is called first. Either may be async.
    Whoever runs an experiment with this kind in it trusts the code like a script.

    >>> Custom(use="my_retriever:Thing", options={"host": "localhost"}).remote
    True
    """

    summary_ko: ClassVar[str] = "직접 쓴 Python 코드: 함수, 또는 retrieve(queries, k)가 있는 클래스"
    kind: Literal["custom"] = "custom"
    use: Annotated[str, Field(min_length=1)]
    """`package.module:Thing`, or the name of an entry point of group ragscore.retrievers."""
    options: dict[str, Any] = Field(default={})
    """Keyword arguments of the class's constructor, or of the function."""
    concurrency: PositiveInt = 8
    """How many calls of an async function run at once."""
    folder: str | None = None
    """Where the module is looked for first; by default the experiment file's folder."""

    remote: ClassVar[bool] = True
    cacheable: ClassVar[bool] = False

    @field_validator("use")
    @classmethod
    def _names_code(cls, use: str) -> str:
        module, colon, thing = use.partition(":")
        if not colon:
            return use
        if module.endswith(".py") or "/" in module or "\\" in module:
            stem = Path(module.replace("\\", "/")).stem
            raise ValueError(
                f"'{use}' names a file. Write the module: {stem}:{thing or 'Thing'}, "
                "and its folder under folder"
            )
        if not all(part.isidentifier() for part in (*module.split("."), *thing.split("."))):
            raise ValueError(f"'{use}' names no code. Write package.module:Thing")
        return use

    def resolved(self, base: Path) -> Self:
        if ":" not in self.use:
            return self
        return self.model_copy(update={"folder": str(base / expanded(self.folder or "."))})

    def content(self) -> dict[str, object]:
        return self.model_dump(mode="json", exclude={"folder", "concurrency"})

    def check(self) -> list[Problem]:
        """Check that the module or entry point exists, without importing it."""
        module, colon, _ = self.use.partition(":")
        if not colon:
            names = sorted({point.name for point in entry_points(GROUP)})
            return [] if self.use in names else [_no_entry_point(self.use, names)]
        return [] if _findable(module, self.folder) else [_no_module(module, self.folder)]

    def open_index(
        self,
        corpus: Corpus,
        cache: Cache | None,
        *,
        name: str,
        strict: bool,
        progress: Progress,
    ) -> CustomIndex:
        """Import the code, make the thing and let it index the corpus.

        Raises:
            RetrieverError: the code cannot be imported, raises an error, or cannot retrieve.
        """
        with first_on_path(self.folder):
            thing = self._entry_point(name) if ":" not in self.use else self._imported(name)
            return open_custom(
                thing,
                corpus,
                name=name,
                strict=strict,
                options=self.options,
                concurrency=self.concurrency,
                folder=self.folder,
                progress=progress,
            )

    def _entry_point(self, name: str) -> Any:
        points = entry_points(GROUP)
        if self.use not in points.names:
            raise _failed(_no_entry_point(self.use, sorted(points.names)), name)
        try:
            return points[self.use].load()
        except FOREIGN as error:
            raise _raised(self.use, error, name) from error

    def _imported(self, name: str) -> Any:
        module, _, thing = self.use.partition(":")
        try:
            imported = _import(module, self.folder)
        except ModuleNotFoundError as error:
            if error.name and (module == error.name or module.startswith(f"{error.name}.")):
                raise _failed(_no_module(module, self.folder), name) from error
            raise _raised(module, error, name) from error
        except FOREIGN as error:
            raise _raised(module, error, name) from error
        try:
            return reduce(getattr, thing.split("."), imported)
        except AttributeError as error:
            public = [key for key in vars(imported) if not key.startswith("_")]
            raise RetrieverError(
                f"the module {module} has no '{thing}'",
                retriever=name,
                instead=did_you_mean(thing, public),
            ) from error


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
    """Whether the module's file is there; a package on the way is looked into, not imported."""
    top, *rest = module.split(".")
    importlib.invalidate_caches()
    found: ModuleSpec | None = PathFinder.find_spec(top, [folder]) if folder else None
    try:
        found = found or find_spec(top)
    except ValueError:  # a module that was made by hand, such as __main__
        return True
    dotted = top
    for part in rest:
        if found is None or found.submodule_search_locations is None:
            return False
        dotted = f"{dotted}.{part}"
        found = PathFinder.find_spec(dotted, list(found.submodule_search_locations))
    return found is not None


def _no_module(module: str, folder: str | None) -> Problem:
    where = f" in {folder} or" if folder else ""
    return Problem(
        f"there is no module '{module}'{where} among the installed packages",
        where="use",
        instead="Check the spelling, install its package, or name its folder under folder",
    )


def _no_entry_point(use: str, names: list[str]) -> Problem:
    instead = did_you_mean(use, names) if names else "Write package.module:Thing"
    return Problem(f"no installed package offers a retriever '{use}'", where="use", instead=instead)


def _failed(problem: Problem, name: str) -> RetrieverError:
    return RetrieverError(problem.what, retriever=name, instead=problem.instead)


def _raised(module: str, error: BaseException, name: str) -> RetrieverError:
    return RetrieverError(
        f"importing '{module}' raised {type(error).__name__}: {error}", retriever=name
    )
