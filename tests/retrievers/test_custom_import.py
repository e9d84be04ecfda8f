"""Where custom code is found: beside the experiment, in packages, behind entry points."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragscore.dataset import Corpus, Ids, Queries
from ragscore.errors import RetrieverError
from ragscore.retrievers import Custom

CORPUS = Corpus(Ids(["a", "b"]), ["rent", "deposit"])
QUERIES = Queries.from_texts({"q1": "rent"})

FIRST = "def find(text, k, first='{first}'):\n    return [first]\n"


@pytest.fixture(autouse=True)
def modules_as_before() -> object:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def answer(spec: Custom) -> list[str]:
    return list(spec.build(CORPUS, name="mine").search(QUERIES, 2).to_dict()["q1"])


def test_code_beside_the_experiment(tmp_path: Path) -> None:
    (tmp_path / "my_retriever.py").write_text(FIRST.format(first="b"), encoding="utf-8")
    spec = Custom(use="my_retriever:find").resolved(tmp_path)
    path = list(sys.path)
    assert spec.check() == []
    assert "my_retriever" not in sys.modules
    assert answer(spec) == ["b"]
    assert sys.path == path
    assert answer(spec.model_copy(update={"options": {"first": "a"}})) == ["a"]


def test_code_that_imports_its_neighbour_when_it_is_called(tmp_path: Path) -> None:
    code = """
class Lazy:
    def __init__(self):
        import neighbour_1
    def index(self, corpus):
        import neighbour_2
    async def retrieve(self, queries, k):
        from neighbour_3 import first
        return [[first] for _ in queries]

def find(text, k):
    from neighbour_4 import first
    return [first]
"""
    (tmp_path / "lazy.py").write_text(code, encoding="utf-8")
    for number in range(1, 5):
        (tmp_path / f"neighbour_{number}.py").write_text("first = 'b'", encoding="utf-8")
    path = list(sys.path)
    assert answer(Custom(use="lazy:Lazy").resolved(tmp_path)) == ["b"]
    assert answer(Custom(use="lazy:find").resolved(tmp_path)) == ["b"]
    assert sys.path == path


def test_code_in_a_package_and_a_folder_of_its_own(tmp_path: Path) -> None:
    package = tmp_path / "src" / "search_code"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    (package / "mine.py").write_text("", encoding="utf-8")
    spec = Custom(use="search_code.mine:Thing.find", folder="src").resolved(tmp_path)
    assert spec.check() == []  # nothing is imported
    with pytest.raises(RetrieverError, match=r"importing 'search_code\.mine' raised RuntimeError"):
        spec.build(CORPUS)
    (package / "__init__.py").write_text("", encoding="utf-8")
    code = "class Thing:\n    @staticmethod\n    def find(text, k):\n        return ['a']\n"
    (package / "mine.py").write_text(code, encoding="utf-8")
    assert answer(spec) == ["a"]


def test_modules_of_one_name_in_two_folders_are_told_apart(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "twin.py").write_text(FIRST.format(first=name), encoding="utf-8")
    spec = Custom(use="twin:find")
    assert answer(spec.resolved(tmp_path / "a")) == ["a"]
    assert answer(spec.resolved(tmp_path / "b")) == ["b"]
    assert answer(spec.resolved(tmp_path / "a")) == ["a"]


@pytest.mark.parametrize(
    ("code", "use", "said"),
    [
        ("", "nowhere:find", "no module 'nowhere' in"),
        ("", "here.deeper:find", "no module 'here.deeper' in"),
        ("import no_such_package", "here:find", "raised ModuleNotFoundError"),
        ("syntax error", "here:find", "raised SyntaxError"),
        ("raise SystemExit(3)", "here:find", "raised SystemExit: 3"),
        ("def find(text, k): ...", "here:fnd", "no 'fnd'. Did you mean 'find'?"),
    ],
)
def test_code_that_cannot_be_imported(tmp_path: Path, code: str, use: str, said: str) -> None:
    (tmp_path / "here.py").write_text(code, encoding="utf-8")
    spec = Custom(use=use).resolved(tmp_path)
    with pytest.raises(RetrieverError) as caught:
        spec.build(CORPUS, name="mine")
    assert said in str(caught.value)
    assert "retriever 'mine'" in str(caught.value)
    missing = said.startswith("no module")
    assert [problem.where for problem in spec.check()] == (["use"] if missing else [])


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package as pip leaves it: its code, and a dist-info that names its entry points."""
    (tmp_path / "plugin_code.py").write_text(
        "class Plugin:\n"
        "    def __init__(self, first='a'):\n"
        "        self.first = first\n"
        "    async def retrieve(self, queries, k):\n"
        "        return [[(self.first, 1.0)] for _ in queries]\n",
        encoding="utf-8",
    )
    info = tmp_path / "plugin_code-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: plugin-code\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text(
        "[ragscore.retrievers]\nplugin = plugin_code:Plugin\nbroken = plugin_code:Nothing\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))


def test_an_installed_plugin(plugin: None, tmp_path: Path) -> None:
    spec = Custom(use="plugin", options={"first": "b"}).resolved(tmp_path)
    assert spec.folder is None
    assert spec.check() == []
    assert answer(spec) == ["b"]


def test_a_plugin_that_is_not_there_or_broken(plugin: None) -> None:
    (problem,) = Custom(use="plugn").check()
    assert problem.where == "use"
    assert "Did you mean 'plugin'?" in problem.instead
    with pytest.raises(RetrieverError, match="no installed package offers a retriever 'plugn'"):
        Custom(use="plugn").build(CORPUS)
    with pytest.raises(RetrieverError, match="'broken' raised AttributeError"):
        Custom(use="broken").build(CORPUS)
