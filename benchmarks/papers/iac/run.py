"""The experiments of the IAC paper, repeated.

Li, Liu, Baig, Wong: "Information based data anonymization for classification utility", DKE 2011.

    python benchmarks/papers/iac/run.py
    python benchmarks/papers/iac/run.py eight four --k 10,100 --folds 5

Prints tables in Markdown, and writes them with all figures to `benchmarks/results`.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2]))

from data_sets import ALL_EIGHT, adult
from experiments import EXPERIMENTS, Scale
from parts import Part

from results import machine, say


def main() -> int:
    options = _options()
    scale = _scale(options)
    if not scale.synthetic and adult(ALL_EIGHT, 1) is None:
        say("there is no copy of Adult beside the project; --synthetic makes people up.")
        return 2
    about = machine()
    parts: dict[str, list[Part]] = {}
    for name in options.experiment or EXPERIMENTS:
        parts[name] = []
        for part in EXPERIMENTS[name](scale):
            parts[name].append(part)
            print(part.text(), flush=True)
    _write(options.output, parts, about)
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


def _write(folder: Path, parts: dict[str, list[Part]], about: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    figures = {name: [part.to_json() for part in of] for name, of in parts.items()}
    path = folder / "iac.json"
    path.write_text(json.dumps({"machine": about, "experiments": figures}, indent=1) + "\n")
    head = f"{about['cpu']}, Python {about['python']}, commit {about['commit']}\n"
    pages = [part.text() for of in parts.values() for part in of]
    path.with_suffix(".md").write_text("\n".join([head, *pages]), encoding="utf-8")
    say(f"written to {path} and {path.with_suffix('.md').name}")


if __name__ == "__main__":
    sys.exit(main())
