"""The trust row: what must be known before the numbers are believed; each opens to detail.

Levels, each with its limits in the constants below:

- a sample of the corpus: poor, since no number holds for the whole.
- judged: good from 80 % judged in the top k on; poor if one retriever's share is more than 20
  points below another's, because unjudged passages count as wrong and put it at a disadvantage;
  else fair. A low share alone is no fault: with one judged passage per query, nine of ten are
  unjudged.
- detectable: good where differences as small as the margin are seen, or which is the best is
  decided; fair up to five margins.
- ties across the cutoff: good below 2 % of the queries, fair below 10 %.
- same queries: good where all pairs are compared on all queries, fair where up to 5 % are left out.
- missing and empty: good if there are none, fair up to 5 % of the queries.
- not answered: good where no query failed, fair up to 5 % of the queries.
- left short by a filter: good where no query is, fair up to 5 % of the queries.
- cut by the encoder: good where no text is, fair up to 10 % of the passages or queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ragscore.comparison.differences import Difference
from ragscore.comparison.tables import withheld_text
from ragscore.elements import Cell, Column, Level, Paragraph, Table
from ragscore.elements.cells import (
    count_cell,
    name_cell,
    nothing,
    number_cell,
    retriever_column,
    share_cell,
    text_cell,
)
from ragscore.elements.numbers import count_text, number_text, plain_number, share_text
from ragscore.messages import Text, _, counted, joined
from ragscore.report.model import Trust, TrustItem
from ragscore.report.panels import failure
from ragscore.report.report import Report
from ragscore.report.sections.approximations import sampled
from ragscore.report.sections.arrangement import named
from ragscore.report.sections.trust_items import level_of, tabled_item, trust_item, value_range
from ragscore.report.sections.unanswered import not_answered
from ragscore.results import DatasetResult

JUDGED, UNEVEN = 0.8, 0.2
MARGINS = 5
TIE_SHARES = (0.02, 0.1)
LEFT_OUT = 0.05
CUT = 0.1
TEXTS = {
    "passage": _("passages"),
    "window": _("windows"),
    "pair": _("pairs of query and passage"),
    "query": _("queries"),
}
"""By role: what an encoder reads."""


def trust(report: Report, panel: DatasetResult) -> Trust:
    """What the numbers rest on, for the experiment's own baseline and measure."""
    items = (
        sampled(panel),
        _judged(panel),
        _detectable(panel),
        _ties(panel),
        _same_queries(panel),
        _got_nothing(panel),
        not_answered(panel),
        _left_short(panel),
        _cut(report, panel),
        _failed(panel),
    )
    found = tuple(item for item in items if item is not None)
    passed = sum(item.level == "good" for item in found)
    return Trust(found, counted("1 check passed", "{count} checks passed", passed))


def at_cutoff(by_cutoff: Mapping[int, float], k: int) -> int | None:
    """The cutoff to show for k: k itself, else the nearest; None if nothing was counted."""
    return min(by_cutoff, key=lambda cutoff: (abs(cutoff - k), cutoff), default=None)


def _judged(panel: DatasetResult) -> TrustItem | None:
    unjudged = {name: panel.scores[name].counts.unjudged for name in panel.retrievers}
    k = at_cutoff(next(iter(unjudged.values()), {}), panel.k)
    if k is None or not all(k in by_cutoff for by_cutoff in unjudged.values()):
        return None
    shares = {name: 1 - by_cutoff[k] for name, by_cutoff in unjudged.items()}
    low, high = min(shares.values()), max(shares.values())
    level: Level = "good" if low >= JUDGED else "fair"
    if high - low > UNEVEN:
        level = "poor"
    least = share_text(low)
    text: Text = least
    if share_text(high) != least:
        text = value_range(least.removesuffix(" %"), share_text(high))
    label = _("Judged in the top {k}", k=k)
    columns = [Column(f"judged@{k}", label, better="high")]
    cells = {name: [share_cell(share)] for name, share in shares.items()}
    says = (
        _(
            "Unjudged passages count as not relevant, and one retriever has far more of them in "
            "its top {k} than another. Part of the difference may come from missing judgments: "
            "judge what it returned before you rule it out.",
            k=k,
        )
        if level == "poor"
        else _(
            "Unjudged {items} count as not relevant. A low share of judged ones is normal if each "
            "query has only one or two, and no problem if it is similar for all retrievers."
        )
    )
    table = _("Share of the top {k} that was judged", k=k), columns, cells
    return tabled_item(panel, "judged", label, text, level, table, says)


