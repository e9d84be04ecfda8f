"""Pages made by hand, with a name in every place that can hold one, and a parser of pages."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from ragscore.elements import (
    Axis,
    Cell,
    Code,
    Column,
    Details,
    Element,
    Facts,
    Headline,
    Level,
    Paragraph,
    Section,
    Table,
)
from ragscore.estimate import Estimate
from ragscore.report.model import (
    Beside,
    Choice,
    Chosen,
    Drawing,
    Figure,
    PanelSections,
    Swap,
    Trust,
    TrustItem,
    WithoutScript,
)
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from tests.factories.sample_report import handmade

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "</style><svg onload=alert(1)>",
    "javascript:alert(1)",
    "\"'><b onmouseover=alert(1)>",
    "\u202egnp.exe\u2066",
    "bm\u200b25\u200d",
    "nul\x00 bell\x07 escape\x1b next\x85",
    "lone \ud800 surrogate",
    "<!--notes of explorer 0-->",
    "{{ 7 * 7 }} {% raw %} &amp; ]]>",
    "=cmd|' /C calc'!A0",
    "אבג bm25",
    "한국어 검색기",
]
LEVELS: tuple[Level, ...] = ("good", "fair")
VOID = {"meta", "link", "img", "br", "input", "hr"}


class Parsed(HTMLParser):
    """Every element with its attributes; complains where tags do not close in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice: <{tag} {attrs}>"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag in self.raw:
            self.raw[tag].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1:] == [tag], f"</{tag}> inside {self.open}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]][-1] += data
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def all(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [
            attrs
            for name, attrs in self.elements
            if name == tag and all(attrs.get(key) == value for key, value in wanted.items())
        ]


def elements(name: str, other: str, told: str = "") -> tuple[Element, ...]:
    """Every kind of element but the explorer, with a name in every place that can hold one.

    What is told stands in the chart and in the table.
    """
    table = Table(
        f"table {name}",
        f"About {name}",
        (
            Column(f"column {name}", name, "text", hint=name),
            Column("nDCG@10", "nDCG@10", interval=True, better="high", unit="ms"),
            Column("query", "query", "text"),
        ),
        (
            (
                Cell(name, name, retriever=name, hint=name),
                Cell(0.51234567, "0.512", 0.4, 0.6, "[0.400, 0.600]", strong=True, mark="*"),
                Cell(name, name, query=name, quote=True),
            ),
            (
                Cell(other, other, retriever=other),
                Cell(None, "-", level="poor"),
                Cell(True, "yes", query="q 1", retriever=other),
            ),
        ),
        notes=(f"a note on {name}", told),
    )
    drawn = Table(
        f"drawn {name}",
        "",
        (
            Column("retriever", name, "text"),
            Column("difference", name, axis=Axis(-0.2, 0.3, 0.01)),
            Column("p", name, extra=True),
        ),
        (
            (
                Cell(name, name, retriever=name, detail=name),
                Cell(0.1, "+0.100", mark="*", bar=Estimate(0.1, 0.05, 0.2)),
                Cell(0.01, "0.010"),
            ),
            (Cell(other, other, retriever=other), Cell(None, name), Cell(None, "")),
        ),
        key=(("*", name), ("", name)),
        rest=(1,),
        more=name,
    )
    figure = Figure(
        f"figure {name}",
        f"Chart of {name}",
        f"It shows {name}.",
        Drawing(600, 200, '<g class="r0" data-r="0" tabindex="0"><circle class="mark" r="3"/></g>'),
        note=name + told,
    )
    return (
        Headline("TIE", "Tie", "fair", f"{name} may be as good.", ((name, f"{other} and {name}"),)),
        Trust(
            tuple(
                TrustItem(name, name, level, (Paragraph(name),), id=f"trust {name}")
                for level in LEVELS
            ),
            name,
        ),
        drawn,
        Paragraph(name),
        Paragraph(name, "note"),
        Paragraph(name, "warning"),
        Facts(((name, name),)),
        Code(name, language=name),
        Beside(((figure,), (table,)), shares=(2, 3)),
        Details(name, (Paragraph(name),), id=f"details {name}"),
        WithoutScript((Paragraph(name),)),
    )


def report(
    name: str = "bm25",
    other: str = "dense",
    *,
    datasets: tuple[str, ...] = ("tenancy",),
    language: Any = "en",
    max_mb: float = 5.0,
) -> Report:
    """A report made by hand, in which everything is swapped by baseline and measure."""
    held = elements(name, other)
    choices = [Choice(one, measure) for one in (name, other) for measure in ("nDCG@10", "RR")]
    swapped = {one: elements(name, other, f"{one.baseline} {one.measure}") for one in choices}
    sections = (
        Section("verdict", "", (Swap(swapped, choices[0]),)),
        Section("curves", f"Curves of {name}", held),
    )
    facts = (("Name", name), ("Queries", "87"), ("Primary measure", "nDCG@10"))
    chosen = Chosen((name, other), (("nDCG@10", "nDCG@10"), ("RR", f"RR of {name}")))
    panels = [
        PanelSections(dataset, (("Dataset", dataset), *facts), sections, chosen)
        for dataset in datasets
    ]
    options = ReportOptions(language=language, max_mb=max_mb)
    return handmade(name, (name, other), panels, options, description=name)
