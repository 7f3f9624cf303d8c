"""Work that is counted, not timed: the same figure on every machine, however busy it is."""

import sys


def calls_of(work):
    """Return how many functions `work` calls in this thread, Python's and those written in C."""
    n_calls = 0

    def count(frame, event, argument):
        nonlocal n_calls
        n_calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return n_calls