def _detectable(panel: DatasetResult) -> TrustItem | None:
    baseline, measure = panel.baseline, panel.primary
    comparison = panel.comparisons.get((baseline, measure))
    if comparison is None:
        return None
    differences, margin = comparison[measure].differences, comparison[measure].margin
    known = [found.detectable for found in differences if found.detectable is not None]
    level: Level = "poor"
    if known and margin is None:
        level = "fair"
    elif known and margin is not None:
        level = "fair" if max(known) <= MARGINS * margin else "poor"
        level = "good" if max(known) <= margin else level
    settled = comparison.verdict.reason in ("best", "identical")
    if settled or all(found.decided for found in differences):
        level = "good"  # what these queries had to decide, they did
    text: Text = _("unknown")
    if known:
        text = number_text(max(known))
    unknown = _("not estimable")
    reasons = any(difference.detectable is None for difference in differences)

    def cells(difference: Difference) -> Iterator[Cell]:
        yield number_cell(difference.detectable, unknown=unknown)
        if margin is not None:
            yield count_cell(difference.needed, unknown=unknown)
        if reasons:
            yield text_cell(withheld_text(difference))

    columns = [Column("detectable", _("Visible from"), better="low")]
    says = _(
        "Four out of five such experiments would find a true difference of this size; smaller "
        "ones are often missed."
    )
    if margin is not None:
        least = plain_number(margin)
        wanted = _("Queries for {margin}, 80 % power", margin=least)
        columns.append(Column("queries needed", wanted, better="low"))
        says_margin = _(
            "The margin is {margin}. With the number of queries shown, four out of five such "
            "experiments would find a true difference of that size.",
            margin=least,
        )
        says = joined([says, says_margin])
    if reasons:
        columns.append(Column("withheld", _("Reason"), "text"))
    rows = {difference.retriever: cells(difference) for difference in differences}
    label = _("Too few queries to see differences under")
    if level == "good":
        label = _("Smallest difference that these queries show")
    title = _(
        "What these queries can detect on {label}, against {baseline}",
        label=panel.labels[measure],
        baseline=baseline,
    )
    table = title, columns, rows
    return tabled_item(panel, "detectable", label, text, level, table, says)


def _ties(panel: DatasetResult) -> TrustItem | None:
    counts = {name: panel.scores[name].counts for name in panel.retrievers}
    k = at_cutoff(next(iter(counts.values())).tied, panel.k)
    if k is None or not all(k in of_retriever.tied_share for of_retriever in counts.values()):
        return None
    shares = {name: of_retriever.tied_share[k] for name, of_retriever in counts.items()}
    most = max(shares.values())
    level: Level = "good" if most < TIE_SHARES[0] else "fair" if most < TIE_SHARES[1] else "poor"
    columns = [
        Column(f"tied@{k}", _("Ties at {k}", k=k), better="low"),
        Column("share", _("Share"), better="low"),
    ]
    cells = {
        name: [count_cell(of_retriever.tied[k]), share_cell(shares[name])]
        for name, of_retriever in counts.items()
    }
    says = _(
        "For these queries, the {ranked_items} at rank {k} and at the next rank have the same "
        "score, so their ids decide which one counts, not the retriever.",
        k=k,
    )
    label = _("Ties at the cut after {k}", k=k)
    table = _("Queries with a tie across the cut after {k}", k=k), columns, cells
    return tabled_item(panel, "ties", label, share_text(most), level, table, says)


def _same_queries(panel: DatasetResult) -> TrustItem | None:
    comparison = panel.comparisons.get((panel.baseline, panel.primary))
    if comparison is None:
        return None
    n = count_text(comparison.n)
    union = set[str]().union(*(panel.scores[name].query_ids for name in panel.retrievers))
    left_out = len(union) - comparison.n
    primary = comparison.measures[0]
    fewest = min((difference.n for difference in primary.differences), default=comparison.n)
    whole = count_text(len(union))
    text = (
        n if fewest == len(union) else _("{part} of {whole}", part=count_text(fewest), whole=whole)
    )
    level = level_of(1 - fewest / max(len(union), 1), LEFT_OUT)
    counts = {name: panel.scores[name].counts for name in panel.retrievers}
    columns = [
        Column("queries", _("Queries scored"), better="high"),
        Column("unanswerable", _("Unanswerable")),
    ]
    cells = {
        name: [count_cell(of_retriever.queries), count_cell(of_retriever.unanswerable)]
        for name, of_retriever in counts.items()
    }
    says = [
        _(
            "All retrievers are compared on the same {n} queries. Queries that only some "
            "retrievers were scored on are left out: {left_out}. Unanswerable queries have no "
            "correct passage and are left out of all means.",
            n=n,
            left_out=count_text(left_out),
        )
    ]
    if fewest < comparison.n:
        undefined = {"measure": primary.label, "fewest": count_text(fewest)}
        says.append(
            _(
                "{measure} is undefined for some of them; the pair with the fewest queries is "
                "compared on {fewest}.",
                **undefined,
            )
        )
    if comparison.clusters is not None:
        says.append(
            _(
                "The queries form {clusters} clusters, which are the units of all statistics.",
                clusters=count_text(comparison.clusters),
            )
        )
    label = _("Same queries for all")
    table = _("Queries that each retriever was scored on"), columns, cells
    return tabled_item(panel, "queries", label, text, level, table, *says, notes=comparison.notes)


