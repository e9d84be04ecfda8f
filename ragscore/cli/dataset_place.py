"""Where a command finds a dataset: in its folder, or as an experiment names it, options and all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, overload

import typer

if TYPE_CHECKING:
    from ragscore.formats import DatasetSpec

EXPERIMENTS = (".yaml", ".yml")

DatasetPlace = Annotated[
    Path,
    typer.Argument(
        metavar="DATASET",
        help="A dataset's folder, or an experiment (YAML) whose dataset and options are used.",
    ),
]


def is_experiment(place: Path) -> bool:
    """Whether a path is that of an experiment's file, by its name."""
    return place.suffix.lower() in EXPERIMENTS and not place.is_dir()


@overload
def judgments_at(place: Path) -> Path | DatasetSpec: ...
@overload
def judgments_at(place: Path | None) -> Path | DatasetSpec | None: ...
def judgments_at(place: Path | None) -> Path | DatasetSpec | None:
    """The judgments that ``--qrels`` names: a file, a dataset's folder, or the dataset of an
    experiment's file.

    Raises:
        ConfigError: the file is no experiment, or has several datasets.
    """
    return place if place is None or not is_experiment(place) else dataset_at(place)


def dataset_at(place: Path) -> DatasetSpec:
    """The dataset in a folder, or that of an experiment's file: all of it, where a sample of its
    corpus is searched.

    Raises:
        ConfigError: the file is no experiment, or has several datasets.
    """
    from ragscore.formats import DatasetSpec

    if not is_experiment(place):
        return DatasetSpec(path=str(place))
    from ragscore.errors import ConfigError
    from ragscore.experiment import load_experiment

    first, *others = load_experiment(place, files=False).datasets
    if others:
        names = ", ".join(dataset.label for dataset in (first, *others))
        raise ConfigError(
            f"it names several datasets: {names}",
            where=str(place),
            instead="Name the folder of one of them",
        )
    return first if first.sample is None else first.changed(corpus=True)
