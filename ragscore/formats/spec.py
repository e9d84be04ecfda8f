"""DatasetSpec: how an experiment names a dataset and says how its files are read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, GetJsonSchemaHandler, field_validator, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ragscore.paths import expanded
from ragscore.spec import Spec

UNFIT = re.compile(r'[/\\:*?"<>|\x00-\x1f]|^[. =+@-]|[. ]$')
"""What the name of a folder may not hold on some platform, or begins a formula in a table."""
RESERVED = re.compile(r"^(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$")
"""What Windows keeps for itself."""

FormatName = Literal["auto", "jsonl", "beir", "trec", "csv", "tsv", "parquet"]


class PassageColumns(Spec):
    """Names of the columns in a table of passages."""

    id: str = "id"
    """Column of ids; whole numbers are read as text."""
    text: str = "text"
    """Column of what is searched."""
    title: str = "title"
    """Column of headings; a table without a column ``title`` has none."""
    tags: str = "tags"
    """Column of labels (``a;b``); a table without a column ``tags`` has none."""
    metadata: tuple[str, ...] = ()
    """Columns to keep as metadata; all others are passed over."""


class QueryColumns(Spec):
    """Names of the columns in a table of queries."""

    id: str = "id"
    """Column of ids; whole numbers are read as text."""
    text: str = "text"
    """Column of the questions."""
    tags: str = "tags"
    """Column of labels (``a;b``); a table without a column ``tags`` has none."""
    answerable: str = "answerable"
    """Column of true or false; a table without a column ``answerable`` is all true."""
    metadata: tuple[str, ...] = ()
    """Columns to keep as metadata; all others are passed over."""


class GroundTruthColumns(Spec):
    """Names of the columns in a table of judgments, one pair to a row."""

    query_id: str = "query_id"
    """Column of query ids."""
    passage_id: str = "passage_id"
    """Column of passage ids."""
    grade: str = "grade"
    """Column of grades; a table of two columns, without it, means grade 1 for each pair."""


class Columns(Spec):
    """Names of the columns of tables (csv, tsv, parquet)."""

    passages: PassageColumns = PassageColumns()
    """Columns of the passages' table."""
    queries: QueryColumns = QueryColumns()
    """Columns of the queries' table."""
    ground_truth: GroundTruthColumns = GroundTruthColumns()
    """Columns of the judgments' table."""


class DatasetSpec(Spec):
    """A dataset on disk; a plain text stands for its ``path``.

    >>> DatasetSpec(path="datasets/harbour-tenancy").format
    'auto'
    """

    path: str = Field(min_length=1)
    """The dataset's folder; in a file, relative to that file's folder."""
    format: FormatName = "auto"
    """Format of the files; ``auto`` recognises it by their names."""
    name: str | None = None
    """Name in tables and files; by default the folder's."""
    split: str | None = None
    """beir: which file of ``qrels/`` is read; by default ``test``, or the only one there."""
    allow_missing: bool = False
    """Judgments of passages that the corpus lacks are counted and kept, not refused."""
    drop_self: bool = False
    """Drop a passage whose id is the query's from every run."""
    passages: str | None = None
    """File of the passages, relative to ``path``, where it has another name than usual."""
    queries: str | None = None
    """File of the queries, relative to ``path``."""
    ground_truth: str | None = None
    """File of the judgments, relative to ``path``."""
    columns: Columns = Columns()
    """csv, tsv, parquet: names of the columns."""

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, name: str | None) -> str | None:
        if name is not None and (UNFIT.search(name) or not 0 < len(name) <= 100):
            raise ValueError(
                'a name that cannot name a folder. Leave out / \\ : * ? " < > | and control '
                "characters, do not begin or end it with a dot or a space, and do not begin it "
                "with = + - @"
            )
        if name is not None and RESERVED.match(name):
            raise ValueError(f"Windows reserves this name. Write {name}-1 or so")
        return name

    @model_validator(mode="before")
    @classmethod
    def _path_alone(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
        described = super().__get_pydantic_json_schema__(core_schema, handler)
        schema = handler.resolve_ref_schema(described)
        return {"anyOf": [schema, {"type": "string", "minLength": 1}]}

    def resolved(self, base: Path) -> DatasetSpec:
        """The same dataset, its path taken from ``base`` where it is relative."""
        path = (base / expanded(self.path)).resolve()
        return self.model_copy(update={"path": str(path)})

    @property
    def folder(self) -> Path:
        """The dataset's folder."""
        return expanded(self.path)

    @property
    def label(self) -> str:
        """The name in tables and files."""
        fitting = UNFIT.sub("_", self.folder.resolve().name)
        return self.name or RESERVED.sub(r"_\g<0>", fitting) or "dataset"
