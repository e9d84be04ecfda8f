"""Every error that ragscore raises on purpose.

::

    RagscoreError                 exit 1   base of all; anything unforeseen
    ├── ConfigError               exit 2   the experiment file, an option, a name
    │   ├── MeasureError          exit 2   a measure that cannot be parsed or computed here
    │   └── MissingPackageError   exit 2   an optional package is needed; names the install line
    ├── DiskError                 exit 1   a disk is full or over quota, a folder is not writable
    ├── DataError                 exit 3   a dataset, a run file, ids that do not fit together
    └── RetrieverError            exit 4   a retriever failed or returned something impossible

    GATE_FAILED               exit 5   no error: a gate failed, or a baseline would be lowered
    GATE_UNDECIDED            exit 6   no error: the queries of a gate cannot decide

An error holds one or more :class:`Problem`: *where*, *what*, and *what instead*. The message
is the problems, one to a line, so that printing the exception is always enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import ClassVar

GATE_FAILED, GATE_UNDECIDED = 5, 6
"""What ``ragscore gate`` returns beside 0; both are found, so no error is raised for them."""
MAX_PROBLEMS = 20
"""How many problems of a dataset, a result or rows of Python are shown at once."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        what: what was found, in one clause.
        where: file, ``file:line`` or ``file:line:column``, a config path or a name; may be empty.
        instead: what to write or do instead; may be empty.
        excerpt: the offending line of the file with a caret line under it; may be empty.
    """

    what: str
    where: str = ""
    instead: str = ""
    excerpt: str = ""

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        if self.instead:
            text = f"{text.rstrip('.')}. {self.instead}"
        return f"{text}\n{self.excerpt}" if self.excerpt else text


class RagscoreError(Exception):
    """Base of every error in this module; ``exit_code`` is what the command line returns."""

    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        what: str | Problem | Iterable[Problem],
        *,
        where: str = "",
        instead: str = "",
    ) -> None:
        if isinstance(what, str):
            what = Problem(what, where=where, instead=instead)
        self.problems: tuple[Problem, ...] = (what,) if isinstance(what, Problem) else tuple(what)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def add_hint(self, hint: str) -> None:
        """Say one more thing to do, behind the last problem; ``hint`` is a sentence."""
        *others, last = self.problems
        instead = f"{last.instead.rstrip('.')}. {hint}" if last.instead else hint
        self.problems = (*others, replace(last, instead=instead))
        self.args = ("\n".join(str(problem) for problem in self.problems),)


class ConfigError(RagscoreError):
    """The experiment file, a command-line option or a name in either is wrong."""

    exit_code = 2


class MeasureError(ConfigError):
    """A measure cannot be parsed, or cannot be computed from what is there."""


class MissingPackageError(ConfigError):
    """An optional package is needed."""

    def __init__(self, package: str, needed_for: str, extra: str = "") -> None:
        install = f"pip install {package}"
        if extra:
            install = (
                f"pip install 'ragscore-eval[{extra}]', "
                f"or in a clone: pip install -c constraints.txt -e '.[{extra}]'"
            )
        super().__init__(
            f"{needed_for} needs the package {package}, which is not installed",
            instead=f"Install it with: {install}",
        )


class DiskError(RagscoreError):
    """Something cannot be written: the disk or a quota is full, or writing is not allowed.

    The message names the folder, what was kept, and what to do.
    """


class DataError(RagscoreError):
    """A dataset or run is broken, or two of them do not belong together."""

    exit_code = 3


class RetrieverError(RagscoreError):
    """A retriever raised, or returned something that cannot be a ranking.

    Attributes:
        retriever: the name it has in the experiment.
    """

    exit_code = 4

    def __init__(self, what: str, *, retriever: str, query: str = "", instead: str = "") -> None:
        self.retriever = retriever
        where = f"retriever '{retriever}'" + (f", query '{query}'" if query else "")
        super().__init__(what, where=where, instead=instead)


def did_you_mean(found: str, allowed: Iterable[str], also: Iterable[str] = ()) -> str:
    """Say the nearest spelling, if one is near, and all that is allowed.

    >>> did_you_mean("k", ["k1", "b"])
    "Did you mean 'k1'? Allowed: k1, b"

    Args:
        found: what was written.
        allowed: what may stand there.
        also: other names of these, which are understood and not listed.
    """
    choices = list(allowed)
    by_lower = {choice.lower(): choice for choice in (*also, *choices)}
    near = get_close_matches(found.lower(), by_lower, n=1, cutoff=0.6)
    hint = f"Did you mean '{by_lower[near[0]]}'? " if near else ""
    return f"{hint}Allowed: {', '.join(choices)}"


def unknown_name(kind: str, name: str, known: Iterable[str], where: str = "") -> Problem:
    """The problem that no retriever, dataset or the like has a name.

    >>> print(unknown_name("retriever", "bm52", ["bm25"], "--only"))
    --only: no retriever is named 'bm52'. Did you mean 'bm25'? Allowed: bm25
    """
    return Problem(f"no {kind} is named '{name}'", where, did_you_mean(name, known))


def message_of(error: BaseException) -> str:
    """What an error says of itself; empty if foreign code fails at that too."""
    try:
        return str(error)
    except Exception:
        return ""
