"""Which program is started, and how."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from ragscore.spec import Spec

Argument = Annotated[str, Field(pattern=r"^[^\x00]*$")]


class ProgramOptions(Spec):
    """The program, and where and how it runs."""

    command: Annotated[tuple[Argument, ...], Field(min_length=1)]
    """The program and its arguments, such as `[node, search.js]`; no shell reads them."""
    env: dict[str, Argument] = Field(default={})
    """Variables of its environment besides those of ragscore: `{API_KEY: "${SEARCH_KEY}"}`;
    `$${NAME}` is the text `${NAME}`."""
    folder: str | None = None
    """Where it runs; by default the experiment file's folder."""
    log: str | None = None
    """A file to which the lines of its stderr are appended, and those of stdout that are not a JSON
    object, up to 16 MiB of a search; errors show the last five in any case."""
    start: Literal["once", "each block"] = "once"
    """How often it is started: for all queries of a dataset, or anew for each block of them."""

    @field_validator("env")
    @classmethod
    def _can_be_variables(cls, env: dict[str, str]) -> dict[str, str]:
        for name in env:
            if not name or "=" in name or "\0" in name:
                raise ValueError(f"'{name}' cannot be the name of a variable")
        return env
