"""Style rules that depend on the report: how many variants, retrievers and panels there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ragscore.report.model import Chosen

_FOCUSED = ":is(:focus-visible, :focus-within)"
_MARKED = ":is(:hover, :focus-visible, :focus-within)"
_FOCUS_BELOW = ":focus-within:not(:has(> .panel-head:focus-within))"


def page_rules(
    chosen: Sequence[Chosen],
    retrievers: int,
    shares: Iterable[tuple[int, ...]],
    *,
    panels: int,
    extras: int,
) -> Iterator[str]:
    """All of them; only numbers go into them, never a name."""
    yield from share_rules(shares)
    # :has() looks through a whole panel, of 60,000 elements with a dozen retrievers: where the
    # script runs, it names the one under the pointer, and only a focus below the head is looked up.
    yield from focus_rules(retrievers, ".panel:not(.marks)")
    yield from focus_rules(retrievers, f".panel.marks{_FOCUS_BELOW}", _FOCUSED)
    yield from marked_rules(retrievers, ".panel")
    yield from extra_rules(extras)
    for panel, choices in enumerate(chosen):
        counts = {"baseline": len(choices.baselines), "measure": len(choices.measures)}
        for pick, count in counts.items():
            if count > 1:
                select, head = f"#d{panel}-{pick}", f"#d{panel} > .panel-head"
                yield from variant_rules(select, head, pick[0], count, "~ * ")
    yield from _panel_rules(panels)


def share_rules(
    shares: Iterable[tuple[int, ...]], room: str = "@media (min-width: 1160px)"
) -> Iterator[str]:
    """How wide the columns of blocks side by side are, where there is room for them."""
    for share in sorted(shares):
        columns = " ".join(f"minmax(0, {width:d}fr)" for width in share)
        yield f"{room} {{ .{share_class(share)} {{ grid-template-columns: {columns}; }} }}"


def share_class(shares: tuple[int, ...]) -> str:
    """The class of columns with these shares: ``beside-2-3``."""
    return "beside-" + "-".join(f"{width:d}" for width in shares)


def focus_rules(retrievers: int, scope: str, when: str = _MARKED) -> Iterator[str]:
    """One retriever under the pointer or in focus is marked in every chart and table."""
    for number in range(retrievers):
        mine = f'[data-r="{number}"]'
        yield from _marks(f"{scope}:has({mine}{when})", mine)


def marked_rules(retrievers: int, scope: str) -> Iterator[str]:
    """The same where ``data-marked`` names the retriever."""
    for number in range(retrievers):
        yield from _marks(f'{scope}[data-marked="{number}"]', f'[data-r="{number}"]')


def _marks(here: str, mine: str) -> Iterator[str]:
    yield f"{here} .chart [data-r]:not({mine}) {{ opacity: .15; }}"
    yield f"{here} :is(tr{mine} > *, th{mine}, td{mine}) {{ background: var(--marked); }}"


def extra_rules(extras: int) -> Iterator[str]:
    """A box in the menu of a table shows a column; the columns show where :has() is unknown."""
    for number in range(extras):
        box = f'.table-block:has(.menu input[data-x="{number}"]:not(:checked))'
        yield f'{box} :is(th, td)[data-x="{number}"] {{ display: none; }}'


def variant_rules(
    select: str, scope: str, letter: str, count: int, within: str = ""
) -> Iterator[str]:
    """A select hides the variants of all other choices; no script has a part in it.

    Args:
        select: the selector of the select.
        scope: of what holds it.
        letter: of ``data-b`` or ``data-m``.
        count: how many choices there are.
        within: what leads from the scope to what holds the variants.
    """
    for number in range(count):
        yield (
            f'{scope}:has({select} option[value="{number}"]:checked) {within}'
            f'.variant[data-{letter}]:not([data-{letter}="{number}"]) {{ display: none; }}'
        )


def _panel_rules(panels: int) -> Iterator[str]:
    """One dataset at a time on a screen; all of them in print."""
    for number in range(panels) if panels > 1 else ():
        yield (
            f"@media screen {{ body:has(#pick-d{number}:checked) "
            f".panel:not(#d{number}) {{ display: none; }} }}"
        )
