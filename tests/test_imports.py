"""Who imports whom: no circle, no import that hides in a function, no exception to the layers;
and names: a class or a module has one that means nothing else.

Every import statement counts, wherever it stands: at the top, in a function, for type checkers
only; but for that of the text beside a record, which the record imports when it is shown. An
import of ``a.b.c`` counts as one of ``a`` and ``a.b`` too, whose ``__init__`` Python runs first,
except for the packages that the importing module is itself a part of: these run already. A
package that offers names lazily (``ragscore.lazy``) imports their modules for type checkers, so
these count as well.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import ragscore
from ragscore.cli import COMMANDS
from ragscore.report.sections import SECTIONS

pytestmark = pytest.mark.slow

FOLDER = Path(ragscore.__file__).parent
Import = ast.Import | ast.ImportFrom


@cache
def trees() -> dict[str, ast.Module]:
    """Module to its source, parsed."""
    found = {}
    for path in sorted(FOLDER.rglob("*.py")):
        parts = path.relative_to(FOLDER.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def statements(block: ast.AST) -> Iterator[ast.stmt]:
    """All statements of a module or a statement, whose expressions hold no others."""
    for child in ast.iter_child_nodes(block):
        if isinstance(child, ast.stmt):
            yield child
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from statements(child)


def packages_of(module: str) -> list[str]:
    """``a`` and ``a.b`` of ``a.b.c``."""
    parts = module.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]


def named(statement: Import) -> Iterator[str]:
    """The own modules that an import statement names."""
    if isinstance(statement, ast.Import):
        names = [alias.name for alias in statement.names]
    else:
        inside = [f"{statement.module}.{alias.name}" for alias in statement.names]
        names = [one if one in trees() else str(statement.module) for one in inside]
    yield from (name for name in names if name in trees())


def imported(module: str) -> set[str]:
    """The own modules that have to be loaded before a module is."""
    mine = {module, *packages_of(module)}
    imports = (one for one in statements(trees()[module]) if isinstance(one, Import))
    found = {name for statement in imports for name in named(statement)} - set(beside(module))
    loaded = found | {package for name in found for package in packages_of(name)}
    return {name for name in loaded if name not in mine or name in found} - {module}


SHOWING = {"elements", "brief", "show", "sentence", "rule"}
"""Functions that show a record, and import the text that stands in the file beside it."""


def late(module: str) -> Iterator[str]:
    """The own modules that a module imports inside of functions, but for texts beside it."""
    for function in statements(trees()[module]):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in statements(function):
                if isinstance(statement, Import):
                    yield from set(named(statement)) - set(beside(module))


def beside(module: str) -> Iterator[str]:
    """The modules of a record's package that the record imports when it is shown."""
    package = module.rpartition(".")[0]
    for function in statements(trees()[module]):
        if isinstance(function, ast.FunctionDef) and function.name in SHOWING:
            for statement in statements(function):
                if isinstance(statement, Import):
                    names = named(statement)
                    yield from (one for one in names if one.rpartition(".")[0] == package)


def for_types_only(module: str) -> Iterator[str]:
    """The own modules that a module imports under ``if TYPE_CHECKING``."""
    for block in trees()[module].body:
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            for statement in block.body:
                if isinstance(statement, Import):
                    yield from named(statement)


def test_no_circle() -> None:
    try:
        TopologicalSorter({module: imported(module) for module in trees()}).prepare()
    except CycleError as error:
        raise AssertionError(" imports ".join(reversed(error.args[1]))) from None


def test_the_layers_have_no_exceptions(root: Path) -> None:
    """import-linter, which ``test_package`` runs, counts late and type-only imports too."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    linter = project["tool"]["importlinter"]
    assert not linter.get("exclude_type_checking_imports")
    assert not [one["name"] for one in linter["contracts"] if "ignore_imports" in one]


LATE = {
    # Every pytest of an environment loads the plugin.
    "ragscore.pytest_plugin": {"ragscore.testing"},
    # What a report without an earlier result does not need.
    "ragscore.report.sections.verdict": {"ragscore.report.sections.changes"},
    # Lines are scored in bulk: the formats of datasets are needed for a folder, or to say what
    # is wrong with a line.
    "ragscore.formats.datasets.qrels_file": {
        "ragscore.formats.datasets.beir",
        "ragscore.formats.datasets.dataset_spec",
        "ragscore.formats.datasets.trec",
        "ragscore.formats.datasets.trec_subtopics",
    },
    "ragscore.scoring.loaded_qrels": {"ragscore.formats.datasets.dataset_loading"},
    # What a run that one process reads does not need.
    "ragscore.scoring": {"ragscore.scoring.part_jobs"},
    # What an experiment without `sweep:` does not need.
    "ragscore.experiment.consistency": {"ragscore.experiment.sweep.checks"},
    "ragscore.experiment.data_checks": {"ragscore.experiment.sweep.checks"},
    "ragscore.experiment.model": {"ragscore.experiment.sweep.configurations"},
    # Nor what an experiment on one machine does not.
    "ragscore.experiment.running": {
        "ragscore.experiment.spread_blocks",
        "ragscore.experiment.sweep.configurations",
        "ragscore.experiment.sweep.sweeping",
    },
}
"""What is imported in functions besides whole commands, which ``ragscore.cli`` imports so."""


def test_own_modules_are_imported_at_the_top() -> None:
    hidden = {
        module: found
        for module in trees()
        if not module.startswith("ragscore.cli") and (found := set(late(module)))
    }
    assert hidden == LATE


def test_type_checkers_see_no_more_than_python() -> None:
    """But for packages whose names are loaded lazily."""
    packages = {package for module in trees() for package in packages_of(module)}
    seen = {
        module: found
        for module in trees()
        if module not in packages
        and not module.startswith("ragscore.cli")
        and (found := set(for_types_only(module)))
    }
    assert seen == {}


ROLES = {
    "model": "the classes of its package",
    "options": "what its package can be asked for",
    "record": "the answer of its package: numbers and reasons",
    "text": "how its package words the record",
    "tables": "the tables of its package",
    "base": "what the things in its package have in common",
}
"""Modules that are named for their part in a package, and always mean the package's."""
FORMATS_OF = ("ragscore.formats.datasets", "ragscore.formats.runs")


def named_after_another(module: str) -> bool:
    """Whether a module's name means the same thing as that of the module it repeats."""
    package, _, name = module.rpartition(".")
    return (
        name in ROLES
        or module in {main.__module__ for main in COMMANDS.values()}
        or (package == "ragscore.report.sections" and name in SECTIONS)
        # One format, of datasets and of runs.
        or (package == FORMATS_OF[0] and f"{FORMATS_OF[1]}.{name}" in trees())
        or module == "ragscore.report.report"  # the Report, which its package is about
    )


def test_a_module_name_means_one_thing() -> None:
    modules: dict[str, list[str]] = {}
    for module in trees():
        if not named_after_another(module):
            modules.setdefault(module.rpartition(".")[2], []).append(module)
    assert [found for found in modules.values() if len(found) > 1] == []


def test_a_class_name_means_one_thing() -> None:
    classes: dict[str, list[str]] = {}
    for module, tree in trees().items():
        for node in statements(tree):
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(module)
    assert {name: found for name, found in classes.items() if len(found) > 1} == {}
