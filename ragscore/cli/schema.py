"""``ragscore schema``: JSON Schemas, for editors and for readers of results."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ragscore.cli.options import Debug
from ragscore.cli.streams import print_text


def main(
    of: Annotated[
        Literal[
            "config",
            "summary",
            "comparison",
            "sweep",
            "gate",
            "tuning",
            "score",
            "power",
            "changes",
            "anchor",
            "migrate",
            "check",
        ],
        typer.Argument(
            metavar="WHAT",
            help="The experiment file, a file of a result, or what a command prints.",
        ),
    ] = "config",
    debug: Debug = False,
) -> None:
    """Print the JSON Schema of the config, of a result's files or of what a command prints."""
    import json

    from ragscore.anchoring.anchored import anchored_schema
    from ragscore.anchoring.migrated import migrated_schema
    from ragscore.change.ranking_changes import ranking_changes_schema
    from ragscore.cli.score_documents import score_schema
    from ragscore.comparison.comparing import comparison_schema
    from ragscore.comparison.power_analysis import power_schema
    from ragscore.diagnose.check_run import check_schema
    from ragscore.experiment import experiment_schema
    from ragscore.gate.record import gate_schema
    from ragscore.results.summary import summary_schema
    from ragscore.sweeps.record import sweep_schema
    from ragscore.tuning.record import tuning_schema

    made = {
        "config": experiment_schema,
        "summary": summary_schema,
        "comparison": comparison_schema,
        "sweep": sweep_schema,
        "gate": gate_schema,
        "tuning": tuning_schema,
        "score": score_schema,
        "power": power_schema,
        "changes": ranking_changes_schema,
        "anchor": anchored_schema,
        "migrate": migrated_schema,
        "check": check_schema,
    }
    schema = made[of]()
    print_text(json.dumps(schema, indent=2, ensure_ascii=False), machine=True)
