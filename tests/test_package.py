"""What the package promises as a whole: names, imports, layers, what is in the wheel."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import ragscore
from ragscore.encoders import ENCODERS
from ragscore.plugins import Catalogue
from ragscore.retrievers import RETRIEVERS

HEAVY = {
    "altair",
    "bm25s",
    "faiss",
    "jinja2",
    "kiwipiepy",
    "polars",
    "scipy.stats",
    "sentence_transformers",
    "torch",
    "vl_convert",
}

MODULE_OF = {name: module for module, names in ragscore._HOMES.items() for name in names}


def python(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, cwd=cwd
    )


def loaded(code: str) -> set[str]:
    """Modules that are loaded after some code ran in a fresh interpreter."""
    shown = python("-c", f"{code}\nimport sys; sys.stderr.write(' '.join(sys.modules))")
    return set(shown.stderr.split())


def project(root: Path) -> dict[str, object]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize("catalogue", [RETRIEVERS, ENCODERS], ids=["retrievers", "encoders"])
def test_every_kind_is_a_public_name(catalogue: Catalogue[Any]) -> None:
    """Type checkers read the names of the package, so these are written there a second time."""
    missing = {kind.__name__ for kind in catalogue.values()} - set(ragscore.__all__)
    assert not missing, "name the class in ragscore/__init__.py: in the imports and in _HOMES"


def test_public_names_are_there() -> None:
    for name in ragscore.__all__:
        value = getattr(ragscore, name)
        if name != "__version__":
            assert value is getattr(import_module(MODULE_OF[name]), name), name


FOLDERS = sorted(path.parent.name for path in Path(ragscore.__file__).parent.glob("*/__init__.py"))
PACKAGES = ["ragscore", *(f"ragscore.{folder}" for folder in FOLDERS)]
LAZY = [package for package in PACKAGES if hasattr(import_module(package), "_HOMES")]


@pytest.mark.parametrize("package", LAZY)
def test_lazy_names_are_those_that_type_checkers_see(package: str) -> None:
    module = import_module(package)
    tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname: node.module for node in imports for alias in node.names}
    assert seen == {name: home for home, names in module._HOMES.items() for name in names}
    assert dir(module) == module.__all__
    assert set(module.__all__) - {"__version__"} == set(seen)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'bm25'"):
        ragscore.bm25  # noqa: B018


def test_importing_loads_nothing_heavy() -> None:
    assert not loaded("import ragscore") & HEAVY


def test_help_loads_nothing_heavy() -> None:
    modules = loaded("from ragscore.cli import main; main(['--help'])")
    assert not modules & (HEAVY | {"numpy", "pydantic", "rich", "yaml"})


@pytest.mark.parametrize(
    "module", ["formats", "retrievers", "encoders", "text", "experiment", "report"]
)
def test_packages_load_nothing_heavy(module: str) -> None:
    assert not loaded(f"import ragscore.{module}") & HEAVY


@pytest.mark.slow
def test_scoring_text_files_loads_no_polars(tmp_path: Path) -> None:
    (tmp_path / "r.run").write_text("q1 Q0 d1 1 2.5 x\nq1 Q0 d2 2 1.5 x\n", encoding="utf-8")
    (tmp_path / "qrels").write_text("q1 0 d2 1\n", encoding="utf-8")
    arguments = ["score", str(tmp_path / "r.run"), "--qrels", str(tmp_path / "qrels")]
    modules = loaded(f"from ragscore.cli import main; assert not main({arguments})")
    assert "ragscore.judge.join" in modules
    # Lines are read in bulk; no format of datasets is needed.
    assert "ragscore.formats.datasets.trec" not in modules
    assert "ragscore.formats.runs.tables" not in modules
    assert not modules & (HEAVY | {"numpy.ma", "scipy"})


@pytest.mark.slow
def test_what_scipy_only_names_is_loaded_when_it_is_used() -> None:
    assert "scipy.stats" in loaded(
        "import sys; from ragscore.cli.quick_numpy import defer_unused; defer_unused()\n"
        "import scipy.special; assert scipy.special.ndtr(0.0) == 0.5\n"
        "assert 'numpy.f2py.crackfortran' not in sys.modules\n"
        "import numpy; numpy.testing.assert_array_equal([1], [1]); numpy.ma.array([1])\n"
        "assert 'numpy.testing._private.utils' in sys.modules\n"
        "import scipy.stats; scipy.stats.ttest_1samp([1, 2], 0)"
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are listed by Linux")
def test_scoring_loads_numpy_without_threads_and_leaves_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)  # it is set while tests run
    code = (
        "import os; before = dict(os.environ)\n"
        "from ragscore.cli.quick_numpy import load_numpy; load_numpy()\n"
        "assert dict(os.environ) == before\n"
        "assert len(os.listdir('/proc/self/task')) == 1"
    )
    assert "numpy" in loaded(code)


def test_layers(root: Path) -> None:
    pytest.importorskip("importlinter")
    check = (
        "from importlinter.cli import lint_imports as lint; raise SystemExit(lint(no_cache=True))"
    )
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=False, cwd=root
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_wheel_holds_the_demo(root: Path, tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    python("-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path), cwd=root)
    (wheel,) = tmp_path.glob("ragscore_eval-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
        archive.extractall(tmp_path / "unpacked")
    demo = "ragscore/_demo"
    assert {
        f"{demo}/configs/quickstart.yaml",
        f"{demo}/datasets/harbour-tenancy/passages.jsonl",
        f"{demo}/datasets/harbour-tenancy/queries.jsonl",
        f"{demo}/datasets/harbour-tenancy/ground_truth.jsonl",
        "ragscore/cli/starter/experiment.yaml",
        "ragscore/cli/starter/tool-library/passages.jsonl",
        "ragscore/locale/ko.json",
        "ragscore/py.typed",
    } <= held
    others = ("tests/", "tools/", "benchmarks/", "datasets/")
    assert not [name for name in held if name.startswith(others) or name.endswith(".po")]
    code = "from ragscore.cli.demo import demo_config; print(demo_config())"
    found = python("-c", code, cwd=tmp_path / "unpacked").stdout.strip()
    assert Path(found).samefile(tmp_path / "unpacked" / demo / "configs" / "quickstart.yaml")


def test_every_dependency_is_pinned(root: Path) -> None:
    lines = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = {normal(line.partition("==")[0]): line for line in lines if "==" in line}
    assert all(re.fullmatch(r"#.*|[\w.-]+==[\w.]+", line) for line in lines)
    described = project(root)
    wanted = list(described["dependencies"])
    for extra in described["optional-dependencies"].values():
        wanted += extra
    for needed in map(Requirement, wanted):
        if normal(needed.name) == "ragscore-eval":
            continue
        assert needed.specifier.contains(pins[normal(needed.name)].partition("==")[2]), needed
    assert pins["torch"] == "torch==2.13.0"


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_versions_of_python_agree(root: Path) -> None:
    """Of the oldest, requires-python, the type checker, ruff and the README say the same; the
    classifiers name all that are tested."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    oldest = project(root)["requires-python"].removeprefix(">=")
    tools = tomllib.loads(text)["tool"]
    assert tools["mypy"]["python_version"] == oldest
    assert tools["ruff"]["target-version"] == f"py{oldest.replace('.', '')}"
    assert f"Python {oldest} or newer" in (root / "README.md").read_text(encoding="utf-8")
    named = [
        name.rpartition(" ")[2]
        for name in project(root)["classifiers"]
        if re.search(r" :: Python :: 3\.\d+$", name)
    ]
    first = int(oldest.removeprefix("3."))
    assert named == [f"3.{minor}" for minor in range(first, first + len(named))]
    assert f"Python {named[0]} to {named[-1]}" in (root / "constraints.txt").read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason=".ci/run is a script of a shell")
