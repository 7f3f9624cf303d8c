"""The commands; each imports what it needs when it runs, so that help is quick."""

from typing import Annotated

import typer

from incrowd.cli import checking, comparing, releasing, showing, trees
from incrowd.version import __version__

app = typer.Typer(
    name="incrowd",
    help="Turn a table about people into one that can be shared: every record hides in a crowd "
    "of at least k.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: half the start-up time
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"incrowd {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


app.command()(releasing.anonymize)
app.command()(checking.verify)
app.command()(checking.measure)
app.command()(checking.inspect)
app.command()(comparing.compare)
app.command()(releasing.apply)
app.command()(showing.algorithms)
app.add_typer(trees.app, name="hierarchy")
app.command()(showing.demo)
