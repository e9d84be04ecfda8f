"""What an editor and a type checker see of the package: every name typed, every function shown."""

from __future__ import annotations

import ast
import inspect
import sys
import typing
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import Any, get_type_hints

import pytest

import ragscore
from ragscore.comparison.options import CompareChanges, CompareOptions
from ragscore.formats.datasets.dataset_spec import DatasetChanges, DatasetSpec
from ragscore.gate.options import GateChanges, GateOptions
from ragscore.report.options import ReportChanges, ReportOptions
from ragscore.tuning.options import TuneChanges, TuneOptions

PUBLIC = [name for name in ragscore.__all__ if not name.startswith("__")]
FUNCTIONS = [name for name in PUBLIC if inspect.isfunction(getattr(ragscore, name))]


def functions_of(name: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """A public function, or the public methods that a public class of ours defines itself."""
    public = getattr(ragscore, name)
    if inspect.isfunction(public):
        yield name, public
    if not inspect.isclass(public):
        return
    for base in public.__mro__:
        if not base.__module__.startswith("ragscore."):
            continue
        for method, value in list(vars(base).items()):
            function = getattr(value, "__func__", getattr(value, "fget", value))
            # These take the fields or parts of whatever class they are called on.
            generic = method.startswith("_") or method in ("changed", "holding")
            if inspect.isfunction(function) and not generic:
                yield f"{name}.{method}", function


@cache
def names_for_checkers(module: ModuleType) -> dict[str, Any]:
    """The names of a module, with those that it imports for type checkers alone."""
    names = dict(vars(module))
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            exec(ast.unparse(node.body), names)
    return names


def test_every_annotation_is_there_and_means_something() -> None:
    for shown, function in (found for name in PUBLIC for found in functions_of(name)):
        signature = inspect.signature(function)
        hints = get_type_hints(function, names_for_checkers(sys.modules[function.__module__]))
        for parameter in signature.parameters.values():
            if parameter.name not in ("self", "cls"):
                assert parameter.name in hints, f"{shown}: {parameter.name} has no type"
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                given = hints[parameter.name]
                assert typing.get_origin(given) is typing.Unpack, f"{shown}: **{parameter.name}"
        assert "return" in hints, shown


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_shows_itself_at_work(name: str) -> None:
    assert ">>> " in (getattr(ragscore, name).__doc__ or "")


@pytest.mark.parametrize(
    ("changes", "options", "parameter"),
    [
        (CompareChanges, CompareOptions, ""),
        (ReportChanges, ReportOptions, ""),
        (TuneChanges, TuneOptions, ""),
        (DatasetChanges, DatasetSpec, "path"),
        (GateChanges, GateOptions, "baseline"),
    ],
)
def test_single_options_are_the_fields_of_their_class(
    changes: type, options: Any, parameter: str
) -> None:
    assert list(get_type_hints(changes)) == [
        name for name in options.model_fields if name != parameter
    ]
