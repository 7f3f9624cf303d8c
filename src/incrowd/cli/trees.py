"""``incrowd hierarchy``: show, build and check generalization hierarchies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd.cli.options import say
from incrowd.errors import ParameterError

app = typer.Typer(
    help="Show, build and check generalization hierarchies.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A hierarchy file.")]
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
    separator: SeparatorFlag = ";",
) -> None:
    """Check that a file is a tree, and that it covers a column of a table."""
    from incrowd.engines import engine_for
    from incrowd.hierarchies import check_covers, read_hierarchy

    tree = read_hierarchy(file, separator=separator)
    say(f"{file}: {tree.n_leaves:,} leaves, {tree.height + 1} levels.")
    if (data is None) != (column is None):
        raise ParameterError("--data and --column go together.", hint="give both or neither.")
    if data is not None and column is not None:
        values = engine_for(data).distinct(column, missing=("",))
        check_covers(tree, values.texts, column)
        say(f"it covers all {len(values.texts):,} distinct values of column {column!r}.")


@app.command()
def build(
    data: Annotated[str, typer.Argument(metavar="INPUT", help="A CSV or Parquet file.")],
    column: Annotated[str, typer.Option("--column", help="The column.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The hierarchy file; else stdout.")
    ] = None,
    intervals: Annotated[
        str | None, typer.Option("--intervals", help="Widths: 5,10,20.", metavar="WIDTHS")
    ] = None,
    dates: Annotated[
        str | None, typer.Option("--dates", help="Periods: month,year.", metavar="PERIODS")
    ] = None,
    ordered: Annotated[
        int | None, typer.Option("--ordered", help="Neighbours merged per level.")
    ] = None,
    masking: Annotated[bool, typer.Option("--masking", help="Mask from the right.")] = False,
    suppression: Annotated[bool, typer.Option("--suppression", help="Only * above.")] = False,
    separator: SeparatorFlag = ";",
) -> None:
    """Build a hierarchy from the values of a column; without a builder, choose one."""
    import sys

    from incrowd.engines import engine_for
    from incrowd.frame import check_target
    from incrowd.hierarchies import spec_from_policy, write_hierarchy

    given: dict[str, Any] = {
        "intervals": None if intervals is None else [_number(each) for each in _listed(intervals)],
        "dates": None if dates is None else _listed(dates),
        "ordered": ordered,
        "masking": masking or None,
        "suppression": suppression or None,
    }
    chosen = {key: value for key, value in given.items() if value is not None}
    if len(chosen) > 1:
        raise ParameterError("several builders are given.", hint="choose one of them.")
    if output is not None:
        check_target(output, inputs=[data])
    spec = spec_from_policy(chosen or "auto", folder=Path())
    values = engine_for(data).distinct(column, missing=("",))
    tree = spec.build(values.texts, column=column)
    write_hierarchy(
        tree, sys.stdout if output is None else output, separator=separator, private=True
    )
    if output is not None:
        say(f"{output}: {tree.n_leaves:,} leaves, {tree.height + 1} levels; "
            f"`incrowd hierarchy show {output}` prints them.")  # fmt: skip


def _listed(flag: str) -> list[str]:
    return [each.strip() for each in flag.split(",") if each.strip()]


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise ParameterError(
            "--intervals takes numbers.", hint="write for example --intervals 5,10,20."
        ) from None
