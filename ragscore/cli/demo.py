"""``ragscore demo``: the quickstart, from data that comes with the package."""

from __future__ import annotations

from pathlib import Path

from ragscore.cli import run
from ragscore.cli.options import Debug, Format, NoCache, Only, Output, Overwrite, Quiet
from ragscore.cli.streams import print_note


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
    from ragscore.cli.init import dense_is_installed

    if not only and not dense_is_installed():
        only = ["bm25"]
        print_note(
            "runs only bm25; the dense retrievers need the extra dense: "
            "pip install 'ragscore-eval[dense]', or in a clone "
            "pip install -c constraints.txt -e '.[dense]'"
        )
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
