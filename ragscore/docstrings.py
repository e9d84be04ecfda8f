"""The docstrings below the fields of pydantic models and dataclasses.

pydantic's own ``use_attribute_docstrings`` reads the source of every class when it is defined,
which takes longer than all measures of a small run; here it is read when it is needed.
"""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from types import ModuleType

from pydantic import BaseModel


def without_markup(docstring: str) -> str:
    """A docstring as a terminal shows it.

    >>> without_markup("``k`` of :func:`~ragscore.score`, and :class:`Run`")
    'k of score, and Run'
    """
    return re.sub(r":[a-z:]+:`~?(?:[\w.]*\.)?(\w+)`", r"\1", docstring).replace("``", "")


def describe_field(model: type[BaseModel], field: str) -> str:
    """The description of a field, by the model or the base that declares it; empty without one.

    >>> from ragscore.models import Query
    >>> describe_field(Query, "text")
    'The question as a user would type it.'
    """
    return model.model_fields[field].description or field_docstring(model, field)


def field_docstring(kind: type, field: str) -> str:
    """The docstring below a field in its class, or in the base that declares it; empty if
    there is none."""
    for base in kind.__mro__:
        module = inspect.getmodule(base)
        below = _docstrings(module).get(base.__qualname__, {}) if module is not None else {}
        if field in below:
            return below[field]
        if field in inspect.get_annotations(base):
            return ""  # declared anew, without a docstring
    return ""


@cache
def _docstrings(module: ModuleType) -> dict[str, dict[str, str]]:
    """Class to field to docstring, for all classes of a module; none where there is no source."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return {}
    return dict(_classes(tree, ""))


def _classes(node: ast.Module | ast.ClassDef, prefix: str) -> list[tuple[str, dict[str, str]]]:
    found: list[tuple[str, dict[str, str]]] = []
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            name = f"{prefix}{child.name}"
            found += [(name, _fields(child)), *_classes(child, f"{name}.")]
    return found


def _fields(node: ast.ClassDef) -> dict[str, str]:
    described: dict[str, str] = {}
    for line, below in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(line, ast.AnnAssign)
            and isinstance(line.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        ):
            described[line.target.id] = inspect.cleandoc(below.value.value)
    return described
