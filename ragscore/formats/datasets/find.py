"""Which files of a folder make up a dataset, and in which format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from ragscore.errors import ConfigError, DataError, Problem, did_you_mean
from ragscore.files import odd_kind
from ragscore.formats.datasets.base import PIECE, ROLES, Format
from ragscore.formats.datasets.dataset_formats import FORMATS
from ragscore.formats.datasets.dataset_spec import DatasetSpec
from ragscore.formats.datasets.passage_readers import READERS, READS
from ragscore.formats.datasets.shard_files import check_shards, holds_no_shard, shard_files
from ragscore.formats.document_formats.document_files import DOCUMENT_NAMES, FOLDER, fits
from ragscore.formats.reading.lines import PACKED, unpacked_suffix
from ragscore.formats.reading.problems import shown

SPLIT = "test"


@dataclass(frozen=True)
class Located:
    """The files of a dataset, and the format that reads them.

    Attributes:
        passages: a file, or a folder of shards.
        shards: the files of that folder, in the order of the corpus.
    """

    format: Format
    queries: Path
    ground_truth: Path
    passages: Path | None
    documents: Path | None = None
    shards: tuple[Path, ...] = ()


def locate(spec: DatasetSpec) -> Located:
    """Find a dataset's files without opening them; a package that adds its format is imported.

    Raises:
        DataError: some are missing, or it is not clear which are meant.
        ConfigError: an option is given that none of them reads.
    """
    formats: Mapping[str, Format] = {name: FORMATS[name] for name in FORMATS.own}
    folder = spec.folder
    where = shown(folder)
    if not folder.exists():
        raise DataError(Problem("there is no such folder", where, _near(folder)))
    if not folder.is_dir():
        instead = f"Name the folder that holds it: {shown(folder.parent) or '.'}"
        raise DataError(Problem("a folder is expected and this is a file", where, instead))
    named = {role: getattr(spec, role) for role in ROLES}
    missing = [
        Problem(f"{role}: {odd}", shown(folder / name), "Name a regular file")
        if (odd := odd_kind(folder / name))
        else Problem(f"{role}: there is no file '{name}'", where, _near(folder / name))
        for role, name in named.items()
        if name is not None and not (folder / name).is_file()
        if role != "passages" or not shard_files(folder / name)
    ]
    documents = _documents(spec)
    if spec.documents is not None and documents is None:
        missing.append(_no_documents(folder / spec.documents))
    if missing:
        raise DataError(missing)
    names = {entry.name + ("/" if entry.is_dir() else "") for entry in folder.iterdir()}
    if spec.format != "auto":
        fmt = FORMATS.load(spec.format)
        return _located(spec, fmt, _present(spec, fmt, names), names, documents)
    present = {name: _present(spec, fmt, names) for name, fmt in formats.items()}
    # Where there are documents, chunkers make the passages.
    corpus = bool(spec.corpus) and documents is None
    complete = [name for name, fmt in formats.items() if not _missing(fmt, present[name], corpus)]
    if len(complete) == 1:
        fmt = formats[complete[0]]
        return _located(spec, fmt, present[complete[0]], names, documents)
    if complete:
        raise DataError(
            f"the files fit more than one format: {', '.join(complete)}",
            where=where,
            instead=f"Name one, for example format: {complete[0]}",
        )
    passages = [spec.passages] if spec.passages else sorted({"passages/", "corpus/"} & names)
    empty = [folder / name for name in passages if holds_no_shard(folder / name)]
    if corpus and empty:
        instead = "Put .parquet files there, or .jsonl, .jsonl.gz or .jsonl.zst"
        raise DataError("the folder holds no shards", where=shown(empty[0]), instead=instead)
    raise DataError(_nothing_found(where, formats, present, names, corpus))


def _documents(spec: DatasetSpec) -> Path | None:
    """The folder or file of the documents, where there is one."""
    if not spec.corpus:
        return None
    if spec.documents is not None:
        path = spec.folder / spec.documents
        own = (FORMATS[name] for name in FORMATS.own)
        hold = any(fmt.read_documents and fmt.fits("passages", path) for fmt in own)
        return path if path.is_dir() or (path.is_file() and (hold or fits(path))) else None
    names = [spec.folder / name for name in DOCUMENT_NAMES]
    return next((path for path in names if path.exists()), None)


def _no_documents(path: Path) -> Problem:
    if odd := odd_kind(path):
        return Problem(f"documents: {odd}", shown(path), "Name a folder or a regular file")
    if path.exists():
        instead = "Name a folder of .txt, .md and .html files, or a .jsonl file"
        return Problem("documents: a file of another kind", shown(path), instead)
    return Problem(f"documents: there is no folder or file '{path.name}'", shown(path), _near(path))


def _present(spec: DatasetSpec, fmt: Format, names: set[str]) -> dict[str, list[str]]:
    """For each role, the files that could have it."""
    result: dict[str, list[str]] = {}
    for role in ROLES:
        if role == "passages" and not spec.corpus:
            result[role] = []
            continue
        named = getattr(spec, role)
        if named is not None:
            files = shard_files(spec.folder / named) if role == "passages" else []
            good = spec.format != "auto" or bool(files) or fmt.fits(role, Path(named))
            result[role] = [named] if good else []
            continue
        usual = [name + suffix for name in fmt.names[role] for suffix in ("", *PACKED)]
        if role == "passages":
            folders = [f"{name.partition('.')[0]}/" for name in fmt.names[role]]
            usual += [
                name
                for name in dict.fromkeys(folders)
                if name in names and name not in usual and shard_files(spec.folder / name)
            ]
        result[role] = [name for name in usual if name in names]
    return result


def _missing(fmt: Format, present: Mapping[str, list[str]], corpus: bool) -> list[str]:
    optional = () if fmt.needs_corpus and corpus else ("passages",)
    return [role for role in ROLES if not present[role] and role not in optional]


def _located(
    spec: DatasetSpec,
    fmt: Format,
    present: Mapping[str, list[str]],
    names: set[str],
    documents: Path | None,
) -> Located:
    folder, where = spec.folder, shown(spec.folder)
    problems: list[Problem] = []
    for role in _missing(fmt, present, bool(spec.corpus) and documents is None):
        problems.append(
            Problem(
                f"the file of the {role.replace('_', ' ')} is missing "
                f"({' or '.join(fmt.names[role])}, or with .gz or .zst)",
                where,
                f"The folder holds: {_some(names)}. Name another file with {role}:"
                + (
                    ", name documents: to cut into passages, or write corpus: false"
                    if role == "passages"
                    else ""
                ),
            )
        )
    for role, files in present.items():
        if len(files) > 1:
            problems.append(
                Problem(
                    f"there are several files of the {role.replace('_', ' ')}: {', '.join(files)}",
                    where,
                    f"Name one, for example {role}: {files[-1].rstrip('/')}"
                    if not files[0].endswith("/")
                    else f"Name one with ground_truth: {files[-1]}, or remove one",
                )
            )
    for files in present.values():
        if not files or files[0].endswith("/") or shard_files(folder / files[0]):
            continue
        if odd := odd_kind(folder / files[0]):
            instead = "A dataset's files are regular files, or links to such"
            problems.append(Problem(odd, shown(folder / files[0]), instead))
    if problems:
        raise DataError(problems)
    ground_truth = folder / present["ground_truth"][0]
    if ground_truth.is_dir():
        ground_truth = _split(ground_truth, spec.split, fmt.split_suffix)
    elif spec.split is not None:
        raise DataError(
            f"split: {spec.split} is named, but there is no folder of splits",
            where=where,
            instead="Only beir and mteb have splits, in qrels/; leave split: out",
        )
    shards: list[Path] = []
    for name in present["passages"]:
        if f"{name.rstrip('/')}/" not in fmt.names["passages"]:
            shards = shard_files(folder / name)
            if shards:
                check_shards(folder / name)
    texts = {
        role: folder / present[role][0]
        if role == "passages" and shards
        else _texts(folder / present[role][0], spec.split, fmt.split_suffix)
        for role in ("passages", "queries")
        if present[role]
    }
    passages = texts.get("passages")
    if documents is not None and documents.is_file() and not fits(documents):
        # A file of the format's own, whose passages are documents now.
        if fmt.read_documents is None or documents != passages:
            raise DataError(_no_documents(documents))
        passages = None
    if spec.documents is None and passages is not None and documents == folder / FOLDER:
        documents = None  # it may be anything: the dataset has passages
    located = Located(fmt, texts["queries"], ground_truth, passages, documents, tuple(shards))
    if unread := list(_unread(spec, located)):
        raise ConfigError(unread)
    return located


def _unread(spec: DatasetSpec, located: Located) -> Iterator[Problem]:
    """The options of a dataset that none of its files reads, each at its place in the spec."""
    fmt = located.format
    reads = {"queries": fmt.reads, "ground_truth": fmt.reads}
    files = located.shards or ((located.passages,) if located.passages else ())
    if files:
        reads["passages"] = frozenset(chain.from_iterable(map(partial(_reads, fmt), files)))
    if located.documents is not None:
        reads["documents"] = frozenset({"encoding", "ids"})
    usual = DatasetSpec(path=spec.path)
    for option in ("delimiter", "encoding", "ids"):
        if getattr(spec, option) != getattr(usual, option) and not any(
            option in read for read in reads.values()
        ):
            yield _unread_option(option, option, fmt)
    for role in ROLES:
        named = getattr(spec.columns, role) != getattr(usual.columns, role)
        ignored = "columns" not in reads.get(role, ()) and (role != "passages" or spec.corpus)
        if named and ignored:
            yield _unread_option(f"columns.{role}", "columns", fmt)


def _reads(fmt: Format, passages: Path) -> frozenset[str]:
    """The options that a file of passages reads, which may be of another format than the rest."""
    suffix = unpacked_suffix(passages)
    by_suffix = READERS.get(suffix)
    own = fmt.fits("passages", passages) and by_suffix is not fmt.read_passages
    return fmt.reads if own or by_suffix is None else READS[suffix]


def _unread_option(where: str, option: str, fmt: Format) -> Problem:
    names = [name for name in FORMATS.own if option in FORMATS[name].reads]
    own = next((name for name in FORMATS.own if FORMATS[name] is fmt), "it")
    return Problem(
        f"the format {own} does not read this option",
        where,
        f"Leave it out; it is for {', '.join(names)}",
    )


def _texts(path: Path, wanted: str | None, suffix: str) -> Path:
    """The file of passages or queries; of a folder, the one of the split, else its only one."""
    if not path.is_dir():
        return path
    splits = _splits(path, suffix)
    return _split(path, wanted if wanted in splits else None, suffix)


def _splits(folder: Path, suffix: str) -> dict[str, Path]:
    """The first file of each split in a folder, by the name of the split."""
    splits: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if unpacked_suffix(path) == suffix and not odd_kind(path):
            name = path.name.partition(suffix)[0]
            piece = PIECE.fullmatch(name)
            splits.setdefault(piece[1] if piece else name, path)
    return splits


def _split(folder: Path, wanted: str | None, suffix: str) -> Path:
    splits = _splits(folder, suffix)
    if wanted is not None and wanted not in splits:
        instead = did_you_mean(wanted, splits)
        raise DataError(f"there is no split '{wanted}'", where=shown(folder), instead=instead)
    if wanted is None and SPLIT not in splits and len(splits) != 1:
        what = f"there is no {SPLIT}{suffix}, and not one other file"
        names = ", ".join(splits)
        have = f"Name one with split: {names}" if splits else f"It holds no {suffix} file"
        raise DataError(what, where=shown(folder), instead=have)
    if wanted is None:
        wanted = SPLIT if SPLIT in splits else next(iter(splits))
    return splits[wanted]


def _nothing_found(
    where: str,
    formats: Mapping[str, Format],
    present: Mapping[str, Mapping[str, list[str]]],
    names: set[str],
    corpus: bool,
) -> Problem:
    looked = []
    for name, fmt in formats.items():
        missing = _missing(fmt, present[name], corpus)
        near = f"; missing here: {', '.join(missing)}" if any(present[name].values()) else ""
        looked.append(f"  {name}: {fmt.listed()}{near}")
    return Problem(
        f"no dataset is recognised here (the folder holds: {_some(names)})",
        where,
        "Looked for (each also with .gz or .zst):\n" + "\n".join(looked),
    )


def _near(path: Path) -> str:
    if not path.parent.is_dir():
        return f"The folder {shown(path.parent)} does not exist either"
    siblings = sorted(entry.name for entry in path.parent.iterdir())
    hint = did_you_mean(path.name, siblings[:20]) if siblings else ""
    return hint.partition("Allowed:")[0].strip() or f"There is: {_some(set(siblings))}"


def _some(names: set[str]) -> str:
    listed = sorted(names)
    return ", ".join(listed[:12]) + (", ..." if len(listed) > 12 else "") if listed else "nothing"
