"""Entries of the cache that machines share: each travels as one object, and nothing in it is
trusted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

import ragscore
from ragscore.cache import Cache, Opened, open_or_make
from ragscore.errors import ConfigError, DiskError
from ragscore.packed_entry import MAGIC, pack, unpack
from ragscore.seal import FILE_NAME, SEAL, DamagedError, seal
from ragscore.shared_store import SharedStore
from ragscore.spec import canonical_json, digest_text
from tests.factories.systems.s3_server import s3_bucket
from tests.factories.witness import Witness

fsspec = pytest.importorskip("fsspec")

KEY = "abcdef"
MADE: list[str] = []
"""What was made, by the folder of the cache that made it."""


@pytest.fixture(params=["file", "memory"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store on a file system of fsspec that nobody has used."""
    if request.param == "file":
        return f"file://{tmp_path / 'shared'}"
    return f"memory://{uuid4().hex}/ragscore"


@pytest.fixture(autouse=True)
def _made() -> None:
    MADE.clear()


def machine(tmp_path: Path, name: str, url: str) -> Cache:
    """The cache of a machine of its own, which shares a store."""
    return Cache(tmp_path / name, url)


def opened(cache: Cache, kind: str = "kind", progress: Witness | None = None) -> Opened[list[int]]:
    def make() -> list[int]:
        MADE.append(cache.root.name)
        return [1, 2, 3]

    def write(numbers: list[int], folder: Path) -> None:
        np.save(folder / "numbers.npy", np.array(numbers))
        (folder / "meta.json").write_text("{}", encoding="utf-8")

    def read(folder: Path) -> list[int]:
        assert (folder / "meta.json").read_text(encoding="utf-8") == "{}"
        found: list[int] = np.load(folder / "numbers.npy", allow_pickle=False).tolist()
        return found

    return open_or_make(cache, kind, KEY, make, write, read, progress=progress or Witness())


def objects(url: str) -> list[str]:
    system, root = fsspec.core.url_to_fs(url, skip_instance_cache=True)
    return sorted(system.find(root))


def change(url: str, content: bytes | None = None, keep: int | None = None) -> None:
    """Change the one object of a store, or keep its first bytes alone."""
    system, _ = fsspec.core.url_to_fs(url, skip_instance_cache=True)
    (path,) = objects(url)
    system.pipe_file(path, system.cat_file(path)[:keep] if content is None else content)


def test_what_one_machine_made_another_finds(tmp_path: Path, url: str) -> None:
    first, second = machine(tmp_path, "first", url), machine(tmp_path, "second", url)
    assert not second.has("kind", KEY)
    assert opened(first) == Opened([1, 2, 3], reopened=False)
    assert len(objects(url)) == 1
    assert second.has("kind", KEY)
    assert second.keys("kind", KEY[:3]) == [KEY]
    assert not (tmp_path / "second").exists()  # looking fetches nothing
    assert opened(second) == Opened([1, 2, 3], reopened=True)
    assert MADE == ["first"]
    assert second.writes == 0
    assert second.store is not None
    assert (second.store.fetched, second.store.written) == (1, 0)


def test_what_was_made_before_there_was_a_store_goes_there_when_it_is_used(
    tmp_path: Path, url: str
) -> None:
    opened(Cache(tmp_path / "first"))
    opened(machine(tmp_path, "first", url))
    assert opened(machine(tmp_path, "second", url)).reopened
    assert MADE == ["first"]


def test_many_entries_are_listed_and_fetched_at_once(tmp_path: Path, url: str) -> None:
    first, second = machine(tmp_path, "first", url), machine(tmp_path, "second", url)
    keys = [f"{number:02x}{number:04}" for number in range(40)]
    for key in keys:
        first.entry("kind", key, lambda folder: (folder / "x").touch())
    assert second.store is not None
    second.store.learn(["kind", "other"])
    first.delete("kind", keys[7])
    assert second.has("kind", keys[7])  # as it was listed
    second.fetch_all("kind", [*keys, "ff9999"])
    assert second.store.fetched == 39
    assert not second.has("kind", keys[7])
    assert [second.get("kind", key) is not None for key in keys] == [key != keys[7] for key in keys]


def content(url: str) -> dict[str, bytes]:
    """All that a store holds."""
    system, _ = fsspec.core.url_to_fs(url, skip_instance_cache=True)
    return {path: system.cat_file(path) for path in objects(url)}


