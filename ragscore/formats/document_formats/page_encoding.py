"""The encoding of an HTML page: what its bytes show, what it declares, else what the dataset says.

Labels mean what they mean to browsers (WHATWG, Encoding, 4.2): ``euc-kr`` is cp949, and
``iso-8859-1`` is cp1252.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from ragscore.formats.reading.encodings import MARKS

HEAD_BYTES: Final = 1 << 12
"""Bytes in which a page is searched for what it declares; the standard asks for 1,024."""
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_DECLARED = re.compile(
    rb"""<meta\s[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)|\A\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)""",
    re.IGNORECASE,
)
_MEANT: Final = {
    **dict.fromkeys(
        ("euc-kr", "ks_c_5601-1987", "ks_c_5601-1989", "ksc5601", "ksc_5601", "korean"), "cp949"
    ),
    **dict.fromkeys(("windows-949", "x-windows-949", "uhc", "ms949"), "cp949"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j"), "cp932"),
    **dict.fromkeys(("gb2312", "gb_2312-80", "gbk", "x-gbk", "chinese"), "gb18030"),
    **dict.fromkeys(("big5", "big5-hkscs", "x-x-big5"), "big5hkscs"),
    **dict.fromkeys(("iso-8859-1", "latin1", "l1", "us-ascii", "ascii"), "cp1252"),
    **dict.fromkeys(("iso-8859-9", "latin5", "l5"), "cp1254"),
    **dict.fromkeys(("tis-620", "iso-8859-11"), "cp874"),
}
_KNOWN = re.compile(
    r"(?:utf-8|cp\d+|iso8859-\d+|koi8-[ru]|mac-\w+|euc_jp|iso2022_\w+|hz|gb18030|big5\w*)\Z"
)
"""Python's names of what pages may declare; the rest are not for texts, or are never meant."""


def page_encoding(page: bytes, default: str | None) -> str | None:
    """The encoding of a page.

    A byte-order mark decides. Else what is valid UTF-8 beyond ASCII is UTF-8, whatever the page
    declares, as when somebody saved it again. Else what it declares holds where all of its bytes
    are of that encoding.

    Args:
        page: all of it.
        default: what holds where nothing else does; its errors are the reader's to report.

    >>> page = '<meta charset="euc-kr"><p>월세</p>'
    >>> page_encoding(page.encode("cp949"), "utf-8"), page_encoding(page.encode(), "cp949")
    ('cp949', 'utf-8')
    """
    if page.startswith(tuple(MARKS)):
        return default
    if not page.isascii() and _decodes(page, "utf-8"):
        return "utf-8"
    declared = _DECLARED.search(_COMMENT.sub(b"", page[:HEAD_BYTES]))
    if declared is None:
        return default
    label = (declared[1] or declared[2]).decode("ascii", "replace").lower()
    try:
        name = codecs.lookup(_MEANT.get(label, label)).name
    except LookupError:
        return default
    return name if _KNOWN.match(name) and _decodes(page, name) else default


def _decodes(page: bytes, encoding: str) -> bool:
    try:
        page.decode(encoding)
    except UnicodeError:
        return False
    return True
