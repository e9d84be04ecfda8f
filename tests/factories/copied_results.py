"""Results copied and changed, their manifests sealed again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.factories.manifests import resealed, write_manifest


def copied(original: Path, to: Path, **manifest: Any) -> Path:
    """A copy of a result, with another manifest."""
    shutil.copytree(original, to)
    resealed(to, **manifest)
    return to


def changed(path: Path, change: Callable[[Any], None]) -> None:
    """A JSON file of a result, edited; the manifest has its new digest."""
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    if path.name == "manifest.json":
        write_manifest(path.parent, value)
    else:
        path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
        resealed(path.parent, path.name)
