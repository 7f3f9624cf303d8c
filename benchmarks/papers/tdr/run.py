"""The experiments of the paper on top-down refinement, repeated.

Fung, Wang, Yu: "Anonymizing classification data for privacy preservation", TKDE 19(5), 2007.

    python benchmarks/papers/tdr/run.py
    python benchmarks/papers/tdr/run.py rows requirements

Prints tables in Markdown, and writes them with all figures to `benchmarks/results`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from experiments import EXPERIMENTS, FULL, NEED_NO_ADULT, QUICK
from parts import Part, write_parts

from results import machine, say
from tables import adult_uci_rows


def main() -> int:
    options = _options()
    names = options.experiment or list(EXPERIMENTS)
    if adult_uci_rows() is None:
        absent = [name for name in names if name not in NEED_NO_ADULT]
        if absent:
            say(f"there is no copy of Adult beside the project: {', '.join(absent)} left out.")
        names = [name for name in names if name in NEED_NO_ADULT]
    if not names:
        return 2
    about = machine()
    parts: dict[str, list[Part]] = {}
    for name in names:
        parts[name] = list(EXPERIMENTS[name](QUICK if options.quick else FULL))
        for part in parts[name]:
            print("\n".join(part.tables()) + "\n", flush=True)
    write_parts(options.output / "tdr.json", parts, about)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("experiment", nargs="*", help=f"one of {', '.join(EXPERIMENTS)}; or all")
    parser.add_argument("--quick", action="store_true", help="on few rows, to see that it works")
    parser.add_argument("--output", type=Path, default=Path(__file__).parents[2] / "results")
    options = parser.parse_args()
    strangers = [name for name in options.experiment if name not in EXPERIMENTS]
    if strangers:
        parser.error(f"there is no experiment called {', '.join(strangers)}.")
    return options


if __name__ == "__main__":
    sys.exit(main())
