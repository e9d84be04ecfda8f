"""DatasetResult: one dataset of a result. Each of its parts is computed when it is first read,
and once: the folder, the report, the terminal and a notebook show the same objects."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

import ragscore.sweeps
from ragscore.comparison.overlap import Overlap, overlaps
from ragscore.diagnose import Causes, Ceiling, Losses, causes, ceiling, losses
from ragscore.errors import DataError, RagscoreError
from ragscore.measures import NDCG, F, Measure, P, R, parse_measure
from ragscore.messages import Message, _, few_names
from ragscore.results.compared_dataset import ComparedDataset
from ragscore.results.result_view import Noted
from ragscore.tuning import TuneOptions, Tuning, tune
from ragscore.tuning.tuning_input import TokenCounter

USUAL_K = 10
"""The cutoff at which a query fails where the primary measure has none."""
DRAWN: tuple[type[Measure], ...] = (P, R, F, NDCG)
"""The measures of the curves."""
BY_K = {"by": "k", "rule": None, "target": None, "confident": False, "coverage": None}
"""What curves against k change of how an experiment chose."""


class DatasetResult(ComparedDataset):
    """One dataset of a result, with everything that can be computed from its runs."""

    @cached_property
    def overlap(self) -> tuple[Overlap, ...]:
        """What each pair of runs finds together."""
        return self._overlap.value

    @cached_property
    def _overlap(self) -> Noted[tuple[Overlap, ...]]:
        if len(self.runs) < 2:
            return Noted(())
        # Passages of different chunkers are different, whatever they have in common.
        alike: dict[tuple[str, ...], list[str]] = {}
        for name in self.runs:
            alike.setdefault(self.chunkers(name), []).append(name)
        found: list[Overlap] = []
        try:
            for names in alike.values():
                if len(names) > 1:
                    runs = [self.runs[name] for name in names]
                    found += overlaps(runs, self.qrels_for(names[0]), self.scores)
        except RagscoreError as error:
            return Noted(
                (), (_("What pairs find together could not be computed: {error}", error=error),)
            )
        notes = (
            (
                _(
                    "What two retrievers find together is shown only if both search the same "
                    "chunks: passages of different chunkers are different passages."
                ),
            )
            if len(alike) > 1
            else ()
        )
        return Noted(tuple(found), notes)

    # The best of many settings.

    @property
    def has_sweep(self) -> bool:
        """Whether the experiment swept something on this dataset."""
        return self.parts.swept(self.dataset) is not None

    @property
    def sweep(self) -> ragscore.sweeps.SweepResult | None:
        """What the experiment's sweep found; None if it swept nothing, or no configuration has
        values.

        Raises:
            DataError: what was recorded of it is damaged.
        """
        return self._sweep.value

    @cached_property
    def _sweep(self) -> Noted[ragscore.sweeps.SweepResult | None]:
        swept = self.parts.swept(self.dataset)
        if swept is None:
            return Noted(None)
        try:
            found = ragscore.sweeps.analyze_sweep(
                swept, seed=self.options.seed, sample=self.entry.sample
            )
            return Noted(found)
        except RagscoreError as error:
            return Noted(None, (_("The sweep could not be analysed: {error}", error=error),))

    # How many passages to take.

    def tuning(
        self, retriever: str, options: TuneOptions, count_tokens: TokenCounter | None = None
    ) -> Tuning:
        """One retriever, tuned; what was computed for more measures is not computed again.

        Args:
            retriever: its name.
            options: the rule and all else.
            count_tokens: for a budget of tokens.

        Raises:
            DataError, ConfigError: as :func:`~ragscore.tune`; or the judgments are not known.
        """
        rest = options.model_dump_json(exclude={"measures", "language"})
        known = self._tuned.setdefault((retriever, rest, count_tokens), [])
        wanted = options.families()
        for tuning in known:
            read = {tuning.precision, tuning.recall, tuning.judged_by}
            if read <= set(wanted) <= set(tuning.curves):
                curves = {measure: tuning.curves[measure] for measure in wanted}
                same = options == tuning.options
                return tuning if same else replace(tuning, options=options, curves=curves)
        judged = self.part(retriever)
        made = tune(
            self.recorded_runs[retriever],
            judged if judged is not None else self.parts.qrels(self.dataset),
            options,
            dataset=self.dataset,
            profile=self.parts.manifest.profile,
            count_tokens=count_tokens,
        )
        known.append(made)
        return made

    @cached_property
    def _tuned(self) -> dict[tuple[str, str, TokenCounter | None], list[Tuning]]:
        return {}

    @cached_property
    def tunings(self) -> Mapping[str, Tuning]:
        """What the experiment's rule recommends for each retriever, with P, R, F1, nDCG at every
        setting; empty if the dataset no longer exists."""
        return {name: both[0] for name, both in self._curves.value.items()}

    @cached_property
    def curves(self) -> Mapping[str, Tuning]:
        """The same as ``tunings`` at every k, also where the experiment cuts scores."""
        return {name: both[1] for name, both in self._curves.value.items()}

    @cached_property
    def _curves(self) -> Noted[Mapping[str, tuple[Tuning, Tuning]]]:
        if self.data is None:
            return Noted({})
        recorded = self.view.tune
        notes = list(recorded.notes)
        options = recorded.value
        counts = None
        if options.budget is not None and options.budget.unit == "tokens":
            # The tokenizer that a result names may be anyone's code and is never loaded: contexts
            # are counted in words where no counts of it were recorded, and the limit is left out.
            with suppress(DataError):  # a damaged file counts as none
                counts = self.parts.token_counts(self.dataset)
            if counts is None:
                notes.append(
                    _(
                        "This result records no token counts, and reading a result never loads "
                        "the tokenizer that it names: contexts are counted in words, and the "
                        "budget of tokens is not applied."
                    )
                )
                options = options.without_budget()
        options = options.model_copy(update={"measures": [str(measure()) for measure in DRAWN]})
        by_k = options if options.by == "k" else options.model_copy(update=BY_K)
        found: dict[str, tuple[Tuning, Tuning]] = {}
        for name in self.retrievers:
            try:
                found[name] = self.tuning(name, options, counts), self.tuning(name, by_k, counts)
            except RagscoreError as error:
                names = few_names((name,))
                notes.append(_("No curves for {retriever}: {error}", retriever=names, error=error))
        return Noted(found, tuple(notes))

    # Why queries fail.

    @cached_property
    def k(self) -> int:
        """The cutoff at which a query fails: the primary measure's, else 10."""
        cutoff = self.scores.entries[0].measures[0].cutoff
        return cutoff if isinstance(cutoff, int) else USUAL_K

    @property
    def relevant_from(self) -> float:
        """The lowest grade that the primary measure counts as relevant."""
        return float(getattr(parse_measure(self.primary), "relevant_from", None) or 1.0)

    @cached_property
    def causes(self) -> Causes | None:
        """Why queries fail; None if the dataset no longer exists."""
        return self._causes.value

    @cached_property
    def _causes(self) -> Noted[Causes | None]:
        if self.data is None:
            return Noted(None)
        queries, least = self._averaged, self.relevant_from
        try:
            chunkers = {name: self.chunkers(name) for name in self.retrievers}
            return Noted(
                causes(
                    self.runs,
                    self.data,
                    queries,
                    k=self.k,
                    relevant_from=least,
                    chunkers=chunkers,
                )
            )
        except RagscoreError as error:
            return Noted(
                None, (_("Causes of failure could not be determined: {error}", error=error),)
            )

    @property
    def _averaged(self) -> list[str]:
        """The queries that some retriever was scored on."""
        averaged = (query for entry in self.scores.entries for query in entry.query_ids)
        return list(dict.fromkeys(averaged))

    # What retrievers that build on others make of their inputs.

    @cached_property
    def losses(self) -> Mapping[str, Losses]:
        """By retriever that builds on others: where relevant passages were lost on the way."""
        return self._losses.value

    @cached_property
    def _losses(self) -> Noted[Mapping[str, Losses]]:
        built = [name for name in self.retrievers if self.entries[name].inputs]
        if built and self.qrels is None:
            return Noted(
                {}, (_("without the judgments, nobody knows where relevant passages are lost"),)
            )
        found, notes = dict[str, Losses](), list[Message]()
        for name in built:
            entry = self.entries[name]
            if lacking := tuple(source for source in entry.inputs if source not in self.runs):
                facts = {"retriever": few_names((name,)), "inputs": few_names(lacking)}
                notes.append(
                    _(
                        "where {retriever} loses relevant passages is unknown: this result lacks "
                        "the run of {inputs}",
                        **facts,
                    )
                )
                continue
            qrels = self.qrels_for(name)
            assert qrels is not None
            failed = set(self.runs[name].failed_queries)
            deepest = max(self.runs[source].depth for source in entry.inputs)
            found[name] = losses(
                name,
                entry.inputs,
                self.passage_runs,
                qrels,
                [query for query in self._averaged if query not in failed],
                k=self.k,
                pool=max(1, min(entry.pool, deepest)),
                relevant_from=self.relevant_from,
            )
        return Noted(found, tuple(notes))

    @cached_property
    def ceilings(self) -> Mapping[str, Ceiling]:
        """By retriever that builds on others: what the passages of its inputs allow; without those
        whose primary measure cannot be computed here."""
        found = {}
        for name, lost in self.losses.items():
            part = self.part(name)
            judged = part if part is not None else self.qrels
            assert judged is not None
            with suppress(RagscoreError):
                found[name] = ceiling(
                    [self.passage_runs[source] for source in lost.inputs],
                    judged,
                    self.primary,
                    pool=lost.pool,
                    profile=self.parts.manifest.profile,
                    relevant_from=self.relevant_from,
                )
        return found

    def notes_on(self, section: str) -> tuple[Message, ...]:
        """What could not be computed for a section of the report, or was left out of it."""
        if section == "measures":
            return tuple(self._fewer_choices())
        if section == "slices":
            return self._slices.notes
        if section == "differences":
            return self._overlap.notes
        if section == "curves":
            return (*self._data_notes, *self._curves.notes)
        if section == "sweep":
            return self._sweep.notes
        if section == "failures":
            return (*self._data_notes, *self._causes.notes)
        if section == "stages":
            return self._losses.notes
        if section == "evidence":
            return self._data_notes if any(map(self.chunkers, self.retrievers)) else ()
        return ()
