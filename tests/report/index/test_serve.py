"""The server of the index: real requests, nothing but what is listed."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from ragscore.report.index import serve
from ragscore.report.index.finder import FoundResult
from ragscore.report.index.serve import MAX_CONNECTIONS, ViewServer
from tests.factories.damaged_parquet import damaged, passages
from tests.factories.index_page import Page
from tests.factories.manifests import resealed


@pytest.fixture
def server(top: Path) -> Iterator[ViewServer]:
    """A server in a thread of its own, at a free port."""
    with ViewServer(top, 0, "en") as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(
    server: ViewServer, path: str, method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
    finally:
        connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body


def named(server: ViewServer, place: str) -> FoundResult:
    return next(one for one in server.finder.results() if one.place == place)


def everything(top: Path) -> dict[str, tuple[int, int]]:
    """Every file and folder with its length and time."""
    stats = {path: path.stat() for path in [top, *top.rglob("*")]}
    return {str(path): (stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}


def test_the_index_is_served_with_its_policy(server: ViewServer, top: Path) -> None:
    status, headers, body = ask(server, "/")
    assert status == 200
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["content-length"] == str(len(body))
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in headers["content-security-policy"]
    shutil.rmtree(top / "deep")
    assert b"solo" in body
    assert b"solo" not in ask(server, "/")[2]


def test_every_link_of_the_index_is_answered_and_nothing_is_written(
    server: ViewServer, top: Path
) -> None:
    before = everything(top)
    links = {link.partition("#")[0] for link in Page(ask(server, "/")[2].decode()).links}
    links -= {""}
    assert len(links) == 6
    for link in links:
        status, headers, body = ask(server, link)
        assert (status, link) == (200, link)
        assert headers["content-type"] == "text/html; charset=utf-8"
        page = Page(body.decode("utf-8"))
        assert page.of("article")
        sections = {one.get("data-section") for one in page.of("section")}
        assert ("changes" in sections) == ("/since/" in link)
    assert everything(top) == before


def test_a_report_is_let_run_by_the_header_too(server: ViewServer) -> None:
    place = f"/r/{named(server, 'tenancy/20261105').id}/report.html"
    _, headers, body = ask(server, place)
    text = body.decode("utf-8")
    (meta,) = [one for one in Page(text).of("meta") if one.get("http-equiv")]
    script = re.search(r"script-src ('sha256-[^']+')", str(meta["content"]))
    assert script is not None
    assert f"script-src {script[1]};" in headers["content-security-policy"]
    assert "script-src 'unsafe" not in headers["content-security-policy"]


def test_a_report_that_stands_in_the_folder_is_never_served(server: ViewServer) -> None:
    """It may be anybody's, and its script may be ours: here it sends the reader elsewhere."""
    one = named(server, "tenancy/20261105")
    place, file = f"/r/{one.id}/report.html", one.folder / "report.html"
    ours = ask(server, place)[2].decode("utf-8")
    forged = ours.replace(
        "<head>", '<head><meta http-equiv="refresh" content="0; url=https://evil.example/">'
    )
    assert forged != ours
    file.write_text(forged, encoding="utf-8", newline="\n")
    os.utime(file, (time.time() + 60,) * 2)
    assert ask(server, place)[2].decode("utf-8") == ours


@pytest.mark.parametrize(
    "place",
    [
        "/r/{id}/report/../manifest.json",
        "/r/{id}/report/%2e%2e/manifest.json",
        "/r/{id}/report/..%2fmanifest.json",
        "/r/{id}/report/..%5cmanifest.json",
        "/r/{id}/report//etc/passwd",
        "/r/{id}/report/%2fetc%2fpasswd",
        "/r/{id}/report/C:%5cWindows%5cwin.ini",
        "/r/{id}/report/x%00.md",
        "/r/{id}/manifest.json",
        "/r/{id}/",
        "/r/../../report.html",
        "/r/tenancy/20261105/report.html",
        "/r/000000000000/report.html",
        "/r/{id}/since/000000000000/report.html",
        "/manifest.json",
        "/..%2f..%2fetc/passwd",
        "/etc/passwd",
        "/favicon.ico",
    ],
)
def test_only_what_is_listed_is_served(server: ViewServer, place: str) -> None:
    one = named(server, "tenancy/20261105")
    (one.folder / "report").mkdir()
    (one.folder / "report" / "report.md").write_text("here", encoding="utf-8")
    assert ask(server, place.format(id=one.id))[0] == 404


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_in_place_of_the_report_folder_is_not_walked(server: ViewServer) -> None:
    one = named(server, "tenancy/20261105")
    (one.folder / "report").symlink_to("/", target_is_directory=True)
    assert ask(server, f"/r/{one.id}/report/etc/passwd.md")[0] == 404
    assert ask(server, f"/r/{one.id}/report.html")[0] == 200


