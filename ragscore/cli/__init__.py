"""The command line: parses flags, prints, and turns errors into exit codes. Nothing else does.

Data goes to stdout; progress, notes and errors to stderr. Exit codes: 0 fine, 2 usage or
config, 3 data, 4 a retriever failed, 5 a gate failed (or a baseline would be lowered), 6 a gate is
undecided, 130 interrupted, 143 ended by SIGTERM, 1 anything else (and ``reconcile`` where nothing
matches, ``check`` where it found something).

Modules here import nothing heavy at the top (a test holds that), so that ``--help`` is quick.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from typer.main import get_command

from ragscore import __version__
from ragscore.cli import (
    anchor,
    baseline,
    changes,
    check,
    compare,
    convert,
    demo,
    explain,
    gate,
    init,
    listing,
    migrate,
    power,
    reconcile,
    reduce,
    report,
    run,
    schema,
    score,
    show,
    stage,
    tune,
    validate,
    view,
)
from ragscore.cli.options import Flags
from ragscore.cli.streams import print_error, print_text

COMMANDS: dict[str, Callable[..., None]] = {
    "run": run.main,
    "stage": stage.main,
    "reduce": reduce.main,
    "validate": validate.main,
    "check": check.main,
    "report": report.main,
    "show": show.main,
    "view": view.main,
    "score": score.main,
    "compare": compare.main,
    "changes": changes.main,
    "tune": tune.main,
    "power": power.main,
    "gate": gate.main,
    "baseline": baseline.main,
    "schema": schema.main,
    "list": listing.main,
    "explain": explain.main,
    "reconcile": reconcile.main,
    "anchor": anchor.main,
    "migrate": migrate.main,
    "convert": convert.main,
    "init": init.main,
    "demo": demo.main,
}

INTERRUPTED, TERMINATED = 130, 143
NEW_OBJECTS = 250_000
"""Python looks for unreachable cycles each time this many objects are new. With its default of 700
that takes a fifth of a short command, which looks at everything that imports made many times."""


def _print_version(wanted: bool) -> None:
    if wanted:
        print_text(f"ragscore {__version__}")
        raise typer.Exit


def about(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Compare retrievers on your own passages and questions: one YAML file in, scores out."""


def app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The program with these commands; all of them by default."""
    typed = typer.Typer(
        # Importing rich for the help would take longer than everything else together.
        rich_markup_mode=None,
        add_completion=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    typed.callback()(about)
    for name in names:
        typed.command(name)(COMMANDS[name])
    return typed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        arguments: the command line without the program; by default the process's own.
    """
    flags = Flags()
    if arguments is None:  # the process is this command's own
        gc.set_threshold(NEW_OBJECTS)
        atexit.register(gc.freeze)  # leaves the last collection, at the end, nothing to look at
        with suppress(ValueError):  # in a thread, nobody may
            signal.signal(signal.SIGTERM, partial(_end_as_by_ctrl_c, flags))
    _prepare_streams()
    try:
        named = next(iter(sys.argv[1:] if arguments is None else arguments), "")
        # Reading the signatures of all commands takes longer than some of them run.
        program = app([named]) if named in COMMANDS else app()
        code = get_command(program).main(
            args=arguments, prog_name="ragscore", standalone_mode=False, obj=flags
        )
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        return _end_quietly()
    except SystemExit as ended:
        # What typer makes of a broken pipe in the middle of a print.
        if isinstance(ended.__context__, BrokenPipeError):
            return _end_quietly()
        raise
    except Exception as error:
        if _is_stdouts(error):
            return _end_without_stdout(error)
        return _report(error, flags)
    if code == INTERRUPTED:
        code = TERMINATED if flags.terminated else code
        print_error(f"ragscore: {'terminated' if flags.terminated else 'interrupted'}")
    return code if isinstance(code, int) else 0


def _end_as_by_ctrl_c(flags: Flags, number: int, frame: FrameType | None) -> None:
    """SIGTERM ends what Ctrl-C ends, in the same order: programs that were started, what is being
    written, the note on how to go on. A second one ends the process at once."""
    flags.terminated = True
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):  # it runs in the background
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def _prepare_streams() -> None:
    """Write UTF-8 to files and pipes, and never fail on a character a terminal lacks."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # Under pytest's capture and in some IDEs a stream is not a TextIOWrapper.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            encoding = None if stream.isatty() else "utf-8"
            reconfigure(encoding=encoding, errors="backslashreplace")


def _end_quietly() -> int:
    """The reader of stdout has gone, as ``head`` does: nothing to say, nowhere to say it."""
    # Python flushes stdout once more when it ends; let that go nowhere.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _is_stdouts(error: Exception) -> bool:
    """Whether it is a stream that could not be written: for a file, a DiskError names it."""
    from ragscore.disk import FULL

    return isinstance(error, OSError) and error.filename is None and error.errno in FULL


def _end_without_stdout(error: Exception) -> int:
    reason = getattr(error, "strerror", error)
    print_error(
        f"stdout cannot be written: {reason}. Folders that the command wrote are complete. "
        "Make room there, or send the output elsewhere"
    )
    _end_quietly()
    return 1


def _report(error: Exception, flags: Flags) -> int:
    """Say what went wrong on stderr, and the exit code for it."""
    from ragscore.errors import RagscoreError

    if flags.debug:
        import traceback

        print_error(traceback.format_exc().rstrip("\n"))
    if isinstance(error, typer.TyperException):
        # typer checks choices by pydantic, and passes on how pydantic begins its messages.
        error.message = error.message.removeprefix("Value error, ")
        show = getattr(error, "show", None)
        if show is not None:
            show()
        else:
            print_error(f"ragscore: {error}")
        return error.exit_code
    if isinstance(error, RagscoreError):
        print_error(error)
        return error.exit_code
    first = next(iter(str(error).splitlines()), "")
    if isinstance(error, OSError) and error.filename is not None:
        print_error(f"{error.filename}: {error.strerror}")
    elif isinstance(error, OSError):
        print_error(f"ragscore: {error.strerror or first}")
    elif not flags.debug:
        message = f"{type(error).__name__}: {first}" if first else type(error).__name__
        print_error(f"ragscore: {message} (unexpected; --debug shows where)")
    return 1
