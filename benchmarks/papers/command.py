"""What the scripts of all papers have in common: their command line, and how they run."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pages import PAGES, write_tables
from parts import Shown, printed

from results import machine, say


def parser_of(description: str, experiments: Collection[str]) -> argparse.ArgumentParser:
    """Return the command line that the scripts have in common."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "experiment", nargs="*", help=f"one of {', '.join(experiments)}; all if none is named"
    )
    parser.add_argument("--quick", action="store_true", help="on few rows, to see that it works")
    parser.add_argument("--output", type=Path, default=Path(__file__).parents[1] / "results")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    parser.add_argument(
        "--write-times", action="store_true", help="those that show times too, which do not repeat"
    )
    parser.add_argument("--pages", type=Path, default=PAGES, help="the folder of the page")
    return parser


def asked(
    parser: argparse.ArgumentParser, experiments: Collection[str], smaller: Sequence[str] = ()
) -> argparse.Namespace:
    """Read the command line; `experiment` then lists those to run.

    With `--quick`, or one of the `smaller` options, less is run than a page shows, and none of it
    may go there.
    """
    options = parser.parse_args()
    strangers = [name for name in options.experiment if name not in experiments]
    if strangers:
        parser.error(f"there is no experiment called {', '.join(strangers)}.")
    given = [name for name in ("quick", *smaller) if getattr(options, name)]
    options.write |= options.write_times
    if options.write and given:
        parser.error(f"what --{given[0]} makes is not for the page.")
    options.experiment = options.experiment or list(experiments)
    return options


def run_all(
    paper: str,
    experiments: Mapping[str, Callable[[], Iterable[Shown]]],
    options: argparse.Namespace,
) -> None:
    """Run experiments, print their tables as they come, and write all of it in the end."""
    about = machine()
    parts: dict[str, list[Shown]] = {}
    for name, experiment in experiments.items():
        parts[name] = []
        for part in experiment():
            parts[name].append(part)
            print(printed(part), flush=True)
    _write(options.output / f"{paper}.json", parts, about)
    if options.write:
        page = options.pages / f"{paper.replace('_', '-')}.md"
        _write_page(page, parts, times=options.write_times)


def _write(path: Path, parts: Mapping[str, Sequence[Shown]], about: dict[str, Any]) -> None:
    """Write the figures of all experiments as JSON, and their tables beside them in Markdown."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figures = {name: [_plain(part) for part in of] for name, of in parts.items()}
    path.write_text(json.dumps({"machine": about, "experiments": figures}, indent=1) + "\n")
    head = f"{about['cpu']}, Python {about['python']}, commit {about['commit']}\n"
    tables = [printed(part) for of in parts.values() for part in of]
    path.with_suffix(".md").write_text("\n".join([head, *tables]))
    say(f"written to {path} and {path.with_suffix('.md').name}")


def _plain(part: Shown) -> dict[str, Any]:
    return {**part.to_json(), "tables": {table.name: table.text for table in part.tables()}}


def _write_page(page: Path, parts: Mapping[str, Sequence[Shown]], *, times: bool) -> None:
    """Put the tables into the page, and say which of its tables are as they were."""
    tables = [table for of in parts.values() for part in of for table in part.tables()]
    left = write_tables(page, tables, times=times)
    say(f"{page} is written.")
    for name in left:
        say(f"not made anew: {name}")