def test_ci_finds_each_python_that_is_allowed_and_works(root: Path, tmp_path: Path) -> None:
    """The newest of each minor version, on PATH and of pyenv's, but the one that looks."""
    here = f"3.{sys.version_info.minor}"
    for place, said in {
        "pyenv/versions/3.10.13/bin/python": "echo 3 10 13 final",
        f"pyenv/versions/{here}.99/bin/python": f"echo {here.replace('.', ' ')} 99 final",
        "pyenv/versions/3.98.2/bin/python": "echo 3 98 2 final",
        "pyenv/versions/3.98.10/bin/python": "echo 3 98 10 final",
        "pyenv/versions/3.98.11t/bin/python": "echo 3 98 11 final",
        "pyenv/versions/3.99-dev/bin/python": "echo 3 99 0 candidate",
        "path/python3.98": "echo 3 98 3 final",
        "path/python3.97": "echo 'pyenv: python3.97: command not found' >&2; exit 127",
        "path/python3.96": "echo 3 96 0 final",
        "path/python3.95": "echo 3 95 0 beta",
        "path/python3.96-config": "exit 1",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(f"#!/bin/sh\n{said}\n")
        (tmp_path / place).chmod(0o755)
    found = subprocess.run(
        [sys.executable, root / ".ci" / "pythons.py"],
        env={"PATH": f"{tmp_path}/path", "PYENV_ROOT": f"{tmp_path}/pyenv"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.splitlines() == [
        f"3.96 {tmp_path}/path/python3.96",
        f"3.98 {tmp_path}/pyenv/versions/3.98.10/bin/python",
    ]
    ci = (root / ".ci" / "run").read_text(encoding="utf-8")
    assert 'others=$("$python" .ci/pythons.py)' in ci


def test_nothing_says_to_install_the_other_project(root: Path) -> None:
    wrong = re.compile(r"pip3? install (-\S+ )*[\"']?ragscore(?!-eval)\b")
    texts = [
        *root.glob("*.md"),
        *root.glob("docs/*.md"),
        *root.glob("datasets/**/*.md"),
        *(path for path in root.glob("configs/*") if path.is_file()),
    ]
    texts += [path for path in root.glob("ragscore/**/*") if path.suffix in (".py", ".yaml", ".md")]
    named = [path for path in texts if wrong.search(path.read_text(encoding="utf-8"))]
    assert named == []


def test_the_commands_of_the_readme_install_what_they_need(root: Path) -> None:
    readme = (root / "README.md").read_text(encoding="utf-8")
    shell = re.findall(r"^```sh\n(.*?)\n```$", readme, flags=re.MULTILINE | re.DOTALL)
    setup = "python3 -m venv .venv && .venv/bin/python -m pip install -qq -c constraints.txt -e "
    assert shell[0] == f"{setup}'.[dense]' && .venv/bin/ragscore run configs/quickstart.yaml"
    assert shell[1] == f"{setup}'.[dev]' && .venv/bin/python -m pytest -q -n 2"
