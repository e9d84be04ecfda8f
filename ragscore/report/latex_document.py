"""The report as a LaTeX document that holds every table."""

from __future__ import annotations

from ragscore.elements.table_files import KOREAN, escaped, has_hangul, latex_table
from ragscore.report.report import Report

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


def latex_document(report: Report) -> str:
    r"""A document that holds every table of a report, by ``\input`` from the folder tables."""
    lines: list[str] = []
    before = None
    hangul = has_hangul(report.title)
    for number, section, table in report.contents.tables:
        if before != (number, section.id):
            before = (number, section.id)
            title = str(section.title or report.title)
            named = len(report.panels) > 1
            heading = f"{report.panels[number].dataset}: {title}" if named else title
            hangul = hangul or has_hangul(heading)
            lines += [r"\clearpage"] if lines else []
            lines.append(rf"\section{{{escaped(heading)}}}")
        hangul = hangul or has_hangul(latex_table(table))
        lines.append(rf"\input{{tables/{report.contents.name(table)}}}")
    texts = [text for text in (report.result.description, *report.notes) if text.strip()]
    hangul = hangul or any(map(has_hangul, texts))
    return (
        (KOREAN if hangul else "")
        + DOCUMENT
        + rf"\title{{{escaped(report.title)}}}"
        + "\n\\date{}\n\\begin{document}\n\\maketitle\n"
        + "".join(f"{escaped(text)}\\par\n" for text in texts)
        + "\n".join(lines)
        + "\n\\end{document}\n"
    )