def test_a_damaged_result_says_why(server: ViewServer) -> None:
    status, headers, body = ask(server, f"/r/{named(server, 'tenancy/broken').id}/report.html")
    assert status == 500
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert b"scores.parquet: the file is missing" in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_it_is_read_only(server: ViewServer, method: str, top: Path) -> None:
    before = everything(top)
    status, headers, _ = ask(server, "/", method)
    assert (status, headers["allow"]) == (405, "GET, HEAD")
    assert everything(top) == before


def test_head_is_get_without_the_body(server: ViewServer) -> None:
    for path in ("/", "/nothing", f"/r/{named(server, 'tenancy/20261105').id}/report.html"):
        get, head = ask(server, path), ask(server, path, "HEAD")
        for one in (get, head):
            del one[1]["date"]
        assert (head[0], head[1], head[2]) == (get[0], get[1], b"")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:{port}", 200),
        ("localhost:{port}", 200),
        ("evil.example", 403),
        ("evil.example:{port}", 403),
        ("127.0.0.1", 403),
        ("localhost:1", 403),
        ("localhost:{port}.evil.example", 403),
        ("", 403),
    ],
)
def test_only_its_own_name_is_answered(server: ViewServer, host: str, status: int) -> None:
    host = host.format(port=server.server_port)
    got, _, body = ask(server, "/", Host=host)
    assert got == status
    assert (b"tenancy" in body) == (status == 200)


def test_two_names_or_none_are_refused(server: ViewServer) -> None:
    own = f"Host: 127.0.0.1:{server.server_port}\r\n"
    for hosts in ("", own + "Host: evil.example\r\n"):
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as sent:
            sent.sendall(f"GET / HTTP/1.1\r\n{hosts}\r\n".encode())
            assert sent.makefile("rb").readline().split()[1] == b"403"


def test_it_listens_on_this_machine_alone(server: ViewServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_a_run_that_is_damaged_inside_is_told(top: Path, server: ViewServer) -> None:
    """Its length is right, so that only opening it shows the damage."""
    one = named(server, "tenancy/20261105")
    run = one.folder / "runs" / "bm25.parquet"
    run.write_bytes(bytes(run.stat().st_size))
    status, _, body = ask(server, f"/r/{one.id}/report.html")
    assert status == 500
    assert b"bm25.parquet" in body
    assert ask(server, "/")[0] == 200


def test_the_folder_may_go_while_it_is_served(server: ViewServer) -> None:
    shutil.rmtree(server.finder.top)
    status, _, body = ask(server, "/")
    assert status == 200
    assert b"No results yet" in body


@pytest.mark.slow
def test_many_half_open_connections_keep_nobody_out(server: ViewServer) -> None:
    before = threading.active_count()
    with ExitStack() as opened:
        for _ in range(3 * MAX_CONNECTIONS):
            one = opened.enter_context(
                socket.create_connection(("127.0.0.1", server.server_port), timeout=20)
            )
            with suppress(OSError):  # it may have been refused
                one.sendall(b"GET / HTTP/1.1\r\nHost:")
        assert ask(server, "/")[0] == 200
        assert threading.active_count() - before <= 2 * MAX_CONNECTIONS


def test_a_request_that_drips_is_ended(server: ViewServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "REQUEST_SECONDS", 0.3)
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=0.05) as sent:
        for _ in range(400):  # far longer than the deadline, each byte far within any timeout
            try:
                sent.sendall(b"G")
                if sent.recv(1) == b"":
                    return
            except TimeoutError:
                continue
            except OSError:  # ended while it was sent
                return
    raise AssertionError("the connection was never ended")


def test_a_table_that_polars_panics_at_is_told(
    top: Path, server: ViewServer, capfd: pytest.CaptureFixture[str]
) -> None:
    one = named(server, "tenancy/20261105")
    (one.folder / "scores.parquet").write_bytes(damaged(passages()))
    resealed(one.folder, "scores.parquet")
    one = named(server, "tenancy/20261105")
    status, _, body = ask(server, f"/r/{one.id}/report.html")
    assert status == 500
    assert body.decode().splitlines() == [
        f"{one.folder / 'scores.parquet'}: it cannot be read as Parquet: the file is damaged"
    ]
    assert capfd.readouterr() == ("", "")
    assert ask(server, "/")[0] == 200
