"""The experiments of the IAC paper, repeated.

Li, Liu, Baig, Wong: "Information based data anonymization for classification utility", DKE 2011.

    python benchmarks/papers/iac/run.py
    python benchmarks/papers/iac/run.py eight four --k 10,100 --folds 5

Prints tables in Markdown, and writes them with all figures to `benchmarks/results`, and
with --write into the page of the documentation.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from command import asked, parser_of, run_all
from experiments import EXPERIMENTS, Scale


def main() -> int:
    parser = parser_of(__doc__.splitlines()[0], EXPERIMENTS)
    parser.add_argument("--k", help="other k than the paper's: 10,100")
    parser.add_argument("--folds", type=int, help="other folds than ten")
    parser.add_argument("--synthetic", action="store_true", help="on people who do not exist")
    options = asked(parser, EXPERIMENTS, ("k", "folds", "synthetic"))
    scale = _scale(options)
    chosen = {name: partial(EXPERIMENTS[name], scale) for name in options.experiment}
    run_all("iac", chosen, options)
    return 0


def _scale(options: argparse.Namespace) -> Scale:
    scale = Scale(synthetic=options.synthetic)
    if options.quick:
        scale = scale.quick()
    if options.k:
        ks = tuple(int(each) for each in options.k.split(","))
        scale = replace(scale, ks=ks, joint_ks=tuple(k for k in ks if k in scale.joint_ks))
    return replace(scale, folds=options.folds or scale.folds)


if __name__ == "__main__":
    sys.exit(main())
