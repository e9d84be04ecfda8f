"""Tables, figures and file names for Markdown, LaTeX and CSV."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ragscore.elements import Details, Element, Section, Table
from ragscore.elements.model import known_elements
from ragscore.file_names import is_reserved
from ragscore.report.model import Figure, Listing, PanelSections, Trust, WithoutScript

LONGEST_NAME = 60


HELD = (Table, Figure, Listing, Details, Trust, WithoutScript)
"""Elements that become files, and elements that hold such elements."""


@dataclass(frozen=True, eq=False)
class Contents:
    """The tables, listings and figures of a report, and the names of the files that hold them.

    Attributes:
        tables, listings, figures: (number of the panel, section, element), in order; of the tables
            those that stand in for the explorer are left out.
        names: by ``id()`` of the element: a name without a suffix.
    """

    tables: tuple[tuple[int, Section, Table], ...]
    listings: tuple[tuple[int, Section, Listing], ...]
    figures: tuple[tuple[int, Section, Figure], ...]
    names: dict[int, str]

    def name(self, element: Table | Listing | Figure) -> str:
        """The name of an element's file, without a suffix."""
        return self.names[id(element)]


def contents(panels: Sequence[PanelSections]) -> Contents:
    """What the sections of a report hold in files of their own."""
    tables, listings, figures = [], [], []
    for number, panel in enumerate(panels):
        for section in panel.sections:
            for element, substitute in shown_elements(section.elements):
                if isinstance(element, Figure):
                    figures.append((number, section, element))
                elif isinstance(element, Listing):
                    listings.append((number, section, element))
                elif isinstance(element, Table) and not substitute:
                    tables.append((number, section, element))
    several = len(panels) > 1
    names: dict[int, str] = {}
    files: tuple[Sequence[tuple[int, Section, Table | Listing | Figure]], ...]
    files = ([*tables, *listings], figures)
    for kind in files:
        taken: set[str] = set()
        for number, _, element in kind:
            name = file_name(element.id)
            if several:
                dataset = file_name(panels[number].dataset)
                name = f"{dataset}-{name.removeprefix(f'd{number}-')}"
            names.setdefault(id(element), _free(name, taken))
    return Contents(tuple(tables), tuple(listings), tuple(figures), names)


def shown_elements(
    elements: Iterable[Element], *, substitute: bool = False
) -> Iterator[tuple[Element, bool]]:
    """The tables and figures, and what holds them, without choices: the first variant of each.

    Args:
        elements: of a section.
        substitute: whether they stand in for the explorer.

    Yields:
        Each element, and whether it stands in for the explorer.
    """
    for element in known_elements(elements, HELD):
        stands_in = substitute or isinstance(element, WithoutScript)
        yield element, stands_in
        yield from shown_elements(element.inside(), substitute=stands_in)


def file_name(text: str) -> str:
    """A text as part of the name of a file, on every system.

    >>> file_name("P@10, bm25/words")
    'P@10-bm25-words'
    """
    name = re.sub(r"[^\w@.+-]+", "-", text).strip("-.")[:LONGEST_NAME].rstrip("-.") or "part"
    return f"{name}-1" if is_reserved(name) else name


def _free(name: str, taken: set[str]) -> str:
    """The name, numbered where another has it but for upper and lower case."""
    free, number = name, 2
    while free.casefold() in taken:
        free = f"{name}-{number}"
        number += 1
    taken.add(free.casefold())
    return free
