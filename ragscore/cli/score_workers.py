"""Who reads the parts of a run, as the flags of ``ragscore score`` say it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ragscore.cache import Cache
from ragscore.errors import ConfigError
from ragscore.executors import Executor, ExecutorSpec, Local
from ragscore.spec import Spec


@dataclass(frozen=True)
class PartReaders:
    """Workers that read the parts of a run.

    Attributes:
        executor: whose they are.
        cache: where they put what they find; None if nothing is kept.
    """

    executor: ExecutorSpec
    cache: Cache | None


class _Flag(Spec):
    """What ``--executor`` gives, as an experiment has it."""

    executor: Executor


def part_readers(workers: int | None, executor: str | None, store: str | None) -> PartReaders:
    """The workers that flags name, at least one of ``workers`` and ``executor``.

    Raises:
        ConfigError: both are given, or there is no such executor.
        MissingPackageError: an extra is not installed that it needs.
    """
    if workers is not None and executor is not None:
        raise ConfigError(
            "--workers and --executor both say who reads the parts",
            instead="Leave one of them out",
        )
    spec = Local(processes=workers) if executor is None else _executor_of(executor)
    if store is None and isinstance(spec, Local):
        return PartReaders(spec, None)
    return PartReaders(spec, Cache.usable(place=store))


def _executor_of(text: str) -> ExecutorSpec:
    from ragscore.experiment.config.overrides import flag_value
    from ragscore.validation.findings import from_options

    given = flag_value("--executor", text)
    try:
        return from_options(_Flag, {"executor": given}).executor
    except ConfigError as error:
        problems = [replace(problem, where=f"--{problem.where}") for problem in error.problems]
        raise ConfigError(problems) from None
