"""Make the tables of the pages about papers anew.

    python benchmarks/papers/write.py
    python benchmarks/papers/write.py tdr iac --times

Runs the script of each paper, of all if none is named, and puts its tables into the page of the
documentation; those that show times only if it is told to, for no run repeats them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PAPERS = sorted(path.parent.name for path in HERE.glob("*/run.py"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "paper", nargs="*", help=f"one of {', '.join(PAPERS)}; all if none is named"
    )
    parser.add_argument("--times", action="store_true", help="the tables that show times too")
    options, others = parser.parse_known_args()
    strangers = [name for name in options.paper if name not in PAPERS]
    if strangers:
        parser.error(f"there is no paper called {', '.join(strangers)}.")
    flag = "--write-times" if options.times else "--write"
    codes = [
        subprocess.run([sys.executable, HERE / paper / "run.py", flag, *others]).returncode
        for paper in options.paper or PAPERS
    ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
