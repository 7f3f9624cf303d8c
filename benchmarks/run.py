"""Measure incrowd, and print each figure beside its target.

python benchmarks/run.py                          all cases but the large ones
python benchmarks/run.py optimal command          some of them
python benchmarks/run.py pipeline --large         also 10 million records
python benchmarks/run.py scale --rows 100000      every algorithm on so many records
python benchmarks/run.py peers --peers .peers/bin/python
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import cases_auto
import cases_cancel
import cases_classes
import cases_classification
import cases_databases
import cases_engines
import cases_files
import cases_full_domain
import cases_local_search
import cases_pipeline
import cases_regions
import cases_requirements
import cases_scale
import cases_spark
import cases_wide
import peers
from results import machine, say, table_of, write_results
from setting import Setting

CASES = {
    "auto": cases_auto.for_each_purpose,
    "optimal": cases_full_domain.optimal,
    "algorithms": cases_full_domain.every_algorithm,
    "wide": cases_full_domain.many_columns,
    "walk": cases_wide.beside_a_walk,
    "mondrian": cases_regions.mondrian,
    "classes": cases_classes.on_adult,
    "local-search": cases_local_search.at_every_k,
    "trade-off": cases_classes.traded,
    "million-classes": cases_classes.on_a_million,
    "classification": cases_classification.every_search,
    "requirements": cases_requirements.beside_k,
    "command": cases_pipeline.command,
    "files": cases_files.small,
    "pipeline": cases_pipeline.million,
    "postgresql": cases_databases.postgresql,
    "large": cases_pipeline.ten_million,
    "engines": cases_engines.larger_than_memory,
    "more-rows": cases_engines.more_rows,
    "mondrian-large": cases_regions.mondrian_large,
    "cancel": cases_cancel.giving_up,
    "scale": cases_scale.every_algorithm,
    "spark": cases_spark.beside_spark,
    "spark-tuples": cases_spark.many_tuples,
    "peers": peers.beside_ours,
}
LARGE = (
    "cancel",
    "large",
    "engines",
    "more-rows",
    "mondrian-large",
    "scale",
    "spark",
    "spark-tuples",
)
RESULTS = Path(__file__).parent / "results"


def main() -> int:
    options = _options()
    chosen = options.cases or [name for name in CASES if name not in LARGE]
    if options.large:
        chosen += [name for name in LARGE if name not in chosen]
    about = machine()
    figures = []
    with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
        for name in chosen:
            say(f"-- {name}")
            place = Path(folder) / name
            place.mkdir()
            figures += CASES[name](
                Setting(options.repeats, place, options.peers, options.rows, options.seconds)
            )
    print(table_of(figures))
    say(f"written to {write_results(options.output, figures, about)}")
    missed = [figure for figure in figures if figure.passed is False]
    return 1 if missed and options.strict else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure incrowd against its targets.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}")
    parser.add_argument("--repeats", type=int, default=15, help="runs, of which the least counts")
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder of the results")
    parser.add_argument("--large", action="store_true", help="also 10 million records")
    parser.add_argument(
        "--peers",
        type=Path,
        default=os.environ.get("INCROWD_PEERS"),
        help="folder with a venv for each peer; INCROWD_PEERS if not given",
    )
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the cases scale and spark")
    parser.add_argument("--seconds", type=float, default=120.0, help="for each search of scale")
    parser.add_argument("--strict", action="store_true", help="exit 1 if a target is missed")
    parser.add_argument("--scratch", type=Path, help="folder for temporary files")
    options = parser.parse_args()
    unknown = [name for name in options.cases if name not in CASES]
    if unknown:
        parser.error(f"no case is called {', '.join(unknown)}; there are {', '.join(CASES)}")
    if options.repeats < 1:
        parser.error("--repeats must be 1 or more")
    return options


if __name__ == "__main__":
    sys.exit(main())
