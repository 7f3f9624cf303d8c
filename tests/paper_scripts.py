"""The scripts that repeat the experiments of papers, run as a reader would run them."""

import json
import os
import subprocess
import sys
from pathlib import Path

PAPERS = Path(__file__).parents[1] / "benchmarks" / "papers"
SHARED = Path(__file__).parents[2] / "shared" / "data"


def run(paper, *arguments):
    """Run the script of a paper with the package that the tests look at."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, PAPERS / paper / "run.py", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
    )


def experiments_in(path):
    return json.loads(path.read_text("utf-8"))["experiments"]
