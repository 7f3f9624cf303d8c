"""``incrowd hierarchy``: show, build, suggest and check generalization hierarchies."""

from __future__ import annotations

import inspect
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from incrowd.cli.options import say
from incrowd.errors import ParameterError

if TYPE_CHECKING:
    from incrowd.hierarchies import CountedValues, Flag, Hierarchy

app = typer.Typer(
    help="Show, build, suggest and check generalization hierarchies.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_CHOSEN = "incrowd.builders"  # where the flags leave which builder is wanted, by its key

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A hierarchy file.")]
InputArgument = Annotated[str, typer.Argument(metavar="INPUT", help="A file with the column.")]
ColumnFlag = Annotated[str, typer.Option("--column", help="The column.")]
OutputFlag = Annotated[
    Path | None, typer.Option("--output", "-o", help="The hierarchy file; else stdout.")
]
TargetFlag = Annotated[
    str | None, typer.Option("--target", help="What --likeness compares.", metavar="NAME")
]
SeparatorFlag = Annotated[str, typer.Option("--separator", help="Between the cells of the file.")]


@app.command()
def show(file: FileArgument, separator: SeparatorFlag = ";") -> None:
    """Print the levels of a hierarchy."""
    from incrowd.hierarchies import read_hierarchy
    from incrowd.hierarchies import show as shown

    print(shown(read_hierarchy(file, separator=separator)))


@app.command()
def check(
    file: FileArgument,
    data: Annotated[
        str | None, typer.Option("--data", help="A table it must cover.", metavar="INPUT")
    ] = None,
    column: Annotated[str | None, typer.Option("--column", help="The table's column.")] = None,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="List missing and unused values on stdout.")
    ] = False,
    separator: SeparatorFlag = ";",
) -> None:
    """Check that a file is a tree, and that it covers a column of a table."""
    from incrowd.engines import engine_for
    from incrowd.hierarchies import check_covers, read_hierarchy
    from incrowd.hierarchies.cover import Coverage

    tree = read_hierarchy(file, separator=separator)
    say(f"{file}: {tree.n_leaves:,} leaves, {tree.height + 1} levels.")
    if (data is None) != (column is None):
        raise ParameterError("--data and --column go together.", hint="give both or neither.")
    if show_values and data is None:
        raise ParameterError(
            "--show-values needs a table to compare with.", hint="give --data and --column too."
        )
    if data is not None and column is not None:
        values = engine_for(data).distinct(column, missing=("",))
        compared = Coverage.of(tree, values.texts)
        say(f"column {column!r}: {compared.describe()}.")
        if show_values:
            print(compared.listed(), end="")
        check_covers(tree, values.texts, column)
        say(f"it covers all {len(values.texts):,} distinct values of column {column!r}.")


class WithBuilders(TyperCommand):
    """A command with a flag for each hierarchy builder; they are looked up when it is used."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the flags of the command, and those of the builders."""
        own = super().get_params(ctx)
        taken = {flag for each in own for flag in each.opts}
        builders = [each for each in _builder_flags() if taken.isdisjoint(each.opts)]
        return [*self.params, *builders, *own[len(self.params) :]]  # the help comes last


@app.command(cls=WithBuilders)
def build(
    context: typer.Context,
    data: InputArgument,
    column: ColumnFlag,
    output: OutputFlag = None,
    target: TargetFlag = None,
    separator: SeparatorFlag = ";",
) -> None:
    """Build a hierarchy from the values of a column; without a builder, choose one."""
    tree, _ = _built(context, data, column, target, output)
    _written(tree, output, separator)
    if output is not None:
        say(f"{output}: {tree.n_leaves:,} leaves, {tree.height + 1} levels; "
            f"`incrowd hierarchy show {output}` prints them.")  # fmt: skip


@app.command(cls=WithBuilders)
def suggest(
    context: typer.Context,
    data: InputArgument,
    column: ColumnFlag,
    output: OutputFlag = None,
    target: TargetFlag = None,
    separator: SeparatorFlag = ";",
) -> None:
    """Suggest a hierarchy for a column, with how many records each level holds; edit it, use it."""
    from incrowd.hierarchies.show import levels_with_counts, tree_with_counts

    tree, counted = _built(context, data, column, target, output)
    records = counted.under(tree)
    say(levels_with_counts(tree, records))
    _written(tree, output, separator)
    if output is not None:
        print(tree_with_counts(tree, records))
        say(f"{output}: edit it, then `incrowd hierarchy check {output} --data {data} --column "
            f"{column}` says what it covers.")  # fmt: skip


def _built(
    context: typer.Context, data: str, column: str, target: str | None, output: Path | None
) -> tuple[Hierarchy, CountedValues]:
    """Return the hierarchy that the flags ask for, and how often the values of the column occur."""
    from incrowd.engines import engine_for
    from incrowd.frame import check_target
    from incrowd.hierarchies import CountingSpec, built, spec_from_policy
    from incrowd.release.value_counts import count_values

    chosen = context.meta.get(_CHOSEN, {})
    if len(chosen) > 1:
        raise ParameterError("several builders are given.", hint="choose one of them.")
    if output is not None:
        check_target(output, inputs=[data])
    spec = spec_from_policy(chosen or "auto", folder=Path())
    if target is not None and not isinstance(spec, CountingSpec):
        raise ParameterError("--target does nothing here.", hint="it goes with --likeness.")
    names = (column,) if target is None else (column, target)
    looking = engine_for(data).looking_at(names, None)
    counted = count_values(looking, column, ("",), target)
    if isinstance(spec, CountingSpec):
        spec = spec.counting(counted, column=column)
    return built(spec, counted.texts, column=column), counted


def _written(tree: Hierarchy, output: Path | None, separator: str) -> None:
    """Write a hierarchy where only its owner can read it, or to standard output."""
    import sys

    from incrowd.hierarchies import write_hierarchy

    write_hierarchy(
        tree, sys.stdout if output is None else output, separator=separator, private=True
    )


@cache
def _builder_flags() -> list[Any]:
    """Return an option for each builder that can be asked for so."""
    from incrowd.hierarchies import flags

    def options() -> None:
        """Stand for a command that has these options and no others."""

    parameters = [
        inspect.Parameter(f"builder_{at}", inspect.Parameter.KEYWORD_ONLY, **_option(key, flag))
        for at, (key, flag) in enumerate(flags().items())
    ]
    options.__annotations__ = {each.name: each.annotation for each in parameters}
    options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command = typer.Typer(add_completion=False, rich_markup_mode=None)
    command.command()(options)
    return list(get_command(command).params)


def _option(key: str, flag: Flag) -> dict[str, Any]:
    """Return the type of a builder's option and its default: not chosen."""

    def choose(context: typer.Context, given: str | bool | None) -> None:
        if given is not None and given is not False:
            context.meta.setdefault(_CHOSEN, {})[key] = _read(key, flag, given)

    option = typer.Option(
        f"--{key}", help=flag.help, metavar=flag.value, callback=choose, expose_value=False
    )
    if flag.value is None:
        return {"annotation": Annotated[bool, option], "default": False}
    return {"annotation": Annotated[str | None, option], "default": None}


def _read(key: str, flag: Flag, given: str | bool) -> object:
    """Return the value of the builder's key in a policy."""
    try:
        return True if given is True else flag.read(str(given))
    except ValueError:
        raise ParameterError(f"--{key} cannot be read.", hint=flag.help) from None
