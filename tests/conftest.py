"""What all tests share: how hypothesis runs, which tests are the kernels', and which are quick."""

import os

# Two workers on two cores: threads of scikit-learn and BLAS would wait for each other, busily.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, settings

# A busy machine or a sanitizer makes examples slow, not wrong, and so do tables that no release can
# meet.  Explaining a failure takes minutes on tables; shrinking it is enough.
settings.register_profile(
    "incrowd",
    deadline=None,
    phases=[phase for phase in Phase if phase is not Phase.explain],
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
    derandomize=True,
)
settings.load_profile("incrowd")

# Property tests draw this share of the tables that they name; `make test EXAMPLES=1` draws all,
# and `make fuzz` others.
EXAMPLES = float(os.environ.get("INCROWD_EXAMPLES", "0.25"))
FEWEST = 10

MEASURED = "incrowd/measured"  # in pytest's cache: what each test took when it was last run
QUICK = 0.1  # seconds
# Where tests run every algorithm, or run on public data: slow until they are measured.
LARGE = {"canaries", "compare", "golden", "invariants", "papers"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--quick``."""
    parser.addoption("--quick", action="store_true", help="leave out slow tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the kernel tests: everything in tests/kernels/, and files called test_*_kernels.py."""
    for item in items:
        if item.path.parent.name == "kernels" or item.path.stem.endswith("_kernels"):
            item.add_marker(pytest.mark.kernel)
    for test in {item.obj for item in items if hasattr(item, "obj")}:
        _draw_a_share(test)
    if config.getoption("--quick"):
        measured = config.cache.get(MEASURED, {})
        slow = [item for item in items if not _is_quick(item, measured)]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if _is_quick(item, measured)]


def _draw_a_share(test: object) -> None:
    """Let a property test draw fewer tables than it names, but never next to none."""
    test = getattr(test, "__func__", test)
    own = getattr(test, "_hypothesis_internal_use_settings", None)
    if own is not None and own.max_examples > FEWEST:
        fewer = settings(own, max_examples=max(FEWEST, round(EXAMPLES * own.max_examples)))
        test._hypothesis_internal_use_settings = fewer  # type: ignore[attr-defined]


def _is_quick(item: pytest.Item, measured: dict[str, float]) -> bool:
    """Whether a test was quick when it last ran; if it never did, whether it looks so."""
    if item.nodeid in measured:
        return measured[item.nodeid] < QUICK
    draws = hypothesis.is_hypothesis_test(getattr(item, "obj", None))
    return not draws and item.path.parent.name not in LARGE


class Measuring:
    """Remembers what tests took, and says what a quick run leaves out."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.seen: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up the phases of a test."""
        self.seen[report.nodeid] = self.seen.get(report.nodeid, 0.0) + report.duration

    def pytest_sessionfinish(self) -> None:
        """Keep what was measured, beside what other runs did."""
        known = self.config.cache.get(MEASURED, {})
        self.config.cache.set(MEASURED, known | self.seen)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say it in the end, where it is read."""
        if self.config.getoption("--quick"):
            terminalreporter.write_line(
                f"Left out: tests that took {QUICK} s or more when they last ran here; of those "
                f"that never did, property tests and all of {', '.join(sorted(LARGE))}. "
                "`make test` runs them all."
            )


def pytest_configure(config: pytest.Config) -> None:
    """Measure, but not in each of several worker processes, and not what sanitizers slow down."""
    alone = not hasattr(config, "workerinput") and hasattr(config, "cache")
    if alone and "INCROWD_SANITIZED" not in os.environ:
        config.pluginmanager.register(Measuring(config))
