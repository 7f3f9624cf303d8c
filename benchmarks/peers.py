"""Other packages on the same table: each in a process of its own, with a Python that has it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import incrowd as ic
from results import Figure, say
from setting import Setting
from tables import ADULT, Table, adult, adult_folder
from yardstick import least, timed

PEER_RUNS = Path(__file__).with_name("peer_runs.py")
K = 10
PEERS = {
    "anjana": "anjana, 2% (greedy full domain)",
    "crowds": "crowds, 0% (OLA)",
    "anonypy": "anonypy (Mondrian)",
}
LONGEST = 900  # seconds


def beside_ours(setting: Setting) -> Iterator[Figure]:
    """Yield seconds and classes of the peers and of ours: Adult, 8 columns, k=10.

    All start from a frame, the file is read before.  The peers run once, and for so long that other
    work on the machine shows: hence CPU time.
    """
    table = adult(8)
    for limit in (0.0, 0.02):
        yield from _ours(table, limit, setting.repeats)
    for name, case in PEERS.items():
        python = _python_with(name, setting.peers)
        if python is None:
            say(f"skipped: {name} is not installed; `make bench` tries to")
        else:
            yield from _theirs(python, name, f"Adult 8 columns, k={K}: {case}")


def _python_with(peer: str, folder: Path | None) -> Path | None:
    """Return the Python of a venv for that peer, or of one for all of them."""
    places = [folder / peer, folder] if folder is not None else []
    found = [place / "bin" / "python" for place in places]
    return next((python for python in found if python.exists()), None)


def _ours(table: Table, limit: float, repeats: int) -> Iterator[Figure]:
    case = f"Adult 8 columns, k={K}: incrowd, {limit:.0%} (optimal full domain), verified"
    say(case)
    frame = _frame(Path(table.data))
    flash = ic.Flash(suppression_limit=limit)
    timing = least(
        [
            timed(
                lambda: ic.anonymize(
                    frame, quasi_identifiers=table.hierarchies, k=K, algorithm=flash,
                    other_columns="drop",
                )
            )
            for _ in range(repeats)
        ]
    )  # fmt: skip
    facts = timing.result.facts
    yield Figure(case, "seconds of CPU", timing.cpu, None, {"wall": timing.wall})
    yield Figure(case, "classes", facts["classes"])
    yield Figure(case, "smallest class", facts["smallest_class"])


def _frame(path: Path) -> Any:
    from pyarrow import csv

    return csv.read_csv(path, parse_options=csv.ParseOptions(delimiter=";"))


def _theirs(python: Path, name: str, case: str) -> Iterator[Figure]:
    say(case)
    arguments = [name, str(adult_folder()), str(K), *ADULT[:8]]
    try:
        done = subprocess.run(
            [str(python), str(PEER_RUNS), *arguments],
            capture_output=True, text=True, timeout=LONGEST,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        yield Figure(case, "seconds", f"more than {LONGEST}")
        return
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        yield Figure(case, "did not run", reason[:80])
        return
    found = json.loads(done.stdout.strip().splitlines()[-1])
    yield Figure(case, "seconds of CPU", found["cpu"], None, found)
    yield Figure(case, "classes", found["classes"])
    yield Figure(case, "smallest class", found["smallest_class"])
