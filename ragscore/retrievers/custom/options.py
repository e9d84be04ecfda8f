"""How code of your own is called."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, PositiveInt, field_validator

from ragscore.retrievers.calls import CallOptions

METADATA = "metadata."


class CodeOptions(CallOptions):
    """As any system that is asked, but no call is made again and none is given up unless an option
    says so: what code raises is mostly an error in it."""

    concurrency: PositiveInt | None = None
    """How many calls are under way at once: by default 8 of async code, and one of sync code in the
    thread of the run. With a number above 1, sync code is called in as many threads."""
    timeout: Annotated[float, Field(gt=0)] | None = None
    """Seconds that one call may take; sync code is then called in a thread, which nothing can end:
    it is left behind where it takes longer."""
    retries: Annotated[int, Field(ge=0, le=100)] = 0
    """How often a call is made again that raised an exception or took too long."""
    id: str = "id"
    """What names the passage of a document that a retriever of LangChain, LlamaIndex or Haystack
    returns: its `id`, or `metadata.KEY`."""

    @field_validator("id")
    @classmethod
    def _names_an_id(cls, id: str) -> str:
        if id != "id" and not (id.startswith(METADATA) and id != METADATA):
            raise ValueError(
                f"'{id}' names no id. Write id, or {METADATA} and a key: {METADATA}KEY"
            )
        return id
