"""``ragscore compare`` and ``power``, and the comparison that ``run`` makes."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import ragscore as package
from ragscore.blocks import Lines, as_markdown
from ragscore.cli import main
from ragscore.stats.power import detectable_difference, queries_needed
from tests.factories.manifests import write_manifest

ROOT = Path(__file__).parents[2]
CONFIG = """\
dataset: {dataset}
retrievers:
  bm25: {{kind: bm25, fields: [text]}}
  k1-b: {{kind: bm25, k1: 0.9, b: 0.4, fields: [text]}}
  words: {{kind: bm25, tokenizer: words, fields: [text]}}
measures: [nDCG@10, R@10, Success@5]
latency: false
"""
Run = tuple[int, str, str]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    config = folder / "lexical.yaml"
    config.write_text(CONFIG.format(dataset=ROOT / "datasets" / "harbour-tenancy"))
    package.run_experiment(package.load_experiment(config), output=folder / "lexical")
    return folder / "lexical"


@pytest.fixture
def ragscore(capsys: pytest.CaptureFixture[str]):
    def run(*arguments: object) -> Run:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def means_of(data: dict, measure: str) -> dict[str, float]:
    (dataset,) = data["datasets"]
    (found,) = (one for one in dataset["measures"] if one["measure"] == measure)
    means = found["means"]
    listed = means.values() if isinstance(means, dict) else means
    return {mean["retriever"]: mean["value"] for mean in listed}


def test_the_verdict_comes_first(result: Path, ragscore) -> None:
    code, out, err = ragscore("compare", result)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("Tie. words leads with nDCG@10 0.")
    assert lines[0].endswith("]; bm25 and k1-b may be as good.")
    assert lines[1] == "Sure: nothing yet."
    assert lines[2].startswith("Open: words against bm25: +0.")
    titles = [line for line in lines if line.endswith("intervals 95 %, not adjusted)")]
    assert [title.split(";")[0] for title in titles] == [
        "nDCG@10 (primary", "R@10 (secondary", "Success@5 (secondary",
    ]  # fmt: skip
    assert "Family: all 3 pairs on a measure, corrected by Holm." in out
    assert not re.search(r"\bnan\b", out.lower())


def test_json_has_every_digit_and_no_nan(result: Path, ragscore) -> None:
    code, out, _ = ragscore("compare", result, "--format", "json", "--slices", "topic")
    assert code == 0
    data = json.loads(out, parse_constant=pytest.fail)
    _, schema, _ = ragscore("schema", "comparison")
    Draft202012Validator.check_schema(json.loads(schema))
    Draft202012Validator(json.loads(schema)).validate(data)
    scores = package.open_result(result).scores
    assert means_of(data, "nDCG@10") == pytest.approx(
        {name: scores[name].mean("nDCG@10") for name in scores.retrievers}, abs=1e-12
    )
    assert {"slices", "overlap"} <= set(data)
    assert len(data["overlap"]["harbour-tenancy"]) == 3


def test_markdown_is_the_file_of_the_folder(result: Path, ragscore) -> None:
    _, out, _ = ragscore("compare", result, "--format", "markdown")
    written = (result / "comparison.md").read_text(encoding="utf-8")
    assert written == f"# lexical: comparison\n\n{out}"
    tables = [line for line in out.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in tables if "Minus" in line}) == 1


def test_a_mark_is_no_list_in_markdown() -> None:
    lines = as_markdown([Lines(("* dense: why",), "nDCG@10")]).splitlines()
    assert lines == ["**nDCG@10**", "", "\\* dense: why"]


def test_the_folder_holds_what_the_command_says(result: Path, ragscore) -> None:
    _, out, _ = ragscore("compare", result, "--format", "json")
    assert json.loads(out) == json.loads((result / "comparison.json").read_text(encoding="utf-8"))
    manifest = json.loads((result / "manifest.json").read_text(encoding="utf-8"))
    assert {"comparison.json", "comparison.md"} <= set(manifest["files"])


def test_run_files_give_the_same(result: Path, ragscore) -> None:
    files = [result / "runs" / f"{name}.parquet" for name in ("bm25", "k1-b", "words")]
    judged = ("--qrels", ROOT / "datasets" / "harbour-tenancy")
    listed = ("-m", "nDCG@10", "-m", "R@10", "-m", "Success@5", "--format", "json")
    code, out, err = ragscore("compare", *files, *judged, *listed)
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads((result / "comparison.json").read_text(encoding="utf-8"))


def test_flags_reach_the_comparison(result: Path, ragscore) -> None:
    flags = {
        "baseline": "words", "margin": 0.05, "interval": "percentile", "test": "wilcoxon",
        "correction": "bonferroni", "permutations": 200, "resamples": 300, "seed": 7,
        "cluster": "topic", "language": "ko",
    }  # fmt: skip
    given = [text for name, value in flags.items() for text in (f"--{name}", value)]
    code, out, _ = ragscore(
        "compare", result, *given, "--all-pairs", "--slices", "topic,tags", "--format", "json"
    )
    assert code == 0
    data = json.loads(out)
    told = {**flags, "all_pairs": True, "slices": ["topic", "tags"]}
    assert {name: data["options"][name] for name in told} == told
    (dataset,) = data["datasets"]
    assert dataset["baseline"] == "words"
    assert dataset["clusters"] == 35
    assert len(dataset["pairs"]) == 9
    assert [one["by"] for one in data["slices"]] == ["topic", "tags"]


def test_the_experiments_options_are_the_defaults(tmp_path: Path, ragscore) -> None:
    config = tmp_path / "x.yaml"
    text = CONFIG.format(dataset=ROOT / "datasets" / "harbour-tenancy")
    more = "compare: {baseline: words, margin: 0.03, slices: [topic], cluster: topic}\n"
    config.write_text(text + more)
    code, out, _ = ragscore("run", config, "--output", tmp_path / "out", "-q")
    assert code == 0
    assert "Minus words" in out
    _, out, _ = ragscore("compare", tmp_path / "out")
    assert "Margin 0.03" in out
    assert "nDCG@10 by topic" in out
    assert "in 35 clusters" in out
    _, out, _ = ragscore("compare", tmp_path / "out", "--margin", "0.2", "--baseline", "bm25")
    assert "Margin 0.2" in out
    assert "Minus bm25" in out
    # What was run again reads back, also without the baseline.
    code, out, _ = ragscore(
        "run", tmp_path / "out" / "experiment.yaml", "--only", "bm25", "--only", "k1-b",
        "--output", tmp_path / "less",
    )  # fmt: skip
    assert code == 0
    assert "Minus bm25" in out
    assert package.load_experiment(tmp_path / "less" / "experiment.yaml").compare.baseline is None


def test_other_measures_come_from_the_runs(result: Path, ragscore) -> None:
    code, out, _ = ragscore("compare", result, "-m", "AP@7", "-m", "R@10")
    assert code == 0
    assert out.index("mAP@7 (primary") < out.index("R@10 (secondary")


def test_no_comparison(tmp_path: Path, ragscore) -> None:
    config = tmp_path / "x.yaml"
    config.write_text(CONFIG.format(dataset=ROOT / "datasets" / "harbour-tenancy"))
    for name, more in (("off", ("--set", "compare=false")), ("one", ("--only", "bm25"))):
        code, out, _ = ragscore("run", config, "--output", tmp_path / name, *more)
        assert code == 0
        assert "primary" not in out
        assert not (tmp_path / name / "comparison.json").exists()
    code, _, err = ragscore("compare", tmp_path / "one")
    assert code == 2
    assert "'bm25' is the only retriever" in err
    code, out, _ = ragscore("compare", tmp_path / "off")
    assert code == 0
    assert out.startswith("Tie. ")


def test_a_failed_retriever_is_left_out(tmp_path: Path, ragscore) -> None:
    (tmp_path / "raises_in_compare.py").write_text("def retrieve(query, k):\n    raise OSError\n")
    config = tmp_path / "x.yaml"
    text = CONFIG.format(dataset=ROOT / "datasets" / "harbour-tenancy")
    broken = 'retrievers:\n  broken: {kind: custom, use: "raises_in_compare:retrieve"}\n'
    config.write_text(text.replace("retrievers:\n", broken) + "compare: {baseline: broken}\n")
    code, out, err = ragscore("run", config, "--output", tmp_path / "out")
    assert code == 4
    assert "Minus bm25" in out
    told = "broken failed and is left out of the comparison"
    assert told in err
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert any(told in note for note in manifest["notes"])
    assert any("the baseline broken has no run" in note for note in manifest["notes"])
    code, out, err = ragscore("compare", tmp_path / "out")
    assert code == 0
    assert "broken" not in out
    assert "broken" in err


def test_several_datasets_are_not_pooled(tmp_path: Path, ragscore) -> None:
    text = CONFIG.format(dataset="x").partition("\n")[2]
    copy = shutil.copytree(ROOT / "datasets" / "harbour-tenancy", tmp_path / "copy")
    config = tmp_path / "x.yaml"
    config.write_text(f"datasets: [{ROOT / 'datasets' / 'harbour-tenancy'}, {copy}]\n{text}")
    code, out, _ = ragscore("run", config, "--output", tmp_path / "out", "-q")
    assert code == 0
    assert out.count("Tie. ") == 2
    _, out, _ = ragscore("compare", tmp_path / "out", "--format", "json")
    assert [one["dataset"] for one in json.loads(out)["datasets"]] == ["harbour-tenancy", "copy"]


def test_two_results(result: Path, tmp_path: Path, ragscore) -> None:
    other = shutil.copytree(result, tmp_path / "other")
    code, out, _ = ragscore("compare", result, other, "-m", "nDCG@10")
    assert code == 0
    assert "lexical/bm25" in out
    assert "other/words" in out
    code, _, err = ragscore("compare", result, result)
    assert (code, "the same result is named twice" in err) == (2, True)
    manifest = json.loads((other / "manifest.json").read_text(encoding="utf-8"))
    manifest["datasets"][0] |= {"digest": "0" * 64, "queries": 86}
    write_manifest(other, manifest)
    code, _, err = ragscore("compare", result, other)
    assert code == 3
    assert "has 87 queries and 395 judgments" in err
    assert "has 86 queries and 395 judgments" in err
    code, _, err = ragscore("compare", result, other, "--allow-intersect")
    assert code == 0
    assert "read the comparison with care" in err


def test_two_results_keep_the_options_that_both_share(
    result: Path, tmp_path: Path, ragscore
) -> None:
    places = [shutil.copytree(result, tmp_path / name) for name in ("one", "two")]
    for place in places:
        manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
        manifest["compare"] |= {"cluster": "topic", "margin": 0.03, "baseline": "words"}
        write_manifest(place, manifest)
    _, out, err = ragscore("compare", *places, "-m", "nDCG@10")
    assert "in 35 clusters, compared with one/bm25" in out
    assert "Margin 0.03" in out
    assert err == ""
    _, out, err = ragscore("compare", places[0], result, "-m", "nDCG@10")
    assert "clusters, compared" not in out
    assert "not all experiments were clustered by 'topic': --cluster says how" in err


@pytest.fixture
def files(tmp_path: Path) -> Path:
    judged = [f"q{n}" for n in range(12)]
    (tmp_path / "qrels").write_text("".join(f"{query} 0 a 1\n" for query in judged))
    for name, known in (("all", judged), ("some", judged[:9])):
        lines = [f"{query} Q0 {'a' if n % 2 else 'b'} 1 1 t\n" for n, query in enumerate(known)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


def test_runs_of_other_queries_are_refused_with_counts(files: Path, ragscore) -> None:
    command = ("compare", files / "all.run", files / "some.run", "--qrels", files / "qrels")
    code, out, err = ragscore(*command, "-m", "P@1")
    assert (code, out) == (3, "")
    assert "all lacks 0, some lacks 3" in err
    assert "--allow-intersect" in err
    code, out, err = ragscore(*command, "-m", "P@1", "--allow-intersect")
    assert code == 0
    assert "qrels: 9 queries" in out
    assert "some lacks 3" in err
    assert ragscore(*command, "-m", "P@1", "--allow-intersect", "-q")[2] == ""


def test_tags_need_a_dataset(files: Path, ragscore) -> None:
    command = ("compare", files / "all.run", files / "all.run", "--qrels", files / "qrels")
    code, out, err = ragscore(*command, "-m", "P@1", "--slices", "kind")
    assert (code, out) == (3, "")
    assert "Give the dataset's folder as --qrels" in err


def test_scores_that_never_differ(files: Path, ragscore) -> None:
    shutil.copy(files / "all.run", files / "same.run")
    code, out, _ = ragscore(
        "compare", files / "all.run", files / "same.run", "--qrels", files / "qrels", "-m", "P@1"
    )
    assert code == 0
    assert "none of the 12 queries differ" in out
    assert not re.search(r"\bnan\b", out.lower())


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["{result}", "--baseline", "bm52"], 2, "Did you mean 'bm25'?"),
        (
            ["{result}", "--margin", "-1"],
            2,
            "--margin: the number -1.0 is too small. It must be",
        ),
        (["{result}", "--resamples", "3"], 2, "--resamples: the number 3 is too small"),
        (["{result}", "--test", "chi"], 2, "--test"),
        (["{result}", "--cluster", "topc"], 2, "cluster: no query has a tag or metadata 'topc'"),
        (["{result}", "--slices", "topc"], 2, "Did you mean 'topic'?"),
        (["{result}", "--qrels", "x"], 2, "a result folder knows its judgments"),
        (["{result}", "-m", "nDCG@300"], 2, "above the depth of 100"),
        (["{result}", "-m", "nDGC@3"], 2, "Did you mean 'nDCG'?"),
        (["{result}", "{result}/runs/bm25.trec"], 2, "folders and other things are mixed"),
        (["{result}/runs/bm25.trec"], 2, "--qrels: run files do not say what is relevant"),
        (["nowhere"], 3, "no such file or folder"),
        (["{root}/docs"], 3, "no result is here"),
    ],
)
def test_wrong_asks(arguments: list[str], code: int, told: str, result: Path, ragscore) -> None:
    given = [text.format(result=result, root=ROOT) for text in arguments]
    found, out, err = ragscore("compare", *given)
    assert (found, out) == (code, "")
    assert told in err
    assert "Traceback" not in err


def test_power_of_a_result(result: Path, ragscore) -> None:
    code, out, _ = ragscore("power", result, "--difference", "0.03", "--format", "json")
    assert code == 0
    (plan,) = json.loads(out)["datasets"]
    found = (plan["queries"], plan["comparisons"], plan["alpha"])
    assert found == (74, 3, pytest.approx(0.05 / 3))
    for spread in plan["spreads"]:
        sd = spread["sd"]
        assert spread["detectable"] >= detectable_difference(sd, 74, alpha=0.025)
        assert spread["needed"]["0.03"] >= queries_needed(0.03, sd, alpha=0.025)
        assert 0 < spread["power"] < 1


def test_power_tells_a_spread_that_few_queries_show(result: Path, ragscore) -> None:
    code, out, _ = ragscore("power", result, "-m", "Success@5")
    assert code == 0
    assert "bm25 and k1-b: only 1 of 74 queries differ: not estimable" in out
    assert "bm25 and words: only 9 informative queries, so the sd is uncertain" in out
    _, out, _ = ragscore("power", result)
    assert "informative" not in out


def test_power_of_a_dataset(ragscore) -> None:
    dataset = ROOT / "datasets" / "harbour-tenancy"
    code, out, _ = ragscore("power", dataset)
    assert code == 0
    assert out.startswith(
        "With 74 judged queries you can see a difference of 0.023 to 0.149 or more"
    )
    code, out, _ = ragscore("power", dataset, "--sd", "0.2", "--comparisons", "3")
    shown = detectable_difference(0.2, 74, alpha=0.05 / 3)
    assert out.startswith(f"With 74 judged queries you can see a difference of {shown:.3f} or more")
    assert "0.05/3" in out


def test_power_counts_clusters(result: Path, ragscore) -> None:
    code, out, _ = ragscore("power", result, "--cluster", "topic", "--format", "json")
    assert code == 0
    (plan,) = json.loads(out)["datasets"]
    _, compared, _ = ragscore("compare", result, "--cluster", "topic", "--format", "json")
    (dataset,) = json.loads(compared)["datasets"]
    assert plan["clusters"] == dataset["clusters"] == 35
    primary = dataset["measures"][0]["differences"]
    found = {f"bm25 and {one['retriever']}": one for one in primary}
    for spread in plan["spreads"]:
        if spread["of"] in found:
            assert spread["detectable"] == pytest.approx(found[spread["of"]]["detectable"])
            assert spread["needed"]["0.01"] == found[spread["of"]]["needed"]
    code, out, _ = ragscore("power", ROOT / "datasets" / "harbour-tenancy", "--cluster", "topic")
    assert code == 0
    assert "74 judged queries in 35 clusters" in out


def test_power_counts_the_clusters_of_the_experiment(tmp_path: Path, ragscore) -> None:
    config = tmp_path / "x.yaml"
    text = CONFIG.format(dataset=ROOT / "datasets" / "harbour-tenancy")
    config.write_text(text + "compare: {cluster: topic}\n")
    ragscore("run", config, "--output", tmp_path / "out", "-q")
    assert "74 judged queries in 35 clusters" in ragscore("power", tmp_path / "out")[1]


def test_power_of_a_geometric_mean_is_that_of_its_logarithms(result: Path, ragscore) -> None:
    _, out, _ = ragscore("power", result, "-m", "GMAP", "--format", "json")
    planned = {one["of"]: one for one in json.loads(out)["datasets"][0]["spreads"]}
    _, out, _ = ragscore("compare", result, "-m", "GMAP", "--format", "json")
    for one in json.loads(out)["datasets"][0]["measures"][0]["differences"]:
        spread = planned[f"bm25 and {one['retriever']}"]
        assert spread["detectable"] == pytest.approx(one["detectable"])


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["{result}", "--cluster", "topc"], 2, "Did you mean 'topic'?"),
        (["{result}", "--sd", "-1"], 2, "--sd: -1 is not a standard deviation"),
        (["{result}", "--comparisons", "0"], 2, "--comparisons: 0. Give 1 or more"),
        (["{result}", "--difference", "0"], 2, "--difference: 0"),
        (["{root}/datasets/harbour-tenancy", "-m", "R@3"], 2, "a dataset has no scores"),
        (["nowhere"], 3, "nowhere"),
    ],
)
def test_wrong_asks_of_power(
    arguments: list[str], code: int, told: str, result: Path, ragscore
) -> None:
    given = [text.format(result=result, root=ROOT) for text in arguments]
    found, out, err = ragscore("power", *given)
    assert (found, out) == (code, "")
    assert told in err


def test_power_where_nothing_differs(files: Path, ragscore) -> None:
    """No spread is no reason for a division by zero."""
    from ragscore.comparison.power import PowerOptions, _spread
    from ragscore.stats.paired_power import PairedPower
    from ragscore.strings import Sentence

    pair = Sentence("power_pair", {"A": "x", "B": "y"})
    one, ten, wide = (PairedPower(sd, None, n, 1) for sd, n in ((0.2, 1), (5.0, 10), (50.0, 10)))
    assert math.isclose(_spread(pair, one, 1, PowerOptions(), (0.01,)).sd, 0.2)
    assert _spread(pair, one, 1, PowerOptions(difference=0.1), ()).detectable is None
    assert _spread(pair, ten, 1, PowerOptions(), (0.01,)).needed["0.01"] is not None
    assert _spread(pair, wide, 1, PowerOptions(), (0.01,)).needed["0.01"] is None


def test_comparing_imports_nothing_slow(result: Path) -> None:
    code = (
        "import sys\nfrom ragscore.cli import main\n"
        f"assert main(['compare', {str(result)!r}, '-q']) == 0\n"
        "print('scipy.stats' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.stderr.strip() == "False"
