"""The experiments of the Improved Greedy paper, with Flash beside its three algorithms.

Babu, Reddy, Kumar, Elliot, Jena: "Achieving k-anonymity using improved greedy heuristics for very
large relational databases", Transactions on Data Privacy 6, 2013.

    python benchmarks/papers/improved_greedy/run.py
    python benchmarks/papers/improved_greedy/run.py fars

Seconds, counted nodes, iloss and level of generalisation against k on Adult and FARS, and against
the number of quasi-identifiers on Adult.  Prints tables in Markdown, and writes them with all
figures to `benchmarks/results`, and with --write into the page of the documentation.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from command import asked, parser_of, run_all
from experiments import EXPERIMENTS, FULL, QUICK

from results import say
from tables import fars


def main() -> int:
    options = asked(parser_of(__doc__.splitlines()[0], EXPERIMENTS), EXPERIMENTS)
    if fars() is None:
        say("there is no copy of FARS beside the project: nothing to run on.")
        return 2
    scale = QUICK if options.quick else FULL
    chosen = {name: partial(EXPERIMENTS[name], scale) for name in options.experiment}
    run_all("improved_greedy", chosen, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