LARGE = 10_000_000
"""Bytes of a file of an entry."""


def large(cache: Cache) -> None:
    """Keep an entry of a large file between small ones."""

    def write(folder: Path) -> None:
        for name, size in {"first": 3, "large": LARGE, "meta.json": 2, "other": 100_000}.items():
            (folder / name).write_bytes(b"\n" * size)

    cache.entry("kind", KEY, write)


def test_looking_changes_nothing_here_or_there(tmp_path: Path, url: str) -> None:
    large(machine(tmp_path, "first", url))
    before, looking = content(url), machine(tmp_path, "second", url)
    assert looking.store is not None

    def read(folder: Path) -> list[int]:
        return [path.stat().st_size for path in sorted(folder.iterdir()) if path.name != SEAL]

    for files, sizes in {
        ("first", "meta.json", "missing"): [3, 2],
        ("large",): [LARGE],
        None: [3, LARGE, 2, 100_000],
    }.items():
        assert looking.peek("kind", KEY, read, files=files) == sizes
    assert looking.peek("kind", "another", read) is None
    whole = content(url)
    assert whole == before
    (path,) = whole
    for damage in (
        whole[path].replace(b"\n" * 99, b"\r" * 99, 1),
        whole[path][:50],
        b"\n\n\n",
        b"",
    ):
        change(url, damage)
        assert machine(tmp_path, "second", url).peek("kind", KEY, read) is None
        assert content(url) == {path: damage}
    assert not looking.root.exists()
    assert (looking.writes, looking.store.fetched, looking.store.written) == (0, 0, 0)


def test_looking_reads_no_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fsspec.implementations.memory import MemoryFileSystem

    url = f"memory://{uuid4().hex}/ragscore"
    large(machine(tmp_path, "first", url))
    got: list[int] = []
    cat_file = MemoryFileSystem.cat_file

    def counted(self: object, *args: object, **options: object) -> bytes:
        found: bytes = cat_file(self, *args, **options)
        got.append(len(found))
        return found

    def refused(self: object, *args: object, **options: object) -> None:
        raise AssertionError("nothing but a part of an object is asked for")

    monkeypatch.setattr(MemoryFileSystem, "cat_file", counted)
    for other in ("get_file", "put_file", "pipe_file", "rm_file", "mv", "makedirs"):
        monkeypatch.setattr(MemoryFileSystem, other, refused)
    looking = machine(tmp_path, "second", url)
    assert looking.peek("kind", KEY, lambda folder: 1, files=("meta.json",)) == 1
    assert 0 < sum(got) < 200_000


@pytest.mark.parametrize("kind", ["answers", "costs", "files"])
def test_some_kinds_stay_on_their_machine(tmp_path: Path, kind: str) -> None:
    url = f"file://{tmp_path / 'shared'}"
    opened(machine(tmp_path, "first", url), kind)
    assert not objects(url)
    assert not opened(machine(tmp_path, "second", url), kind).reopened


@pytest.mark.parametrize("keep", [0, 5, 40, -1])
def test_a_truncated_object_is_noticed_and_made_again(tmp_path: Path, url: str, keep: int) -> None:
    opened(machine(tmp_path, "first", url))
    change(url, keep=keep)
    notes = Witness()
    assert not opened(machine(tmp_path, "second", url), progress=notes).reopened
    (note,) = notes.notes
    assert "damaged entry" in note
    assert url in note
    assert opened(machine(tmp_path, "third", url)).reopened
    assert MADE == ["first", "second"]


def test_a_flipped_bit_is_noticed(tmp_path: Path, url: str) -> None:
    opened(machine(tmp_path, "first", url))
    system, _ = fsspec.core.url_to_fs(url, skip_instance_cache=True)
    content = bytearray(system.cat_file(objects(url)[0]))
    content[-20] ^= 1
    change(url, bytes(content))
    assert not opened(machine(tmp_path, "second", url)).reopened


def test_an_object_in_anothers_place_is_noticed(tmp_path: Path, url: str) -> None:
    first = machine(tmp_path, "first", url)
    opened(first)
    opened(first, "other")
    first.entry("kind", "abc999", lambda folder: (folder / "x").touch())
    system, root = fsspec.core.url_to_fs(url, skip_instance_cache=True)
    system.cp_file(f"{root}/kind/ab/abc999", f"{root}/kind/ab/{KEY}")
    assert not opened(machine(tmp_path, "second", url)).reopened


