"""Ask the real tools, and keep what they say under ``tests/oracles/recorded``.

    python -m benchmarks.oracles.record [NAME...]

A tool that is not installed is left as it was recorded; see ``docs/conventions.md`` for how the
environment is made. The tests hold each profile to these files, and to the tool itself where it
is installed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.oracles import libraries, tools
from benchmarks.oracles.inputs import Feature, make
from benchmarks.oracles.tools import Numbers, Tool

FOLDER = Path(__file__).parents[2] / "tests" / "oracles" / "recorded"
SEED = 20240607

REAL: dict[Feature, str] = {"real": "grades are whole numbers there"}
NEGATIVE: dict[Feature, str] = {"negative": "a negative grade would be subtracted or refused"}
TIES: dict[Feature, str] = {"ties": "tied passages stand in another order there"}
NEAR: dict[Feature, str] = {"near ties": "they tie as 32-bit floats: see ties"}
GIVEN: dict[Feature, str] = {
    "missing": "it is handed one query at a time, so none is missing",
    "extra": "it is handed the judged queries only",
}
BINARY: dict[Feature, str] = {"negative": "its ground truth is a list of ids", **REAL}
NOTHING: dict[Feature, str] = {"irrelevant": "it refuses an empty ground truth"}
WHOLE: dict[Feature, str] = {
    "short": "every passage has a score there",
    "unjudged": "every passage has a grade there",
    "unreturned": "every passage has a score there",
}

TOOLS: dict[str, Tool] = {
    "trec9": Tool(
        "trec9", "pytrec_eval-terrier", "pytrec_eval", tools.ask_pytrec_eval, {**REAL}
    ),
    "ir_measures": Tool(
        "ir_measures", "ir_measures", "ir_measures", tools.ask_ir_measures, {**REAL}
    ),
    "ir_measures-64": Tool(
        "ir_measures", "ir_measures", "ir_measures", tools.ask_ir_measures_64,
        {**REAL, **TIES, **NEAR, "negative": "its Judged counts a negative grade as judged"},
        beside=("cwl-eval",),
    ),
    "ranx": Tool("ranx", "ranx", "ranx", tools.ask_ranx, {**REAL, **TIES}),
    "beir": Tool("beir", "beir", "beir", tools.ask_beir, REAL, within=5.01e-6),
    "beir-custom": Tool(
        "beir", "beir", "beir", tools.ask_beir_custom,
        {
            **REAL, **TIES, **NEAR, "self": "evaluate_custom keeps it", "missing": "it counts as 0",
            "extra": "it refuses a query without judgments",
            "irrelevant": "R_cap divides by 0 there",
        },
        within=5.01e-6,
    ),
    "torchmetrics": Tool(
        "torchmetrics", "torchmetrics", "torchmetrics", tools.ask_torchmetrics,
        {**REAL, **TIES, **NEAR, **NEGATIVE, **GIVEN, "short": "what did not come back fills up"},
        within=1e-6,
    ),
    "torchmetrics-ties": Tool(
        "torchmetrics", "torchmetrics", "torchmetrics", tools.ask_torchmetrics_ties,
        {
            **REAL, **NEGATIVE, **GIVEN, "short": "what did not come back fills up",
            "near ties": "it compares 32-bit floats if it is given such",
        },
        within=1e-6,
    ),
    "sklearn": Tool(
        "sklearn", "scikit-learn", "sklearn", tools.ask_sklearn,
        {
            **TIES, **NEGATIVE, **GIVEN, **WHOLE, "real": "AP and AUC need relevant ones",
            "irrelevant": "AUC is undefined there",
        },
    ),
    "sklearn-ties": Tool(
        "sklearn", "scikit-learn", "sklearn", tools.ask_sklearn_ties,
        {**NEGATIVE, **GIVEN, **WHOLE},
    ),
    "autorag": Tool(
        "autorag", "AutoRAG", "autorag", libraries.ask_autorag,
        {**BINARY, **TIES, **GIVEN, **NOTHING},
    ),
    "autorag-groups": Tool(
        "autorag", "AutoRAG", "autorag", libraries.ask_autorag_groups,
        {
            **BINARY, **TIES, **GIVEN, **NOTHING,
            "short": "its nDCG and F1 take what came back for k",
        },
    ),
    "llamaindex": Tool(
        "llamaindex", "llama-index-core", "llama_index.core", libraries.ask_llamaindex,
        {**BINARY, **TIES, **GIVEN, **NOTHING},
    ),
    "implicit": Tool(
        "implicit", "implicit", "implicit", libraries.ask_implicit,
        {**BINARY, **TIES, **GIVEN, "short": "a model recommends k items to everybody"},
    ),
    "recommenders": Tool(
        "recommenders", "recommenders", "recommenders", libraries.ask_recommenders,
        {**BINARY, **TIES},
    ),
    "recommenders-ndcg": Tool(
        "recommenders", "recommenders", "recommenders", libraries.ask_recommenders_ndcg,
        {**BINARY, **TIES, "missing": "its nDCG counts a missing query as 0"},
    ),
}  # fmt: skip


def lacking(tool: Tool) -> str | None:
    """The package that must be installed before the tool can be asked; None where all are."""
    try:
        if find_spec(tool.module) is None:
            return tool.package
    except ModuleNotFoundError:
        return tool.package
    for package in tool.beside:
        try:
            version(package)
        except PackageNotFoundError:
            return package
    return None


def asked(tool: Tool, seed: int = SEED) -> dict[str, Any]:
    """The inputs that the tool was given, and what it said."""
    inputs = make(seed, tool.cannot)
    numbers: Numbers = tool.ask(inputs.run, inputs.qrels)
    return {
        "profile": tool.profile,
        "package": f"{tool.package} {version(tool.package)}",
        "left out": tool.cannot,
        "within": tool.within,
        "run": inputs.run,
        "qrels": inputs.qrels,
        "numbers": numbers,
    }


def main(names: Iterable[str]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names or TOOLS:
        if package := lacking(TOOLS[name]):
            print(f"{name}: {package} is not installed, left as it is", file=sys.stderr)
            continue
        path = FOLDER / f"{name}.json"
        text = json.dumps(asked(TOOLS[name]), indent=None, separators=(",", ":"), sort_keys=True)
        path.write_text(text.replace('},"', '},\n"') + "\n", encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
