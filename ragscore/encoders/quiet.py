"""Keeping the model libraries' own bars, logs and warnings off the terminal."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock
from typing import Any

LOGGERS = ("sentence_transformers", "transformers", "huggingface_hub")

_lock = Lock()
_silenced = ExitStack()
_inside = 0


@contextmanager
def quiet() -> Iterator[None]:
    """Nothing of these libraries is shown inside.

    What they show is set for the whole process, and several threads may encode at once: the first
    that comes in silences them, and the last that goes out sets all back.
    """
    global _inside
    with _lock:
        if not _inside:
            _silenced.enter_context(_silence())
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _silenced.close()


@contextmanager
def _silence() -> Iterator[None]:
    from huggingface_hub import utils
    from transformers.utils import logging as transformers_logging

    hub: Any = utils
    bars: Any = transformers_logging
    loggers = [logging.getLogger(name) for name in LOGGERS]
    levels = [logger.level for logger in loggers]
    hub_shows, library_shows = not hub.are_progress_bars_disabled(), bars.is_progress_bar_enabled()
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        bars.disable_progress_bar()
        hub.disable_progress_bars()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        if library_shows:
            bars.enable_progress_bar()
        (hub.enable_progress_bars if hub_shows else hub.disable_progress_bars)()
