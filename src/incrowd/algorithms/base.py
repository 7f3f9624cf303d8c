"""What an algorithm is given, what it returns, and the registry of them."""

import time
import warnings
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import Any, ClassVar, Literal, Protocol, TypeVar

from incrowd.algorithms.problem import Problem as Problem
from incrowd.counts import CoarseTable, refuse_single_tuples
from incrowd.errors import LongSearchWarning, ParameterError, PluginError
from incrowd.plugins import Registry
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Recoding
from incrowd.texts import did_you_mean

LONG = 60.0
"""Seconds from which on a search tells beforehand how long it takes."""

Honours = Literal["in the search", "by merging", "by suppressing"]
Purpose = Literal["publication", "general", "queries", "classification"]
"""What a release is for, and what `auto` chooses by."""

Effort = Literal["fast", "default", "best"]
"""How long to search."""

Family = Literal["choice", "cell", "clustering", "full domain", "multidimensional", "subtree"]


class Algorithm(Protocol):
    """A search: parameters checked when it is built, and one method.

    Algorithms are frozen dataclasses whose fields are their parameters.  What else they may say of
    themselves stands here with its default; `said_by` reads it.
    """

    name: ClassVar[str]
    family: ClassVar[Family]
    carries: ClassVar[tuple[str, ...]] = ()
    """The roles of the columns that the search looks at beside the quasi-identifiers."""

    truthful: ClassVar[bool] = True
    """Whether a released cell always covers its original; means of a class do not."""

    honours: ClassVar[Honours] = "by suppressing"
    """How it meets requirements that ask for more than sizes: in the search itself, by merging the
    classes that break one, or by suppressing their records."""

    searches_cuts: ClassVar[bool] = False
    """Whether the decision is a cut through each hierarchy, and is to be told as one."""

    quicker: ClassVar[str] = ""
    """What takes less time, for those whose search would take long."""

    purposes: ClassVar[tuple[Purpose, ...]] = ()
    """The purposes that `auto` tries it for: its time grows no faster than the table."""

    quick: ClassVar[bool] = False
    """Whether it is so quick that `auto` runs it to tell what another purpose would give."""

    def solve(self, problem: Problem, progress: Progress = QUIET) -> Recoding:
        """Return the decision."""

    # One with `purposes` may have a class method `suited(purpose, effort, problem)`: the parameters
    # that `auto` builds it with.  No clock may decide what it finds then.

    # A search that can grow out of hand also has a method `estimated_seconds(problem)`; the
    # function of that name below says what it returns.


FAMILIES = tuple(
    f"incrowd.algorithms.{family}"
    for family in ("cell", "clustering", "full_domain", "multidimensional", "subtree")
)
ALGORITHMS: Registry[type[Any]] = Registry(
    "algorithm",
    "incrowd.algorithms",
    lambda cls: algorithm(cls),
    packages=("incrowd.algorithms", *FAMILIES),
)

_A = TypeVar("_A", bound=type[Any])
_DECIDED = ("columns", "hierarchies", "found", "in_context", "assign")  # of every `Recoding`


def algorithm(cls: _A) -> _A:
    """Register an algorithm class under its `name`."""
    name: str = cls.name
    if not is_dataclass(cls) or not hasattr(cls, "solve"):
        raise PluginError(
            f"{ALGORITHMS.told(name, cls)} is no dataclass with a method solve.",
            hint="docs/architecture.md says what an algorithm has.",
        )
    ALGORITHMS.add(name, cls)
    return cls


def said_by(algorithm: Algorithm | type[Any], fact: str) -> Any:
    """Return what an algorithm or its class says of itself, or the default."""
    return getattr(algorithm, fact, getattr(Algorithm, fact))


def estimated_seconds(algorithm: Algorithm, problem: Problem) -> float | None:
    """Return about how long a search takes on one core; None if it is linear and does not say.

    A search whose time grows faster than the table has a method of this name.  The constants in
    these methods are measured on one machine, to within a factor of two or three: what they are for
    is to tell minutes from days.
    """
    said = getattr(algorithm, "estimated_seconds", None)
    return None if said is None else float(said(problem))


