"""The page of all results and its server: real folders, real requests."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from ragscore.errors import DataError
from ragscore.report.index import connections
from ragscore.report.index.connections import MAX_CONNECTIONS
from ragscore.report.index.found import Finder, FoundResult
from ragscore.report.index.groups import MOST_SHOWN, groups
from ragscore.report.index.page import index_page
from ragscore.report.index.serve import ViewServer
from ragscore.report.strings import STRINGS
from ragscore.strings import Strings
from tests.factories.manifests import resealed, write_manifest
from tests.factories.results import DATASETS, HOSTILE, bm25, ran

TENANCY = DATASETS / "harbour-tenancy"
ENGLISH = STRINGS.strings("en")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result of two retrievers."""
    retrievers = {"bm25": bm25(), "flat": bm25(k1=0.1)}
    return _ran(tmp_path_factory.mktemp("two"), retrievers)


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result of one retriever, which is compared with nothing."""
    return _ran(tmp_path_factory.mktemp("one"), {"bm25": bm25()})


def _ran(place: Path, retrievers: dict[str, Any]) -> Path:
    measures = ["nDCG@10", "R@10"]
    return ran(place, "tenancy", [TENANCY], retrievers=retrievers, measures=measures, depth=10)


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


@pytest.fixture
def top(tmp_path: Path, original: Path, single: Path) -> Path:
    """Three results of one experiment, one of another, one that is damaged."""
    top = tmp_path / "results"
    for day in (1, 2, 5):
        created = f"2026-11-0{day}T10:00:00+00:00"
        copied(original, top / "tenancy" / f"2026110{day}", created=created)
    copied(single, top / "deep" / "er" / "solo", experiment="solo")
    broken = copied(original, top / "tenancy" / "broken")
    (broken / "scores.parquet").unlink()
    return top


class Page(HTMLParser):
    """What the tests ask of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def links(self) -> list[str]:
        return [str(one["href"]) for tag, one in self.tags if tag == "a" and "href" in one]

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


# What is found.


def test_every_result_is_found_the_newest_first_and_damaged_ones_last(top: Path) -> None:
    found = Finder(top).results()
    dated = [one.place for one in found if one.name == "tenancy"]
    assert dated == ["tenancy/20261105", "tenancy/20261102", "tenancy/20261101"]
    assert [one.place for one in found if one.name == "solo"] == ["deep/er/solo"]
    assert (found[-1].place, found[-1].problem) == (
        "tenancy/broken",
        "scores.parquet: the file is missing",
    )


def test_means_have_the_intervals_of_the_comparison(top: Path, original: Path) -> None:
    found = Finder(top).results()
    one = next(one for one in found if one.place == "tenancy/20261105")
    (dataset,) = one.datasets
    summary = json.loads((original / "summary.json").read_text(encoding="utf-8"))
    for row in summary["results"]:
        mean = dataset.means[row["retriever"]][row["measure"]]
        assert (mean.value, mean.label) == (row["value"], row["label"])
        assert mean.low is not None
        assert mean.high is not None
        assert mean.low < row["value"] < mean.high
    compared = json.loads((original / "comparison.json").read_text(encoding="utf-8"))
    verdict = compared["datasets"][0]["verdict"]
    for language in ("en", "ko"):
        lines = [(one[language]["word"], one[language]["text"]) for one in verdict["lines"]]
        assert list(dataset.verdict[language]) == lines
    alone = next(one for one in found if one.name == "solo").datasets[0]
    assert (alone.state, alone.verdict) == ("", {})
    assert all(mean.low is None for mean in alone.means["bm25"].values())


