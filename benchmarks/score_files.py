"""From a run file to seven printed means: seconds and memory of whole processes, side by side.

    python benchmarks/score_files.py [--runs N] [marco] [rag] [dl]
    python benchmarks/score_files.py --scale [QUERIES ...]

What is timed is ``ragscore score`` itself, and for the Python packages a small driver that reads
the files, evaluates and prints. The second form scores recorded runs of 100 passages a query, by
default for 0.2, 0.5, 1 and 2 million queries: time must be linear and memory under 1.5 GB. Tools
that are not installed are left out; so is trec_eval unless RAGSCORE_TREC_EVAL names its binary.
Rounds go through all tools in turn, so that all of them see the same machine; the first round is
not counted (files are cached and modules compiled then), and medians are printed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import gen_runs

MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "R@1000", "Success@10"]
NUMBER = re.compile(r"\d\.\d+")
SCALE = ["200000", "500000", "1000000", "2000000"]


def with_pytrec_eval(run: str, qrels: str) -> Mapping[str, float]:
    import numpy as np
    import pytrec_eval

    with Path(qrels).open() as file:
        judged = pytrec_eval.parse_qrel(file)
    with Path(run).open() as file:
        returned = pytrec_eval.parse_run(file)
    names = {"nDCG@10": "ndcg_cut_10", "AP": "map", "RR": "recip_rank", "P@10": "P_10"}
    names |= {"R@100": "recall_100", "R@1000": "recall_1000", "Success@10": "success_10"}
    asked = {"ndcg_cut.10", "map", "recip_rank", "P.10", "recall.100,1000", "success.10"}
    values = pytrec_eval.RelevanceEvaluator(judged, asked).evaluate(returned).values()
    return {
        ours: float(np.mean([value[theirs] for value in values])) for ours, theirs in names.items()
    }


def with_ir_measures(run: str, qrels: str) -> Mapping[str, float]:
    import ir_measures

    asked = [ir_measures.parse_measure(name) for name in MEASURES]
    judged = list(ir_measures.read_trec_qrels(qrels))
    means = ir_measures.calc_aggregate(asked, judged, ir_measures.read_trec_run(run))
    return {str(measure): value for measure, value in means.items()}


def with_ranx(run: str, qrels: str) -> Mapping[str, float]:
    from ranx import Qrels, Run, evaluate

    judged, returned = Qrels.from_file(qrels, kind="trec"), Run.from_file(run, kind="trec")
    names = ["ndcg@10", "map", "mrr", "precision@10", "recall@100", "recall@1000", "hit_rate@10"]
    means = evaluate(judged, returned, names, make_comparable=True)
    return {ours: float(means[theirs]) for ours, theirs in zip(MEASURES, names, strict=True)}


TOOLS: Mapping[str, tuple[str, Callable[[str, str], Mapping[str, float]]]] = {
    "pytrec_eval": ("pytrec_eval", with_pytrec_eval),
    "ir_measures": ("ir_measures", with_ir_measures),
    "ranx": ("ranx", with_ranx),
}


@dataclass(frozen=True)
class Taken:
    """What one process took, and what it printed; ``value`` is its nDCG@10."""

    seconds: float
    processor_seconds: float
    gigabytes: float
    value: float
    printed: str


def scored(run: Path, qrels: Path) -> list[str]:
    """The command line of ragscore itself."""
    asked = [word for name in MEASURES for word in ("-m", name)]
    command = [sys.executable, "-m", "ragscore", "score", str(run), "--qrels", str(qrels)]
    return [*command, *asked, "--format", "csv", "--quiet"]


def commands(run: Path, recorded: Path, qrels: Path) -> dict[str, list[str]]:
    """The command of each tool that is there."""
    this = [sys.executable, __file__, "--with"]
    found = {"ragscore, text": scored(run, qrels), "ragscore, parquet": scored(recorded, qrels)}
    for tool, (package, _) in TOOLS.items():
        if importlib.util.find_spec(package):
            found[tool] = [*this, tool, str(run), str(qrels)]
    binary = os.environ.get("RAGSCORE_TREC_EVAL")
    if binary:
        asked = ["ndcg_cut.10", "map", "recip_rank", "P.10", "recall.100,1000", "success.10"]
        options = [word for name in asked for word in ("-m", name)]
        found["trec_eval"] = [binary, *options, str(qrels), str(run)]
    return found


def took(command: list[str]) -> Taken:
    """Run a process to its end, as one that may keep its compiled modules."""
    settings = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=settings) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} failed")
    unit = 1 if sys.platform == "darwin" else 1024
    first = next(line for line in printed.splitlines() if "ndcg" in line.lower())
    value = NUMBER.findall(first.lower().partition("ndcg")[2])[-1]
    busy = usage.ru_utime + usage.ru_stime
    return Taken(seconds, busy, usage.ru_maxrss * unit / 1e9, float(value), printed)


def generate(folder: Path, name: str) -> None:
    """In a process of its own: a child's peak memory begins with its parent's, on Linux, so
    this process stays small."""
    subprocess.run([sys.executable, gen_runs.__file__, str(folder), name], check=True)


def compare(folder: Path, name: str, runs: int) -> None:
    """One shape: every tool in turn, as often as asked."""
    shape = gen_runs.shape_of(name)
    generate(folder, name)
    files = [folder / f"{name}.{suffix}" for suffix in ("run", "parquet", "qrels")]
    results: dict[str, list[Taken]] = {}
    for each in range(runs + 1):
        for tool, command in commands(*files).items():
            taken = took(command)
            if each:
                results.setdefault(tool, []).append(taken)
    size = files[0].stat().st_size / 1e6
    print(f"\n{name}: {shape.queries:,} x {shape.depth:,}, {shape.judged} judged, {size:.0f} MB")
    print(f"{'':<20}{'seconds':>9}{'GB':>7}{'x text':>9}{'x parquet':>11}  nDCG@10")
    medians = {
        tool: statistics.median(one.seconds for one in all_) for tool, all_ in results.items()
    }
    for tool, all_ in results.items():
        memory = max(one.gigabytes for one in all_)
        ratios = [medians[tool] / medians[f"ragscore, {kind}"] for kind in ("text", "parquet")]
        print(
            f"{tool:<20}{medians[tool]:>9.2f}{memory:>7.2f}"
            f"{ratios[0]:>9.1f}{ratios[1]:>11.1f}  {all_[0].value:.4f}"
        )


def scale(folder: Path, names: list[str]) -> None:
    """Recorded runs of growing size."""
    print(f"{'queries':>10}{'seconds':>9}{'GB':>7}{'us a query':>12}")
    for name in names:
        generate(folder, name)
        files = [folder / f"{name}.{suffix}" for suffix in ("parquet", "qrels")]
        one = took(scored(*files))
        each = 1e6 * one.seconds / int(name)
        print(f"{int(name):>10,}{one.seconds:>9.2f}{one.gigabytes:>7.2f}{each:>12.1f}", flush=True)
        for file in files:
            file.unlink()


def main() -> None:
    if sys.argv[1:2] == ["--with"]:
        _, tool, run, qrels = sys.argv[1:]
        for name, value in TOOLS[tool][1](run, qrels).items():
            print(f"{name} {value:.10f}")
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    with tempfile.TemporaryDirectory() as folder:
        if asked.scale:
            scale(Path(folder), asked.names or SCALE)
        else:
            for name in asked.names or gen_runs.SHAPES:
                compare(Path(folder), name, asked.runs)


if __name__ == "__main__":
    main()