def test_what_is_damaged_here_is_fetched_again(tmp_path: Path, url: str) -> None:
    first = machine(tmp_path, "first", url)
    opened(first)
    (tmp_path / "first" / "kind" / "ab" / KEY / "numbers.npy").write_bytes(b"x")
    notes = Witness()
    assert opened(machine(tmp_path, "first", url), progress=notes).reopened
    assert ["fetching it again from the shared store" in note for note in notes.notes] == [True]
    assert len(objects(url)) == 1


@pytest.mark.parametrize(
    "files",
    [
        {},
        [],
        "files",
        None,
        7,
        {"numbers.npy": 5},
        {"numbers.npy": [1, "x", 3]},
        {"../../numbers.npy": [1, "x"]},
        {"/etc/passwd": [1, "x"]},
        {"a\0b": [1, "x"]},
        "[" * 100_000,
    ],
    ids=range(11),
)
def test_a_seal_that_was_invented_is_noticed(tmp_path: Path, url: str, files: object) -> None:
    first = machine(tmp_path, "first", url)
    opened(first)
    folder = first.get("kind", KEY)
    assert folder is not None
    content = {"files": files, "digest": digest_text(canonical_json([KEY, files]))}
    deep = isinstance(files, str) and len(files) > 10
    (folder / SEAL).write_text(str(files) if deep else json.dumps(content), encoding="utf-8")
    pack(folder, tmp_path / "packed")
    change(url, (tmp_path / "packed").read_bytes())
    for cache in (machine(tmp_path, "second", url), Cache(first.root)):
        notes = Witness()
        assert not opened(cache, progress=notes).reopened
        assert all("damaged entry" in note for note in notes.notes)
        assert len(notes.notes) == 1
    assert MADE == ["first", "second", "first"]


def test_machines_that_write_one_entry_at_once_do_no_harm(tmp_path: Path, url: str) -> None:
    caches = [machine(tmp_path, str(number), url) for number in range(8)]
    start = threading.Barrier(len(caches))
    found: list[list[int]] = []

    def work(cache: Cache) -> None:
        start.wait()
        found.append(opened(cache).value)

    threads = [threading.Thread(target=work, args=(cache,)) for cache in caches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[1, 2, 3]] * len(caches)
    assert len(objects(url)) == 1
    assert opened(machine(tmp_path, "last", url)).reopened


def test_a_store_that_cannot_be_used_is_an_error_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DiskError, match=r"file: the store cannot be used: \w+Error"):
        Cache.usable(place=f"file://{tmp_path / 'file'}")
    with pytest.raises(DiskError, match="the store cannot be written") as caught:
        Cache.usable(place=str(tmp_path / "file"))
    assert str(caught.value).endswith("Fix that, or name another folder as store:")


