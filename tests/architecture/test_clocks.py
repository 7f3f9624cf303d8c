"""No test asserts time: a busy machine is slow, not wrong.  Work is counted; `make bench` measures.

A test may wait, and may give up on a process that hangs; it may not read a clock, nor hold the
seconds that a result tells against a bound.
"""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
CLOCKS = {"perf_counter", "monotonic", "process_time", "thread_time", "default_timer", "timeit"}
CLOCKS |= {f"{name}_ns" for name in CLOCKS} | {"time_ns", "getrusage"}
DURATIONS = {"seconds", "elapsed", "duration", "took"}


def clocks_in(source: str) -> list[int]:
    """Return the lines that read a clock, or hold a duration against a bound."""
    nodes = list(ast.walk(ast.parse(source)))
    found = [each for each in nodes if isinstance(each, ast.Call) and _reads_a_clock(each.func)]
    found += [each for each in nodes if isinstance(each, ast.Compare) and _bounds_a_duration(each)]
    return [each.lineno for each in found]


def _reads_a_clock(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id in CLOCKS
    if not isinstance(called, ast.Attribute):
        return False
    module = called.value.id if isinstance(called.value, ast.Name) else None
    return called.attr in CLOCKS or (module, called.attr) == ("time", "time")


def _bounds_a_duration(compared: ast.Compare) -> bool:
    """Whether some seconds are compared with anything but zero."""
    sides = [compared.left, *compared.comparators]
    ordered = any(isinstance(each, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for each in compared.ops)
    zero = any(isinstance(side, ast.Constant) and side.value == 0 for side in sides)
    return ordered and not zero and any(map(_is_a_duration, sides))


def _is_a_duration(side: ast.expr) -> bool:
    for node in ast.walk(side):
        names = {getattr(node, "id", None), getattr(node, "attr", None)}
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            names.add(node.slice.value)
        if names & DURATIONS:
            return True
    return False


def test_no_test_asserts_time():
    paths = sorted(TESTS.rglob("*.py"))
    assert len(paths) > 100
    found = {path: clocks_in(path.read_text("utf-8")) for path in paths}
    assert [
        f"{path.relative_to(TESTS)}:{at}" for path, lines in found.items() for at in lines
    ] == []


@pytest.mark.parametrize(
    "source",
    [
        "assert time.perf_counter() - begun < 5",
        "begun = monotonic()",
        "begun = time.time()",
        'assert release.seconds["search"] < 1',
        'assert found["seconds"] <= 2',
        "assert 1 > elapsed",
    ],
)
def test_a_clock_is_found(source):
    assert clocks_in(source) == [1]


@pytest.mark.parametrize(
    "source",
    [
        "time.sleep(0.1)",
        "run.communicate(timeout=60)",
        'assert run["seconds"] > 0',
        "assert n_calls < 5",
        "assert datetime.time(1) == column.time()",
    ],
)
def test_waiting_is_no_clock(source):
    assert clocks_in(source) == []
