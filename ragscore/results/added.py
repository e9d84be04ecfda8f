"""What a result records of installed packages, so that reading it imports none of them."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from ragscore.measures import MEASURES, Measure, Traits, record_measure
from ragscore.scoring import PROFILES, Profile


class Added(BaseModel):
    """What a run used of installed packages, as far as reading its result needs it: no reader
    imports them. ``measures``: by text, what is known of each; ``profiles``: by name, in full."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    measures: dict[str, Traits] = {}
    profiles: dict[str, Profile] = {}

    @classmethod
    def by(cls, measures: Iterable[Measure], profile: str) -> Added | None:
        """What is not ragscore's own of what a result was scored by; None where all is."""
        added = {
            str(measure): Traits.of(measure)
            for measure in measures
            if type(measure) not in MEASURES.own.values()
        }
        profiles = {} if profile in PROFILES.own else {profile: PROFILES[profile]}
        return cls(measures=added, profiles=profiles) if added or profiles else None

    def known(self) -> None:
        """Let texts and names of these be understood in this process."""
        for text, traits in self.measures.items():
            record_measure(text, traits)
        for name, profile in self.profiles.items():
            PROFILES.record(name, profile)
