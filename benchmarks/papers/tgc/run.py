"""The experiments of the TGC paper, repeated.

Loukides, Shao: "Data utility and privacy protection trade-off in k-anonymisation", PAIS 2008.

    python benchmarks/papers/tgc/run.py
    python benchmarks/papers/tgc/run.py against-k weights

Prints tables in Markdown, and writes them with all figures to `benchmarks/results`, and
with --write into the page of the documentation.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from command import asked, parser_of, run_all
from experiments import EXPERIMENTS, FULL, QUICK


def main() -> int:
    options = asked(parser_of(__doc__.splitlines()[0], EXPERIMENTS), EXPERIMENTS)
    scale = QUICK if options.quick else FULL
    chosen = {name: partial(EXPERIMENTS[name], scale) for name in options.experiment}
    run_all("tgc", chosen, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
