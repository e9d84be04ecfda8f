"""What a contributor gets wrong in a catalogue is told with the line to mend."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import pytest

from ragscore.cli import main
from ragscore.errors import ConfigError, MeasureError
from ragscore.formats import RunFormat
from ragscore.kinds import spec_catalogue
from ragscore.measures import MEASURES, TABLE, Measure, P, _by_name, load_named, parse_measure
from ragscore.plugins import Catalogue
from ragscore.text import TOKENIZERS, TokenizerSpec
from tests.factories.packages import install

HOME = "ragscore.formats.runs.json_run"


def run_formats(place: str) -> Catalogue[RunFormat]:
    return Catalogue(
        "ragscore.run_formats",
        "run format",
        {"mine": place},
        wanted="a RunFormat",
        fits=lambda name, thing: isinstance(thing, RunFormat),
    )


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("ragscore.formats.runs.jsn_run:FORMAT", "is not there: No module named"),
        (f"{HOME}:FROMAT", "is not there: module .* has no attribute 'FROMAT'"),
        (f"{HOME}:read_json_run", "is not a RunFormat"),
    ],
)
def test_a_line_that_names_nothing_or_something_else(place: str, told: str) -> None:
    assert isinstance(run_formats(f"{HOME}:FORMAT")["mine"], RunFormat)
    line = rf"the run format 'mine' of ragscore itself \({place}\) {told}"
    with pytest.raises(ConfigError, match=line):
        run_formats(place)["mine"]


class Unfinished(TokenizerSpec):
    """A tokenizer without its method."""

    kind: Literal["mine"] = "mine"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mine", r"has no open\. Fix it, or its line in the catalogue"),
        ("other", r"is not a subclass of ragscore\.text\.base\.TokenizerSpec of this kind"),
    ],
)
def test_a_class_that_lacks_a_method_or_has_another_kind(name: str, told: str) -> None:
    tokenizers = spec_catalogue("mine.tokenizers", "tokenizer", TokenizerSpec, {name: Unfinished})
    line = rf"the tokenizer '{name}' of ragscore itself \({__name__}:Unfinished\) {told}"
    with pytest.raises(ConfigError, match=line):
        tokenizers[name]


def test_an_added_class_that_lacks_a_method(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "ragscore.tokenizers", "mine", f"{__name__}:Unfinished")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigError, match="'mine' of the package theirs has no open"):
        TOKENIZERS.load("mine")


def measure(**said: object) -> type[Measure]:
    return type("Mine", (Measure,), {"__module__": "mine", "__doc__": "It.", **said})


@pytest.mark.parametrize("names", [{"name": "P"}, {"name": "Mine", "aliases": ("mAp",)}])
def test_a_measure_whose_name_is_taken(names: dict[str, object]) -> None:
    family = measure(summary="it", **names)
    with pytest.raises(MeasureError, match=r"mine\.Mine: the name '(p|map)' is taken by ragscore"):
        _by_name((*TABLE, family))
    assert _by_name((P,))["precision"] is P


def test_a_measure_that_does_not_say_what_it_is() -> None:
    with pytest.raises(MeasureError, match="the measure has no summary and no docstring"):
        _by_name((*TABLE, measure(name="Mine", __doc__=None)))


def test_a_name_of_ragscore_that_a_package_has_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path, "ragscore.fusion_methods", "rrf", "their_fusion:rrf")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["list", "fusion-methods"]) == 0
    own, theirs = (line for line in capsys.readouterr().out.splitlines() if line[:3] == "rrf")
    assert "The sum of weight / (k + rank) (RRF" in own
    assert "installed but not used: their_fusion:rrf" in theirs


@pytest.mark.parametrize("alias", ["mAp", "Depth"])
def test_aliases_of_an_added_measure(
    alias: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is taken is an error that names both; another is understood."""
    name = f"Mine{alias}"
    install(tmp_path, "ragscore.measures", name, f"their_{alias}:Mine")
    (tmp_path / f"their_{alias}.py").write_text(
        "from ragscore.measures import Measure\n"
        "class Mine(Measure):\n"
        "    'It.'\n"
        f"    name, aliases, summary = {name!r}, ({alias!r},), 'it'\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(MEASURES, "_loaded", dict(MEASURES._loaded))
    if alias == "mAp":
        taken = f"the measure '{name}' of the package theirs takes the name 'map' of AP"
        with pytest.raises(ConfigError, match=taken):
            load_named(f"{name}@5")
        assert name not in MEASURES
    else:
        load_named(f"{name}@5")
        assert str(parse_measure("depth@3")) == f"{name}@3"


def test_every_file_that_contributing_names_is_there(root: Path) -> None:
    page = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    named = re.findall(r"`((?:[\w.-]+/)+|(?:[\w.-]+/)*[\w.-]+\.(?:py|md|j2))`", prose)
    assert len(named) > 50
    known = {
        path.as_posix() for top in ("ragscore", "tests", "docs") for path in (root / top).rglob("*")
    }
    missing = [
        name
        for name in named
        if not (root / name).exists()
        and not any(one.endswith(f"/{name.rstrip('/')}") for one in known)
    ]
    assert missing == []
