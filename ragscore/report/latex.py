"""The report as a LaTeX document that holds every table."""

from __future__ import annotations

from ragscore.blocks.latex import KOREAN, escaped, has_hangul, latex_table
from ragscore.report.built import BuiltReport
from ragscore.report.contents import Contents

DOCUMENT = r"""\documentclass{article}
\usepackage[a4paper,margin=2cm]{geometry}
\usepackage{booktabs,graphicx,longtable}
\extrafloats{200}
\setcounter{topnumber}{20}
\setcounter{totalnumber}{20}
\renewcommand{\topfraction}{1}
\renewcommand{\textfraction}{0}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage{textcomp}
  % Scripts that pdflatex has no letters for are printed as a question mark.
  \makeatletter
  \def\UTFviii@undefined@err#1{?}
  \makeatother
\else
  \usepackage{fontspec}
  \IfFileExists{kotex.sty}{\usepackage{kotex}}{}
\fi
"""


def latex_document(report: BuiltReport, found: Contents) -> str:
    r"""A document that holds every table of a report, by ``\input`` from the folder tables.

    Args:
        report: for its title.
        found: its tables, with the names of their files.
    """
    lines: list[str] = []
    before = None
    hangul = has_hangul(report.title)
    for number, section, table in found.tables:
        if before != (number, section.id):
            before = (number, section.id)
            title = section.title or report.title
            named = len(report.panels) > 1
            heading = f"{report.panels[number].dataset}: {title}" if named else title
            hangul = hangul or has_hangul(heading)
            lines += [r"\clearpage"] if lines else []
            lines.append(rf"\section{{{escaped(heading)}}}")
        hangul = hangul or has_hangul(latex_table(table))
        lines.append(rf"\input{{tables/{found.name(table)}}}")
    said = [one for one in (report.data.description, *report.notes) if one.strip()]
    hangul = hangul or any(map(has_hangul, said))
    return (
        (KOREAN if hangul else "")
        + DOCUMENT
        + rf"\title{{{escaped(report.title)}}}"
        + "\n\\date{}\n\\begin{document}\n\\maketitle\n"
        + "".join(f"{escaped(one)}\\par\n" for one in said)
        + "\n".join(lines)
        + "\n\\end{document}\n"
    )