def test_what_cannot_be_written_there_is_kept_here_and_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "shared"
    url = f"file://{place}"
    cache = machine(tmp_path, "first", url)
    place.touch()  # a file is in the way
    cache.store = SharedStore(url)
    monkeypatch.setattr(type(cache.store), "has", lambda store, kind, key, lately=False: False)
    assert not opened(cache).reopened
    assert cache.failure is None
    assert cache.store.failure is not None
    with pytest.raises(DiskError, match="an entry could not be written there") as caught:
        cache.store.put_left()
    assert "run the same command" in str(caught.value)
    monkeypatch.undo()
    place.unlink()
    cache.store.put_left()
    assert opened(machine(tmp_path, "second", url)).reopened
    assert MADE == ["first"]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("s3://key:hidden@bucket/x", r"'s3://bucket/x' holds more than a place"),
        ("memory://x?token=hidden", r"'memory://x' holds more than a place"),
        ("simplecache::s3://bucket", "is not a URL such as"),
        ("nosuch://bucket", "it cannot be opened: ValueError: Protocol not known: nosuch"),
        ("ab ://x", "is not a URL such as"),
    ],
)
def test_a_url_that_names_no_store_is_refused(tmp_path: Path, url: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        Cache(tmp_path, url)
    assert "hidden" not in str(caught.value)


def test_secrets_of_the_environment_are_in_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORE_SECRET_KEY", "s3cr3t-value")
    (tmp_path / "s3cr3t-value").touch()
    with pytest.raises(DiskError) as caught:
        SharedStore(f"file://{tmp_path}/s3cr3t-value").check()
    assert "${STORE_SECRET_KEY}" in caught.value.problems[0].what


def header(*files: object, content: bytes = b"") -> bytes:
    return MAGIC + json.dumps(files).encode() + b"\n" + content


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04",
        MAGIC,
        MAGIC + b"[" * 100_000 + b"\n",
        MAGIC + b"9" * 2_000_000 + b"\n",
        MAGIC + b"{}\n",
        MAGIC + b'[["a", NaN]]\n',
        header(["a", 5]),
        header(["a", 1], content=b"xx"),
        header(["a", -1]),
        header(["a", 0.0]),
        header(["a", True], content=b"x"),
        header(["a", 10**30]),
        header(["../a", 1], content=b"x"),
        header(["/a", 1], content=b"x"),
        header(["a/b", 1], content=b"x"),
        header(["..", 1], content=b"x"),
        header(["a\u0000", 1], content=b"x"),
        header(["a" * 300, 1], content=b"x"),
        header(["a", 1], ["A", 1], content=b"xx"),
        header("ab"),
        header(["a"]),
        header(*[[f"f{number}", 0] for number in range(5_000)]),
    ],
)
def test_nothing_in_an_object_is_trusted(tmp_path: Path, content: bytes) -> None:
    packed, folder = tmp_path / "packed", tmp_path / "below" / "folder"
    packed.write_bytes(content)
    folder.mkdir(parents=True)
    with pytest.raises(DamagedError):
        unpack(packed, folder)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["below", "folder", "packed"]


def test_a_folder_comes_back_as_it_was(tmp_path: Path) -> None:
    folder, back = tmp_path / "folder", tmp_path / "back"
    folder.mkdir()
    back.mkdir()
    files = {"a": b"", "b.npy": os.urandom(3_000_000), "digests.json": b"{}"}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    seal(folder, "x")
    pack(folder, tmp_path / "packed")
    unpack(tmp_path / "packed", back)
    assert {path.name: path.read_bytes() for path in back.iterdir()} == {
        path.name: path.read_bytes() for path in folder.iterdir()
    }


@pytest.mark.parametrize("name", ["..", ".x", "a/b", "a b", "ü", ""])
def test_names_that_lead_elsewhere_are_no_names(name: str) -> None:
    assert FILE_NAME.fullmatch(name) is None


def test_a_link_in_a_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a").symlink_to(__file__)
    with pytest.raises(OSError, match="link"):
        pack(tmp_path / "folder", tmp_path / "packed")


def test_without_a_url_fsspec_is_not_imported() -> None:
    program = (
        "import sys, ragscore, ragscore.cache; ragscore.Cache.at('x'); "
        "sys.exit('fsspec' in sys.modules)"
    )
    path = Path(ragscore.__file__).parent.parent
    subprocess.run([sys.executable, "-c", program], check=True, cwd=path)


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """A folder in a bucket of an S3-compatible server, where s3fs and moto are installed."""
    with s3_bucket() as url:
        yield f"{url}/ragscore"


@pytest.mark.slow
def test_an_s3_compatible_server_is_a_store(tmp_path: Path, bucket: str) -> None:
    cache = machine(tmp_path, "first", bucket)
    assert cache.store is not None
    cache.store.check()
    opened(cache)
    second = machine(tmp_path, "second", bucket)
    assert second.keys("kind", KEY[:2]) == [KEY]
    assert opened(second).reopened
    assert machine(tmp_path, "looking", bucket).peek(
        "kind", KEY, lambda folder: np.load(folder / "numbers.npy").tolist(), files=["numbers.npy"]
    ) == [1, 2, 3]
    change(bucket, keep=50)
    assert not opened(machine(tmp_path, "third", bucket)).reopened
    assert opened(machine(tmp_path, "fourth", bucket)).reopened
    second.delete("kind", KEY)
    assert not machine(tmp_path, "fifth", bucket).has("kind", KEY)


@pytest.mark.slow
def test_a_bucket_that_is_not_there_is_an_error_at_the_start(tmp_path: Path, bucket: str) -> None:
    with pytest.raises(DiskError, match="s3://nosuch/x: the store cannot be used"):
        Cache.usable(place="s3://nosuch/x")
