"""``ragscore view``: all results and their reports in a browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from ragscore.cli.options import Debug, Quiet
from ragscore.cli.streams import print_error, print_note, print_text
from ragscore.errors import ConfigError
from ragscore.messages import _
from ragscore.names import Language

PORT = 8765
"""Tried first, so that the address stays the same from day to day."""


def main(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder that holds results.")
    ] = Path("results"),
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            metavar="N",
            min=0,
            max=65535,
            help=f"Port to listen on. [default: {PORT}, or any free one]",
        ),
    ] = None,
    language: Annotated[
        Language,
        typer.Option("--language", help="Language of the index page; each report keeps its own."),
    ] = "en",
    no_open: Annotated[bool, typer.Option("--no-open", help="Don't open a browser.")] = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Serve a page of all results under DIR, over time and with their reports.

    Nothing is written, and only this machine can open the page. Ctrl-C stops the server.
    """
    from ragscore.report.index.serve import ViewServer, free_server

    if port is None:
        server = free_server(folder, language, port=PORT, log=print_note)
    else:
        try:
            server = ViewServer(folder, port, language, log=print_note)
        except OSError as error:
            raise ConfigError(
                f"port {port} cannot be used: {error.strerror or error}",
                where="--port",
                instead="Name another port, or leave --port out: a free one is taken",
            ) from error
    with server:
        print_text(server.url, flush=True)
        if not quiet and not server.finder.results():
            print_note(
                _(
                    "{folder} holds no results yet: `ragscore run` makes one",
                    folder=str(folder),
                ),
                language,
            )
        if not quiet:
            print_error(_("Ctrl-C ends it.").text(language))
        if not no_open:
            _open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            # This is how it is meant to end.
            return


def _open(url: str) -> None:
    """Open a browser with a window; one in the terminal would hold this process up."""
    import webbrowser

    windows = sys.platform in ("win32", "darwin")
    if windows or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(url)
