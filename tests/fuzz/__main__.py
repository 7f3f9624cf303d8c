"""Runs hypothesis under new seeds until the time is up: ``python -m fuzz MINUTES [SEED]``."""

import secrets
import signal
import sys
import traceback
from dataclasses import dataclass
from itertools import count

from hypothesis import HealthCheck, Phase, given, seed, settings

from fuzz.cases import Case, cases, check
from release_checks import ALGORITHMS

EXAMPLES = 30  # tables for one algorithm under one seed

fuzzing = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=False,
    print_blob=False,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)


class TimeIsUp(BaseException):
    """Not an `Exception`, so that hypothesis does not take it for a finding."""


@dataclass
class Found:
    """The smallest case so far that breaks a promise, and how."""

    case: Case | None = None
    trace: str = ""


def main(minutes: float, first: int) -> int:
    """Fuzz, and return 1 if a promise was broken."""
    print(f"{len(ALGORITHMS)} algorithms, hostile tables, seeds from {first}.", flush=True)
    found: dict[str, Found] = {}
    n_tables = 0
    signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, 60 * minutes)
    try:
        for number in count(first):
            for name in (each for each in ALGORITHMS if each not in found):
                n_tables += EXAMPLES
                look(name, number, found)
            if len(found) == len(ALGORITHMS):
                break
    except TimeIsUp:
        pass
    signal.setitimer(signal.ITIMER_REAL, 0)
    broken = [name for name, each in found.items() if each.case is not None]
    for name in broken:
        tell(name, found[name])
    print(f"About {n_tables:,} tables; {len(broken)} of the algorithms broke a promise.")
    return 1 if broken else 0


def _ring(number: int, frame: object) -> None:
    raise TimeIsUp


def look(name: str, number: int, found: dict[str, Found]) -> None:
    """Try an algorithm under one seed; keep what breaks a promise, smaller and smaller."""

    @seed(number)
    @fuzzing
    @given(cases(algorithms=(name,)))
    def attempt(case: Case) -> None:
        try:
            check(case)
        except Exception:
            found[name] = Found(case, traceback.format_exc(limit=-3))
            raise

    try:
        attempt()
    except Exception:
        print(f"{name} broke a promise under seed {number}.", flush=True)


def tell(name: str, found: Found) -> None:
    """Print what was found as a test that stays."""
    print(f"\n--- {name}\n{found.trace}")
    print("Put this above the test in tests/fuzz/test_found.py, say beside it what was wrong, and")
    print(f"mend it:\n\n@example({found.case!r})\n", flush=True)


if __name__ == "__main__":
    given_seed = sys.argv[2:]
    sys.exit(main(float(sys.argv[1]), int(given_seed[0]) if given_seed else secrets.randbits(32)))
