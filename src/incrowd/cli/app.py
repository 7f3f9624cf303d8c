"""The commands as Typer knows them: whatever `plain` leaves to it, help and wrong use too.

Each command imports what it needs when it runs, so that help is quick.
"""

from typing import Annotated

import typer

from incrowd.cli import trees
from incrowd.cli.declared import for_typer
from incrowd.cli.plain import COMMANDS, command_called
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


for name in COMMANDS:
    app.command()(for_typer(command_called(name)))
app.add_typer(trees.app, name="hierarchy")