def _got_nothing(panel: DatasetResult) -> TrustItem:
    counts = {name: panel.scores[name].counts for name in panel.retrievers}
    without = {name: found.missing + found.empty for name, found in counts.items()}
    most = max(without.values(), default=0)
    shares = (number / max(counts[name].queries, 1) for name, number in without.items())
    share = max(shares, default=0.0)
    level = level_of(share)
    columns = [
        Column("missing", _("Not in the run"), better="low"),
        Column("empty", _("Nothing returned"), better="low"),
    ]
    cells = {
        name: [count_cell(of_retriever.missing), count_cell(of_retriever.empty)]
        for name, of_retriever in counts.items()
    }
    says = _(
        "These judged queries are missing from the run or got no passage. They score 0, unless "
        "the measure is undefined for them (MR)."
    )
    label, table = _("Missing or empty"), (_("Queries without a result"), columns, cells)
    return tabled_item(panel, "missing", label, count_text(most), level, table, says)


def _left_short(panel: DatasetResult) -> TrustItem | None:
    """Queries that a filter leaves with too few passages; None if no retriever has a filter."""
    filters = {name: panel.entries[name].filtered for name in panel.retrievers}
    known = {name: counts for name, counts in filters.items() if counts is not None}
    if not known:
        return None
    left = {name: counts.short + counts.nothing for name, counts in known.items()}
    share = max(left[name] / max(counts.queries, 1) for name, counts in known.items())
    level = level_of(share)
    columns = [
        Column("short", _("Fewer than allowed"), better="low"),
        Column("nothing", _("No passage allowed"), better="low"),
        Column("unrestricted", _("Not restricted"), better="low"),
        Column("fetched", _("Fetched per query")),
    ]
    cells = {
        name: [
            count_cell(counts.short),
            count_cell(counts.nothing),
            count_cell(counts.unrestricted),
            count_cell(counts.fetched) if counts.fetched else nothing(_("allowed passages only")),
        ]
        for name, counts in known.items()
    }
    says = _(
        "A retriever that cannot search the allowed passages alone fetches a fixed number for "
        "each query and drops those that the filter does not allow. Some queries then get fewer "
        "passages than they could; a larger overfetch helps. Queries for which the filter allows "
        "nothing score 0. Queries without the metadata that the filter reads are not restricted."
    )
    value = count_text(max(left.values()))
    label = _("Left short by a filter")
    table = _("What filters do to the queries"), columns, cells
    return tabled_item(panel, "filter", label, value, level, table, says)


def _cut(report: Report, panel: DatasetResult) -> TrustItem | None:
    """What encoders did not read; None if no encoder reports it."""
    if not panel.truncations:
        return None
    most = max(cut.cut_share for cut in panel.truncations)
    level = level_of(most, CUT)
    columns = (
        retriever_column(),
        Column("texts", _("Texts")),
        Column("cut", _("Cut"), better="low"),
        Column("share", _("Share"), better="low"),
        Column("limit", _("Token limit"), better="high"),
        Column("unread", _("Tokens not read"), better="low"),
    )
    rows = tuple(
        (
            name_cell(cut.retriever)
            if cut.retriever in report.result.retrievers
            else text_cell(cut.retriever),  # only those that build on it were recorded
            text_cell(TEXTS[cut.role]),
            count_cell(cut.cut),
            share_cell(cut.cut_share),
            count_cell(cut.limit) if cut.cut else nothing(),
            share_cell(cut.unread_share),
        )
        for cut in panel.truncations
    )
    table = Table(
        named(panel, "trust-cut"), _("Texts longer than the encoder reads"), columns, rows
    )
    says = Paragraph(
        _(
            "The encoder reads only the beginning of a long text, so it cannot find what comes "
            "after; retrievers that build on it inherit the gap. The last column is the unread "
            "share of the tokens of the cut texts. Split long passages, or use an encoder that "
            "reads more."
        )
    )
    label = _("Cut by the encoder")
    return trust_item(panel, "cut", label, share_text(most), level, table, says)


def _failed(panel: DatasetResult) -> TrustItem | None:
    if not panel.failures:
        return None
    failed = len(panel.failures)
    whole = count_text(failed + len(panel.retrievers))
    text = _("{part} of {whole}", part=count_text(failed), whole=whole)
    notes = (failure(*failed) for failed in panel.failures.items())
    errors = (Paragraph(note, "warning") for note in notes)
    return trust_item(panel, "failed", _("Retrievers that failed"), text, "poor", *errors)
