"""DatasetSpec: how an experiment names a dataset and says how its files are read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self, TypedDict

from pydantic import Field, GetJsonSchemaHandler, field_validator, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ragscore.dataset.columns import Columns, IdsAs
from ragscore.dataset.conditions import Conditions
from ragscore.dataset.corpus_sample import CorpusSample, SamplePool
from ragscore.dataset.judged_units import JudgedUnit
from ragscore.file_names import fitted_name, name_problem
from ragscore.files import expanded
from ragscore.formats.datasets.dataset_formats import FormatName
from ragscore.formats.document_formats.document_files import HtmlAs
from ragscore.spec import Spec
from ragscore.validation.findings import carried, contradiction

EncodingName = Literal[
    "utf-8",
    "utf-16",
    "cp949",
    "euc-kr",
    "cp932",
    "gb18030",
    "big5",
    "cp1250",
    "cp1251",
    "cp1252",
    "latin-1",
]


BLOCK = 131_072
"""Passages of a block, unless a dataset says otherwise."""


NO_SAMPLE_OF_DOCUMENTS = (
    "a sample draws passages, and chunkers make those of documents",
    "Leave corpus.sample out, or put some of the documents into a folder of their own",
)


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
    forbidden: Conditions | None = None
    """What must not come back, as a condition on the passages' metadata or several, each of which
    forbids: `{field: tenant, op: "!=", value: query.tenant}`. Rows of the ground truth name single
    passages."""
    unit: JudgedUnit | None = None
    """What the ground truth names, where that is not passages: `metadata.document`, or the field
    and what cutoffs count, `{field: document, of: passages, cutoff: passages}`."""
    corpus: bool | CorpusSample = True
    """``false`` where there are queries and judgments alone: only recorded runs and systems that
    hold the passages themselves can then be scored. A file of passages is not read. Or a sample of
    the passages, for quick trials: `{sample: 200000, keep: judged, pool: [bm25]}`."""
    passages: str | None = None
    """File of the passages, relative to ``path``, if it does not have the usual name; or a folder
    of such files, which are read in blocks."""
    queries: str | None = None
    """File of the queries, relative to ``path``."""
    ground_truth: str | None = None
    """File of the judgments, relative to ``path``."""
    documents: str | None = None
    """Folder of documents (.txt, .md, .html), or a file of them (.jsonl), relative to ``path``;
    found by itself where it is ``documents.jsonl``, or the folder ``documents`` in a dataset
    without passages."""
    html: HtmlAs = "text"
    """What offsets into a page of HTML count: ``text`` is what the page shows, ``source`` the file
    as it stands."""
    coverage: float = Field(1.0, gt=0, le=1)
    """The share of evidence's characters that a chunk of a document has to hold to cover its
    need."""
    together: bool = False
    """``true``: chunks cover a need also where those up to a rank hold that share together, each
    character counted once."""
    block: int = Field(BLOCK, ge=1)
    """Passages of a block, where the corpus is read in blocks: because its passages are a folder of
    files, or under ``memory`` of the experiment. It is a part of what is searched: another number
    makes other blocks."""
    columns: Columns = Columns()
    """jsonl, csv, tsv, parquet: names of the columns, or of the keys of JSON lines."""
    encoding: EncodingName = "utf-8"
    """Encoding of text files that do not begin with a byte-order mark."""
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    """csv, tsv: the character between columns; by default a comma, and TAB in ``.tsv``."""
    ids: IdsAs = "strict"
    """``text`` takes ids that JSON writes as whole numbers as text, and counts them; ``strict``
    refuses them."""

    @field_validator("delimiter")
    @classmethod
    def _separates(cls, delimiter: str | None) -> str | None:
        if delimiter is not None and (delimiter in '"\r\n\0' or delimiter.isalnum()):
            raise ValueError('a character that cannot separate columns. Write ";" or "|" or "\\t"')
        return delimiter

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, name: str | None) -> str | None:
        if name is not None and (problem := name_problem(name)):
            raise carried(problem)
        return name

    @model_validator(mode="after")
    def _has_passages_or_not(self) -> Self:
        for role in ("passages", "documents"):
            if not self.corpus and getattr(self, role) is not None:
                raise contradiction(role, "corpus: false reads none", "Leave one of them out")
        if self.sample is not None and self.documents is not None:
            raise contradiction("documents", *NO_SAMPLE_OF_DOCUMENTS)
        return self

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
    def sample(self) -> CorpusSample | None:
        """How the corpus is sampled; None if it is read as it is."""
        return self.corpus if isinstance(self.corpus, CorpusSample) else None

    @property
    def pool(self) -> SamplePool | None:
        """The retrievers whose best passages a sample of the corpus keeps; None without them."""
        return None if self.sample is None else self.sample.pool

    @property
    def folder(self) -> Path:
        """The dataset's folder."""
        return expanded(self.path)

    @property
    def label(self) -> str:
        """The name in tables and files."""
        return self.name or fitted_name(self.folder.resolve().name, "dataset")


class DatasetChanges(TypedDict, total=False):
    """The fields of :class:`DatasetSpec` but the path as keywords, so that an editor completes
    them."""

    format: FormatName
    name: str | None
    split: str | None
    allow_missing: bool
    drop_self: bool
    forbidden: Conditions | None
    unit: JudgedUnit | str | None
    corpus: bool | CorpusSample | Mapping[str, Any]
    passages: str | None
    queries: str | None
    ground_truth: str | None
    documents: str | None
    html: HtmlAs
    coverage: float
    together: bool
    block: int
    columns: Columns | None
    encoding: EncodingName
    delimiter: str | None
    ids: IdsAs
