"""``ragscore demo``: the quickstart, from data that comes with the package."""

from __future__ import annotations

from pathlib import Path

from ragscore.cli import run
from ragscore.cli.options import Debug, Format, NoCache, Only, Output, Overwrite, Quiet


def main(
    output: Output = None,
    overwrite: Overwrite = False,
    only: Only = None,
    format: Format = "table",
    quiet: Quiet = False,
    no_cache: NoCache = False,
    debug: Debug = False,
) -> None:
    """Run the quickstart on the dataset that ships with ragscore."""
    run.main(
        demo_config(),
        output=output,
        overwrite=overwrite,
        only=only,
        format=format,
        quiet=quiet,
        no_cache=no_cache,
    )


def demo_config() -> Path:
    """The quickstart's config: packaged in a wheel, in its own place in a checkout."""
    import ragscore

    package = Path(ragscore.__file__).parent
    packaged = package / "_demo" / "configs" / "quickstart.yaml"
    return packaged if packaged.is_file() else package.parent / "configs" / "quickstart.yaml"
