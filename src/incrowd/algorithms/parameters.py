"""What the parameters of algorithms may be, and what they mean to a search."""

import math
import os
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from incrowd.errors import ParameterError
from incrowd.requirements.base import one_of as one_of

MOST_THREADS = 1024
NO_LIMIT = 2**62  # more than any search counts, and less than 64 bits hold


def check_choices(algorithm: object) -> None:
    """Raise unless each parameter that its type lets be one of some words is one of them."""
    for name, kind in get_type_hints(type(algorithm)).items():
        if get_origin(kind) is Literal:
            one_of(getattr(algorithm, name), name, get_args(kind))


def fraction(value: object, what: str) -> float:
    """Return `value` if it is a share between 0 and 1; raise otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise ParameterError(
            f"{what} must be a number between 0 and 1, not {type(value).__name__}.",
            hint=f"write for example {what} = 0.05 to allow 5% of the records.",
        )
    number = as_float(value)
    if not 0 <= number <= 1:
        raise ParameterError(
            f"{what} must lie between 0 and 1, not {number:g}.",
            hint=f"it is a share of the records: {what} = 0.05 allows 5% of them.",
        )
    return number


def positive(value: object, what: str) -> None:
    """Raise unless `value` is None or a number greater than 0."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not as_float(value) > 0:
        raise ParameterError(
            f"{what} must be a number greater than 0.", hint=f"leave {what} out for no limit."
        )


def most_counted(limit: float | None) -> int:
    """Return how many a `positive` limit lets a kernel count: at least one, and 64 bits at most.

    >>> most_counted(10), most_counted(0.5), most_counted(float("inf")) == most_counted(None)
    (10, 1, True)
    """
    return NO_LIMIT if limit is None or limit >= NO_LIMIT else max(1, int(limit))


def most_seconds(limit: float | None) -> float:
    """Return how long a `positive` limit lets a search run.

    >>> most_seconds(0.5), most_seconds(None)
    (0.5, inf)
    """
    return math.inf if limit is None else float(limit)


def as_float(value: Any) -> float:
    """Return a number as float; a whole number that is larger than any is none."""
    try:
        return float(value)
    except OverflowError:
        return math.nan


USUAL_LIMIT = 0.05
"""The share of records that may fall for the highest levels, where an algorithm names none."""


def records_allowed(limit: float, records: int) -> int:
    """Return how many records a suppression limit allows: never all, for a release has some.

    >>> records_allowed(0.05, 30162), records_allowed(0.1, 30), records_allowed(1.0, 7)
    (1508, 3, 6)
    """
    return min(math.floor(limit * records + 1e-9), records - 1)


def check_seed(seed: object) -> None:
    """Raise unless `seed` is a whole number of 0 or more."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise ParameterError("seed must be a whole number.", hint="give for example seed = 1.")


def check_threads(threads: object) -> None:
    """Raise unless `threads` is None or a whole number of 1 or more."""
    if threads is None:
        return
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise ParameterError(
            "threads must be a whole number of 1 or more.", hint="leave threads out for all cores."
        )


def threads_to_use(threads: int | None) -> int:
    """Return that number of threads, or one for each core that this process may use.

    Whoever asks for more than any machine has gets the most that make sense: results do not depend
    on it, and each thread takes memory.
    """
    if threads is not None:
        return min(threads, MOST_THREADS)
    available = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available else os.cpu_count() or 1