def _tell_if_long(algorithm: Algorithm, problem: Problem, seconds: float | None) -> None:
    if seconds is None or not seconds >= LONG:
        return
    quicker = said_by(algorithm, "quicker")
    warnings.warn(
        f"{algorithm.name} will take about {_spoken(seconds)} on {problem.table.n_records:,} "
        f"records with {problem.table.n_tuples:,} distinct tuples." + (quicker and f" {quicker}"),
        LongSearchWarning,
        stacklevel=3,
    )


def _spoken(seconds: float) -> str:
    """Return a length of time as people say it.

    >>> _spoken(90), _spoken(600), _spoken(9000), _spoken(400_000)
    ('90 seconds', '10 minutes', '2.5 hours', '4.6 days')
    """
    units = ((86_400, 86_400, "days"), (7_200, 3_600, "hours"), (120, 60, "minutes"))
    for least, size, unit in units:
        if seconds >= least:
            return f"{float(f'{seconds / size:.2g}'):,g} {unit}"
    return f"{seconds:.0f} seconds"


def solved(algorithm: Algorithm, problem: Problem, progress: Progress = QUIET) -> Recoding:
    """Return the decision of an algorithm; a fault in one of another package names it.

    If it says that it will take long, this is told first.
    """
    cls = type(algorithm)
    if isinstance(problem.table, CoarseTable):
        refuse_single_tuples()
    with ALGORITHMS.blaming(algorithm.name, cls):
        seconds = estimated_seconds(algorithm, problem)
    _tell_if_long(algorithm, problem, seconds)
    start = time.monotonic()
    with ALGORITHMS.blaming(algorithm.name, cls):
        recoding = algorithm.solve(problem, progress)
    seconds = time.monotonic() - start
    if not all(hasattr(recoding, each) for each in _DECIDED):
        raise PluginError(
            f"{ALGORITHMS.told(algorithm.name, cls)} returned an object of type "
            f"{type(recoding).__name__} where a recoding was due.",
            hint="solve() must return one of the recodings in incrowd.recoding.",
        )
    return _told_if_ended(recoding, getattr(algorithm, "time_limit", None), seconds)


def _told_if_ended(recoding: Recoding, limit: float | None, seconds: float) -> Recoding:
    """Return a decision that says so, if the clock ended the search for it."""
    found = recoding.found
    if limit is None or seconds < limit or found.optimal:
        return recoding
    facts = {**found.facts, "ended_by_time_limit": True}
    return replace(recoding, found=replace(found, facts=facts))  # type: ignore[type-var]


def algorithm_called(name: str) -> type[Any]:
    """Return the class of the algorithm of that name; refuse one that does not exist."""
    ALGORITHMS.load([name])
    if name not in ALGORITHMS:
        known = sorted(ALGORITHMS.everything())
        raise ParameterError(
            f"there is no algorithm called {name!r}.",
            hint=f"{did_you_mean(name, known)}There are {', '.join(known)}.",
        )
    return ALGORITHMS[name]


def build_algorithm(name: str, parameters: dict[str, Any]) -> Algorithm:
    """Build the algorithm of that name; refuse names and parameters that do not exist."""
    cls = algorithm_called(name)
    known = parameters_of(cls)
    for parameter in parameters:
        if parameter not in known:
            raise ParameterError(
                f"algorithm {name!r} has no parameter {parameter!r}.",
                hint=f"{did_you_mean(parameter, known)}Its parameters are: "
                f"{', '.join(known) or 'none'}.{_who_has(parameter)}",
            )
    with ALGORITHMS.blaming(name, cls):
        built: Algorithm = cls(**parameters)
    return built


def _who_has(parameter: str) -> str:
    """Return a sentence on the algorithms that have a parameter, if there are any."""
    names = [name for name, cls in ALGORITHMS.items() if parameter in parameters_of(cls)]
    return f" {parameter!r} is a parameter of {', '.join(names)}." if names else ""


def parameters_of(cls: type[Any]) -> dict[str, Any]:
    """Return the parameters of an algorithm and their defaults."""
    return {
        each.name: None if each.default is MISSING else each.default
        for each in fields(cls)
        if each.init
    }
