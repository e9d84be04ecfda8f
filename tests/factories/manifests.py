"""Manifests of result folders, edited as an attacker or an accident would."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from ragscore.results.manifest_file import sealed


def resealed(folder: Path, *files: str, **changes: Any) -> None:
    """Give the manifest other values, and the digests that these files have now, so that all
    of the folder fits together."""
    path = folder / "manifest.json"
    manifest = {**json.loads(path.read_text(encoding="utf-8")), **changes}
    for name in files:
        content = (folder / name).read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        manifest["files"][name] = {"bytes": len(content), "sha256": digest}
    write_manifest(folder, manifest)


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write a manifest with its digest, as a run does."""
    text = json.dumps(sealed(manifest), ensure_ascii=False)
    (folder / "manifest.json").write_text(text, encoding="utf-8")
