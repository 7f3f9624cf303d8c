"""The experiments of the IAC paper, repeated.

Li, Liu, Baig, Wong: "Information based data anonymization for classification utility", DKE 2011.

    python benchmarks/papers/iac/run.py
    python benchmarks/papers/iac/run.py eight four --k 10,100 --folds 5

Prints tables in Markdown, and writes them with all figures to `benchmarks/results`.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from data_sets import ALL_EIGHT, adult
from experiments import EXPERIMENTS, Scale
from parts import TablePart, write_parts

from results import machine, say


def main() -> int:
    options = _options()
    scale = _scale(options)
    if not scale.synthetic and adult(ALL_EIGHT, 1) is None:
        say("there is no copy of Adult beside the project; --synthetic makes people up.")
        return 2
    about = machine()
    parts: dict[str, list[TablePart]] = {}
    for name in options.experiment or EXPERIMENTS:
        parts[name] = []
        for part in EXPERIMENTS[name](scale):
            parts[name].append(part)
            print("\n".join(part.tables()) + "\n", flush=True)
    write_parts(options.output / "iac.json", parts, about)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("experiment", nargs="*", help=f"one of {', '.join(EXPERIMENTS)}; or all")
    parser.add_argument("--k", help="other k than the paper's: 10,100")
    parser.add_argument("--folds", type=int, help="other folds than ten")
    parser.add_argument("--quick", action="store_true", help="on few rows, to see that it works")
    parser.add_argument("--synthetic", action="store_true", help="on people who do not exist")
    parser.add_argument("--output", type=Path, default=Path(__file__).parents[2] / "results")
    options = parser.parse_args()
    strangers = [name for name in options.experiment if name not in EXPERIMENTS]
    if strangers:
        parser.error(f"there is no experiment called {', '.join(strangers)}.")
    return options


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
