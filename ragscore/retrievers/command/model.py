"""A program that is asked by lines of JSON."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Literal, Self

from pydantic import PositiveInt

from ragscore.cache import Cache
from ragscore.dataset import Corpus
from ragscore.errors import Problem, RetrieverError
from ragscore.files import expanded
from ragscore.outside.secrets import Secrets, is_secret, unset_variables
from ragscore.progress import Progress
from ragscore.retrievers.calls import CallOptions
from ragscore.retrievers.calls.asked_retriever import AskedRetriever
from ragscore.retrievers.command.command_index import CommandIndex
from ragscore.retrievers.command.options import ProgramOptions
from ragscore.retrievers.command.program import program_of
from ragscore.seal import fingerprint_file
from ragscore.spec import canonical_json


class Command(ProgramOptions, AskedRetriever):
    """A program in any language: a line of JSON in for each query, a line of JSON out.

    It reads ``{"id": "q1", "query": "...", "k": 10}``, with ``metadata`` where the query has some,
    and writes ``{"id": "q1", "ids": ["p1", "p2"], "scores": [3.2, 1.4]}``, or ``{"id": "q1",
    "error": "..."}``, in any order. Whoever runs an experiment with this kind in it trusts the
    program like a script.

    >>> Command(command=["node", "search.js"]).concurrency
    1
    """

    kind: Literal["command"] = "command"
    concurrency: PositiveInt = 1
    """How many queries it is given before it has answered the first of them."""

    def resolved(self, base: Path) -> Self:
        """The same description with the folder and the log absolute."""
        made = super().resolved(base)
        update: dict[str, object] = {"folder": str(base / expanded(self.folder or "."))}
        if self.log is not None:
            update["log"] = str(base / expanded(self.log))
        return made.model_copy(update=update)

    def content(self) -> dict[str, object]:
        """What a key digests: the program and its arguments, not where it runs nor how quickly."""
        left_out = {"folder", "log", "start", *CallOptions.model_fields}
        return self.model_dump(mode="json", exclude=left_out)

    def answers_depend_on(self) -> dict[str, object]:
        """Also on where it runs, on the files that the command names, and on variables of the
        environment, but for secrets: with a new key, the same program goes on answering."""
        content = {**self.content(), "folder": self.folder}
        program, *arguments = self.command
        paths = [program_of(program, self.folder), *arguments]
        env = {name: value for name, value in self.env.items() if not is_secret(name)}
        variables = Secrets.named_in(env).digest(canonical_json(content))
        files = [fingerprint_file(Path(self.folder or ".") / path) for path in paths]
        return {**content, "files": files, "variables": variables}

    def check(self) -> list[Problem]:
        """Also that the program and the folder are there, and what ``${NAME}`` stands for."""
        problems = [*super().check(), *unset_variables(self.env, "env")]
        if self.folder is not None and not Path(self.folder).is_dir():
            return [*problems, Problem(f"no such folder: {self.folder}", "folder", "Make it")]
        program = program_of(self.command[0], self.folder)
        if shutil.which(program) is None:
            there = Path(program).is_file()
            what = "cannot be executed" if there else "is not there"
            instead = (
                f"Make it executable, or name its interpreter: [sh, {self.command[0]}]"
                if there and os.name == "posix"
                else "Install it, or write its path from the folder, such as ./search"
            )
            problems.append(Problem(f"the program {self.command[0]} {what}", "command", instead))
        return problems

    def open_index(
        self, corpus: Corpus, cache: Cache | None, *, name: str, strict: bool, progress: Progress
    ) -> CommandIndex:
        """Ready to ask; nothing is started yet.

        Raises:
            RetrieverError: the program or a variable of the environment is not there.
        """
        for problem in self.check():
            raise RetrieverError(problem.what, retriever=name, instead=problem.instead)
        return CommandIndex(self, corpus, self, name=name, strict=strict, progress=progress)
