"""packed(value) -> text: JSON, compressed, as the page keeps it."""

from __future__ import annotations

import base64
import json
import zlib

LARGE = 1_000_000
"""More bytes than this are compressed at level 6: 1 % larger, and more than twice as quick."""


def packed(value: object) -> str:
    """A value as base64 of raw deflate of its JSON; the page's script unpacks it.

    Nothing of the value can end the element that it stands in: base64 has no ``<``.

    >>> unpacked(packed({"text": "</script>"}))
    {'text': '</script>'}
    """
    return base64.b64encode(deflated(value)).decode("ascii")


def unpacked(text: str) -> object:
    """What :func:`packed` was given."""
    return json.loads(zlib.decompress(base64.b64decode(text), -15).decode("utf-8", "surrogatepass"))


def deflated(value: object) -> bytes:
    """JSON of a value as raw deflate."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # A lone surrogate has no UTF-8; the browser shows its bytes as U+FFFD.
    text = written.encode("utf-8", "surrogatepass")
    squeeze = zlib.compressobj(6 if len(text) > LARGE else 9, zlib.DEFLATED, -15)
    return squeeze.compress(text) + squeeze.flush()


def base64_length(count: int) -> int:
    """How long that many bytes are in base64."""
    return (count + 2) // 3 * 4
