"""read_texts: the passages or the documents at a path, without queries and judgments."""

from __future__ import annotations

from pathlib import Path

from ragscore.dataset import Corpus, Documents
from ragscore.errors import DataError
from ragscore.files import expanded
from ragscore.formats.datasets.dataset_formats import FORMATS
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.passage_readers import READERS
from ragscore.formats.datasets.read import read_documents
from ragscore.formats.datasets.rows import unique_rows
from ragscore.formats.document_formats.document_files import DOCUMENT_NAMES
from ragscore.formats.reading.lines import PACKED, File, unpacked_suffix
from ragscore.formats.reading.problems import collected, shown
from ragscore.progress import SILENT


def read_texts(path: str | Path) -> Corpus | Documents:
    """The texts at a path.

    Args:
        path: a file of passages (.jsonl, .tsv, .csv, .parquet); ``documents.jsonl``; a folder with
            one of these; a folder of .txt, .md and .html files.

    Raises:
        DataError: there is nothing of the kind, or it has problems.
    """
    path = expanded(path)
    if not path.exists():
        raise DataError("there is no such file or folder", where=shown(path))
    if path.is_dir():
        path = _inside(path)
    spec = DatasetSpec(path=str(path))
    with collected() as problems:
        if path.is_dir() or path.name in DOCUMENT_NAMES:
            documents, _ = read_documents(spec, path, problems, SILENT)
            return documents
        reader = READERS.get(unpacked_suffix(path))
        if reader is None:
            instead = "Name a folder, or a .jsonl, .tsv, .csv or .parquet file of passages"
            raise DataError("a file of another kind", where=shown(path), instead=instead)
        file = File(path, problems, SILENT, encoding=spec.encoding)
        return Corpus.from_passages(unique_rows(reader(file, spec), file))


def _inside(folder: Path) -> Path:
    """The passages of a folder, else its documents, else the folder as one of documents."""
    names = [
        name + suffix
        for format_name in FORMATS.own
        for name in FORMATS[format_name].names["passages"]
        for suffix in ("", *PACKED)
    ]
    found = [folder / name for name in dict.fromkeys(names) if (folder / name).is_file()]
    if len(found) > 1:
        listed = ", ".join(path.name for path in found)
        raise DataError(
            f"there are several files of passages: {listed}",
            where=shown(folder),
            instead=f"Name one: {shown(found[0])}",
        )
    documents = [folder / name for name in DOCUMENT_NAMES if (folder / name).exists()]
    return next(iter([*found, *documents]), folder)
