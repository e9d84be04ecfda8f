"""Encodings of text files: byte-order marks, other encodings as UTF-8, and which one it may be."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

BOM = codecs.BOM_UTF8
MARKS = {
    BOM: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
MAX_MARK = max(map(len, MARKS))
SAMPLE_BYTES = 1 << 16
COMMON_SHARE = 0.8
LATIN_LETTERS = range(0xC0, 0x180)
WESTERN_SIGNS = frozenset("«»°§£©®·€…" + "\u2013\u2014\u2018\u2019\u201c\u201d\u2022")


def without_mark(chunks: Iterator[bytes], encoding: str) -> tuple[str, Iterator[bytes]]:
    """The encoding of some bytes, and the bytes without their byte-order mark.

    Args:
        chunks: a file from its beginning.
        encoding: what holds where the file has no mark.
    """
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= MAX_MARK:
            break
    for mark, marked in MARKS.items():
        if head.startswith(mark):
            return marked, chain([head[len(mark) :]], chunks)
    return encoding, chain([head], chunks)


def transcoded(chunks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """The same text in UTF-8.

    Raises:
        UnicodeDecodeError: a byte is not of that encoding; what stands before it was yielded,
            and its ``reason`` is the encoding that the bytes look like, or empty.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    for chunk in chain(filter(None, chunks), [b""]):
        try:
            yield decoder.decode(chunk, final=not chunk).encode()
        except UnicodeDecodeError as error:
            good = error.object[: error.start].decode(encoding)
            yield good.encode()
            line = error.object.rfind(b"\n", 0, error.start) + 1
            error.reason = looks_like(error.object[line:], but=encoding)
            raise


def looks_like(data: bytes, *, but: str) -> str:
    """The encoding that some lines seem to be in: utf-8, cp949, cp1252, or nothing.

    >>> looks_like("임대료는 언제 내야 하나요?".encode("cp949"), but="utf-8")
    'cp949'
    >>> looks_like("café".encode("latin-1"), but="utf-8")
    'cp1252'
    """
    sample = data[:SAMPLE_BYTES]
    if len(data) > SAMPLE_BYTES and b"\n" in sample:
        sample = sample.rpartition(b"\n")[0]
    for encoding, fits in (("utf-8", bool), ("cp949", _is_korean), ("cp1252", _is_western)):
        with suppress(UnicodeDecodeError):
            other = [character for character in sample.decode(encoding) if ord(character) > 127]
            if encoding != but and other and fits("".join(other)):
                return encoding
    return ""


def _is_korean(text: str) -> bool:
    """Mostly the syllables that Korean uses: cp949 gives other syllables to most Latin text."""
    common = sum("가" <= character <= "힣" and _is_common(character) for character in text)
    return common >= COMMON_SHARE * len(text)


def _is_common(syllable: str) -> bool:
    with suppress(UnicodeEncodeError):
        return bool(syllable.encode("euc_kr"))
    return False


def _is_western(text: str) -> bool:
    others = (character for character in text if ord(character) not in LATIN_LETTERS)
    return all(character in WESTERN_SIGNS for character in others)
