"""An entry of the cache exists whole or not at all, and one that is damaged is made again."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

import ragscore.cache as cache_module
from ragscore.cache import Cache, Opened, entry_key, open_or_make


def fill(folder: Path) -> None:
    (folder / "value").write_text("7", encoding="utf-8")


def value(folder: Path) -> int:
    return int((folder / "value").read_text(encoding="utf-8"))


def seven() -> int:
    return 7


def save(number: int, folder: Path) -> None:
    (folder / "value").write_text(str(number), encoding="utf-8")


def test_an_entry_is_written_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert cache.read("kind", "key", value) is None
    assert [open_or_make(cache, "kind", "key", seven, save, value) for _ in range(2)] == [
        Opened(7, reopened=False),
        Opened(7, reopened=True),
    ]
    assert cache.writes == 1


@pytest.mark.parametrize("damage", ["", "half", None])
def test_a_damaged_entry_is_made_again(tmp_path: Path, damage: str | None) -> None:
    cache = Cache(tmp_path)
    file = cache.entry("kind", "key", fill) / "value"
    if damage is None:
        file.unlink()
    else:
        file.write_text(damage, encoding="utf-8")
    assert open_or_make(cache, "kind", "key", seven, save, value) == Opened(7, reopened=False)
    assert cache.writes == 2
    assert [path.name for path in (tmp_path / "kind").iterdir()] == ["ke"]


def test_an_entry_that_is_never_readable_says_why(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        open_or_make(
            Cache(tmp_path),
            "kind",
            "key",
            seven,
            lambda number, folder: (folder / "value").touch(),
            value,
        )


@pytest.mark.parametrize("error", [MemoryError, ImportError, KeyboardInterrupt])
def test_what_is_not_the_entrys_fault_deletes_nothing(
    tmp_path: Path, error: type[BaseException]
) -> None:
    def read(folder: Path) -> int:
        raise error

    cache = Cache(tmp_path)
    cache.entry("kind", "key", fill)
    with pytest.raises(error):
        cache.read("kind", "key", read)
    assert cache.read("kind", "key", value) == 7


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("umask", [0o002, 0o022, 0o077])
def test_an_entry_has_the_permissions_that_the_umask_gives(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        folder = Cache(tmp_path).entry("kind", "key", fill)
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o777 & ~umask


def test_all_that_can_change_an_entry_changes_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {entry_key(1, ["a"], "d"), entry_key(2, ["a"], "d")}
    keys |= {entry_key(1, ["b"], "d"), entry_key(1, ["a"], "e")}
    monkeypatch.setattr(cache_module, "installed_version", lambda package: "9.9")
    assert len({*keys, entry_key(1, ["a"], "d")}) == 5
