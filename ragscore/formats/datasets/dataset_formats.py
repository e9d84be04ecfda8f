"""The table of dataset formats."""

from __future__ import annotations

from typing import Annotated, Any

from ragscore.kinds import NameOf
from ragscore.plugins import Catalogue

FORMATS: Catalogue[Any] = Catalogue(
    "ragscore.dataset_formats",
    "format",
    {
        "jsonl": "ragscore.formats.datasets.jsonl:FORMAT",
        "beir": "ragscore.formats.datasets.beir:FORMAT",
        "trec": "ragscore.formats.datasets.trec:FORMAT",
        "csv": "ragscore.formats.datasets.tables:CSV",
        "tsv": "ragscore.formats.datasets.tables:TSV",
        "parquet": "ragscore.formats.datasets.tables:PARQUET",
        "autorag": "ragscore.formats.datasets.autorag:FORMAT",
        "mteb": "ragscore.formats.datasets.mteb:FORMAT",
        "json": "ragscore.formats.datasets.json_dicts:FORMAT",
        "trec-subtopics": "ragscore.formats.datasets.trec_subtopics:FORMAT",
        "squad": "ragscore.formats.datasets.squad:FORMAT",
    },
    wanted="a ragscore.formats.Format",
    fits=lambda name, thing: hasattr(thing, "read_passages"),
)
"""Every format of datasets by its name; ``auto`` tries ragscore's own in this order."""
FormatName = Annotated[str, NameOf(FORMATS, also=("auto",))]