@pytest.mark.parametrize("state", ["TIE GROUP", "UNDECIDED", "CLEAR", "KNOWN LATER"])
def test_a_comparison_of_schema_1_is_listed_as_it_was(top: Path, state: str) -> None:
    place = "tenancy/20261105"
    said = {"state": state, "text": "Two <b> cannot be told apart.", "mixed": "But one is better."}
    old = {"leader": "bm25", "other": "flat", "tied": []}

    def written(value: Any) -> None:
        value["schema"] = 1
        for dataset in value["datasets"]:
            dataset["verdict"] = {**said, **old}
            for name in ("family", "identical"):
                del dataset[name]

    changed(top / place / "comparison.json", written)
    results = Finder(top).results()
    one = next(one for one in results if one.place == place)
    assert one.problem == ""
    word = {"CLEAR": "Clear", "KNOWN LATER": state}.get(state, "Tie")
    text = "Two <b> cannot be told apart. But one is better."
    assert one.datasets[0].verdict["en"] == ((word, text),)
    page = index_page(results, top, STRINGS.strings("ko")).text
    assert "Two &lt;b&gt; cannot be told apart." in page
    assert "<b>" not in page


def test_new_and_changed_results_are_seen_at_once(top: Path, original: Path) -> None:
    finder = Finder(top)
    assert len(finder.results()) == 5
    copied(original, top / "new", created="2026-12-01T00:00:00+00:00")
    assert finder.results()[0].place == "new"
    shutil.rmtree(top / "new")
    (top / "tenancy" / "20261101" / "summary.csv").unlink()
    found = finder.results()
    assert len(found) == 5
    assert {one.place for one in found if one.problem} == {"tenancy/broken", "tenancy/20261101"}


def test_a_result_itself_may_be_named(original: Path) -> None:
    (one,) = Finder(original).results()
    assert (one.place, one.problem) == (".", "")


def _no_list(value: Any) -> None:
    value["results"] = [{}]


