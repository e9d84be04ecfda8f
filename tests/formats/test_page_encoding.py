"""Pages of HTML in other encodings: read right, or refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore.errors import DataError
from ragscore.formats.datasets.texts import read_texts

KOREAN, WESTERN, JAPANESE = "월세는 다달이 첫날에 냅니다.", "Le café coûte 3 €.", "家賃は一日です。"
HTTP = '<meta http-equiv="Content-Type" content="text/html; charset={}">'
META = '<!-- <meta charset="koi8-r"> --><meta charset="{}">'


def text_of(folder: Path, page: bytes) -> str:
    (folder / "page.html").write_bytes(page)
    (text,) = read_texts(folder).texts
    return text


@pytest.mark.parametrize(
    ("declared", "text", "encoding"),
    [
        (META.format("euc-kr"), KOREAN, "cp949"),
        (META.format("ks_c_5601-1987"), "똠방각하 펲시콜라", "cp949"),
        (HTTP.format("EUC-KR"), KOREAN, "cp949"),
        ('<?xml version="1.0" encoding="euc-kr"?>', KOREAN, "cp949"),
        (META.format("iso-8859-1"), WESTERN, "cp1252"),
        (META.format("shift_jis"), JAPANESE, "cp932"),
        (META.format("iso-2022-jp"), JAPANESE, "iso2022_jp"),
        (META.format("utf-8"), KOREAN, "utf-8"),
        (META.format("euc-kr"), KOREAN, "utf-8"),
        (META.format("euc-kr"), KOREAN, "utf-8-sig"),
        ("", KOREAN, "utf-8"),
    ],
)
def test_a_page_is_read_as_it_is_encoded(
    declared: str, text: str, encoding: str, tmp_path: Path
) -> None:
    page = f"{declared}<title>t</title><p>{text}</p>".encode(encoding)
    assert text_of(tmp_path, page) == text


@pytest.mark.parametrize("declared", ["", META.format("utf-8"), META.format("x-unknown")])
def test_a_page_that_declares_something_else_is_refused_by_name(
    declared: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=r"page\.html:1: the byte 0xBF is not UTF-8") as refused:
        text_of(tmp_path, f"{declared}<p>{KOREAN}</p>".encode("cp949"))
    assert "looks like cp949" in str(refused.value)
