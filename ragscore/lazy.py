"""lazily(package, homes): names of a package that are loaded when they are first used.

Such a package names what it offers twice: type checkers read imports under ``TYPE_CHECKING``, each
with ``as`` and its own name, which hands it on; Python reads the table of homes. A test compares
the two.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

Lazily = tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]


def lazily(package: str, homes: Mapping[str, Sequence[str]], also: Sequence[str] = ()) -> Lazily:
    """What a package binds to ``__getattr__``, ``__dir__`` and ``__all__``.

    Args:
        package: name of the package.
        homes: module to the names that it holds; each name comes from its module, once.
        also: names that the package offers and has loaded already.
    """
    module_of = {name: module for module, names in homes.items() for name in names}
    offered = sorted([*module_of, *also])

    def load(name: str) -> Any:
        module = module_of.get(name)
        if module is None:
            raise AttributeError(f"module '{package}' has no attribute {name!r}")
        value = getattr(import_module(module), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: offered, offered


_HANDED_DOWN: dict[str, str] = {}


def hand_down(homes: Mapping[str, str]) -> None:
    """Give functions of modules that stand above to those below, which may not import them. The
    package's ``__init__`` does it, since it stands above everything.

    Args:
        homes: by the name of a function: its module, which is loaded when it is asked for.
    """
    _HANDED_DOWN.update(homes)


def handed_down(name: str) -> Callable[..., Any]:
    """A function that was handed down."""
    function: Callable[..., Any] = getattr(import_module(_HANDED_DOWN[name]), name)
    return function