def _no_object(value: Any) -> None:
    value["datasets"] = [[]]


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "not a manifest": (lambda at: (at / "manifest.json").unlink(), "manifest.json"),
    "half a manifest": (lambda at: (at / "manifest.json").write_text('{"sch'), "not a manifest"),
    "a stranger's manifest": (lambda at: (at / "manifest.json").write_text("{}"), "not a manifest"),
    "other bytes": (lambda at: (at / "scores.parquet").write_bytes(b"x"), "it has 1 bytes"),
    "no date": (
        lambda at: changed(at / "manifest.json", lambda value: value.update(created="noon")),
        "is no date",
    ),
    "another summary": (lambda at: changed(at / "summary.json", _no_list), "summary.json"),
    "another comparison": (lambda at: changed(at / "comparison.json", _no_object), "says"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_told_and_hides_nothing_else(damage: str, tmp_path: Path, original: Path) -> None:
    copied(original, tmp_path / "good")
    at = copied(original, tmp_path / "bad")
    harm, told = DAMAGE[damage]
    harm(at)
    good, bad = Finder(tmp_path).results()
    assert (good.place, good.problem) == ("good", "")
    assert told in bad.problem
    page = Page(index_page([good, bad], tmp_path, ENGLISH).text)
    assert any(told in text for text in page.texts)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_and_hidden_folders_are_not_followed(tmp_path: Path, original: Path) -> None:
    outside = copied(original, tmp_path / "outside")
    top = tmp_path / "results"
    copied(original, top / ".unfinished-1")
    (top / "link").symlink_to(outside, target_is_directory=True)
    (top / "round").symlink_to(top, target_is_directory=True)
    assert Finder(top).results() == []


@pytest.mark.parametrize(("name", "what"), [("nowhere", "no such folder"), ("file", "is a file")])
def test_no_folder(name: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(DataError, match=what) as told:
        Finder(tmp_path / name)
    assert "ragscore run" in str(told.value)


# What the page shows.


def shown(top: Path, words: Strings = ENGLISH) -> Page:
    return Page(index_page(Finder(top).results(), top, words).text)


def test_the_page_needs_no_script_and_nothing_from_anywhere(top: Path) -> None:
    made = index_page(Finder(top).results(), top, ENGLISH)
    page = Page(made.text)
    assert not page.of("script")
    assert not [one for _, one in page.tags if "style" in one]
    assert all(link.startswith(("/r/", "#")) for link in page.links)
    assert re.match(r"default-src 'none'; style-src 'sha256-\S+'; img-src data:; ", made.policy)
    assert "url(" not in made.text


def test_the_chosen_measure_is_shown_by_style_alone(top: Path) -> None:
    page = shown(top)
    select = next(one for one in page.of("select") if one["id"] == "d0-measure")
    assert "pick" in str(select["class"])
    text = index_page(Finder(top).results(), top, ENGLISH).text
    for number in range(2):
        rule = f'#d0:has(#d0-measure option[value="{number}"]:checked) .variant[data-m]'
        assert rule in text
    figures = [one["data-m"] for one in page.of("figure")]
    assert figures == ["0", "1"]


def test_the_history_links_to_every_report(top: Path) -> None:
    page = shown(top)
    ids = [one.id for one in Finder(top).results() if one.name == "tenancy"]
    for id in ids:
        # Two retrievers in two charts, and the table's row.
        assert page.links.count(f"/r/{id}/report.html") >= 5
    assert f"/r/{ids[0]}/since/{ids[1]}/report.html" in page.links
    assert f"/r/{ids[1]}/since/{ids[2]}/report.html" in page.links


def test_other_data_is_told(top: Path) -> None:
    def other(value: Any) -> None:
        value["datasets"][0]["digest"] = "0" * 64

    changed(top / "tenancy" / "20261102" / "manifest.json", other)
    page = shown(top)
    text = " ".join(page.texts)
    assert "The dataset changed on 2026-11-02 10:00, 2026-11-05 10:00" in text
    assert sum("other data than before" in one for one in page.texts) == 2


def test_many_retrievers_are_not_all_shown(tmp_path: Path, original: Path) -> None:
    def many(value: Any) -> None:
        (row, *_) = value["results"]
        value["results"] = [{**row, "retriever": f"r{n}"} for n in range(20)]

    def named(value: Any) -> None:
        (entry, *_) = value["retrievers"]
        value["retrievers"] = [{**entry, "name": f"r{n}"} for n in range(20)]

    at = copied(original, tmp_path / "many")
    changed(at / "summary.json", many)
    changed(at / "manifest.json", named)
    (group,) = groups(Finder(tmp_path).results())
    assert (len(group.retrievers), group.hidden) == (MOST_SHOWN, 20 - MOST_SHOWN)
    assert any("12 more retrievers are not shown" in text for text in shown(tmp_path).texts)


def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    assert any("ragscore run" in text for text in shown(tmp_path).texts)


def test_korean(top: Path) -> None:
    page = shown(top, STRINGS.strings("ko"))
    assert page.of("html")[0]["lang"] == "ko"
    assert any("읽을 수 없는 폴더" in text for text in page.texts)


def test_hostile_names_stay_text(tmp_path: Path, original: Path) -> None:
    def named(value: Any) -> None:
        value["experiment"] = " ".join(HOSTILE)
        for entry in value["datasets"]:
            entry["name"] = HOSTILE[0]
        for entry in value["retrievers"]:
            entry["dataset"] = HOSTILE[0]
            entry["name"] += HOSTILE[1]

    def scored(value: Any) -> None:
        for row in value["results"]:
            row["dataset"] = HOSTILE[0]
            row["retriever"] += HOSTILE[1]
            row["label"] += HOSTILE[2]

    for number in (1, 2):
        at = copied(original, tmp_path / f"h{number}", created=f"2026-11-0{number}T00:00:00")
        changed(at / "manifest.json", named)
        changed(at / "summary.json", scored)
    page = shown(tmp_path)
    assert not page.of("script")
    assert not page.of("img")
    handlers = [name for _, one in page.tags for name in one if name.startswith("on")]
    assert handlers == []
    assert all(link.startswith(("/r/", "#")) for link in page.links)
    assert HOSTILE[0] in "".join(page.texts)


# What the server answers.


@pytest.fixture
def server(top: Path) -> Iterator[ViewServer]:
    """A server in a thread of its own, at a free port."""
    with ViewServer(top, 0, ENGLISH) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
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
    assert b"No result is here yet" in body


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
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.3)
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
