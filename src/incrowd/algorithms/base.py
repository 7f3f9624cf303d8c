"""What an algorithm is given, what it returns, and the registry of them."""

from __future__ import annotations

import math
from dataclasses import MISSING, dataclass, fields
from importlib.metadata import entry_points
from typing import Any, ClassVar, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from incrowd.arrays import Codes
from incrowd.counts import FrequencyTable, SensitiveColumn, Target
from incrowd.errors import ParameterError, PolicyError
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import Private, sizes_only
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Labels, Recoding
from incrowd.requirements import Requirement
from incrowd.requirements.base import one_of as one_of

NO_LIMIT = 2**62  # more than any search counts, and less than 64 bits hold

Family = Literal["full domain", "subtree", "cell", "multidimensional", "clustering", "choice"]


@dataclass(frozen=True, eq=False)
class Problem(Private):
    """A table to be recoded, and what the recoding must hold.

    Parameters
    ----------
    table
        Distinct tuples with counts.
    hierarchies
        One per generalised column, in the table's column order.
    requirements
        With their columns spelled out, implied ones dropped.
    weights
        How much each column counts in a loss.
    labels
        How regions and classes are to be written.
    given
        Per column, whether its hierarchy was given; otherwise it was chosen from the values.
    sensitive
        The sensitive columns, for algorithms that declare to carry them.
    target
        The column to be predicted, for algorithms that declare to carry it; None if there is none.
    domains
        Per column the smallest and the largest number that it can hold, where the policy says.
    """

    table: FrequencyTable
    hierarchies: tuple[Hierarchy, ...]
    requirements: tuple[Requirement, ...]
    weights: npt.NDArray[np.float64]
    labels: Labels = "node"
    given: tuple[bool, ...] = ()
    sensitive: tuple[SensitiveColumn, ...] = ()
    target: Target | None = None
    domains: tuple[tuple[float, float] | None, ...] = ()

    __repr__ = sizes_only

    @property
    def columns(self) -> tuple[str, ...]:
        """The generalised columns."""
        return self.table.columns

    @property
    def smallest_k(self) -> int:
        """The smallest class that any requirement allows, at most."""
        return min((each.minimum_size for each in self.requirements), default=1)

    @property
    def class_size(self) -> int:
        """The size that a class over all columns must have for every requirement."""
        return max((each.minimum_size for each in self.requirements), default=1)

    @property
    def crowd(self) -> int:
        """The smallest crowd that somebody may be left in; a label may name what so many share.

        Of requirements on the same columns the largest size counts; of different ones, the least.
        """
        largest: dict[frozenset[str], int] = {}
        for each in self.requirements:
            columns = frozenset(each.on or self.columns)
            largest[columns] = max(each.minimum_size, largest.get(columns, 1))
        return min(largest.values(), default=1)

    def needed_target(self, algorithm: str) -> tuple[Target, Codes]:
        """Return the column to be predicted and the class of each tuple, or say who misses it."""
        if self.target is None:
            raise PolicyError(
                f"algorithm {algorithm!r} keeps what tells the classes of a target apart, and the "
                "policy names no target.",
                hint='give a column role = "target" (--target NAME on the command line).',
            )
        return self.target, self.table.carried[self.target.name]

    @property
    def covered(self) -> npt.NDArray[np.bool_]:
        """Per column, whether some requirement covers it."""
        covered = {name for each in self.requirements for name in each.on or self.columns}
        return np.array([name in covered for name in self.columns])

    def check_reachable(self) -> None:
        """Raise `UnsatisfiableError` if no recoding can meet the requirements."""
        for requirement in self.requirements:
            requirement.check_reachable(self.table)


class Algorithm(Protocol):
    """A search: parameters checked when it is built, and one method.

    Algorithms are frozen dataclasses whose fields are their parameters.
    """

    name: ClassVar[str]
    family: ClassVar[Family]
    carries: ClassVar[tuple[str, ...]] = ()
    """The roles of the columns that the search looks at beside the quasi-identifiers."""

    def solve(self, problem: Problem, progress: Progress = QUIET) -> Recoding:
        """Return the decision."""


ALGORITHMS: dict[str, type[Any]] = {}

_A = TypeVar("_A", bound=type[Any])


def algorithm(cls: _A) -> _A:
    """Register an algorithm class under its `name`."""
    ALGORITHMS[cls.name] = cls
    return cls


def load_plugins() -> None:
    """Register what other packages offer under the entry point ``incrowd.algorithms``."""
    for found in entry_points(group="incrowd.algorithms"):
        if found.name not in ALGORITHMS:
            ALGORITHMS[found.name] = found.load()


def build_algorithm(name: str, parameters: dict[str, Any]) -> Algorithm:
    """Build the algorithm of that name; refuse names and parameters that do not exist."""
    if name not in ALGORITHMS:
        load_plugins()
    if name not in ALGORITHMS:
        known = ", ".join(sorted(ALGORITHMS))
        raise ParameterError(f"there is no algorithm called {name!r}.", hint=f"there are {known}.")
    cls = ALGORITHMS[name]
    known_parameters = parameters_of(cls)
    for parameter in parameters:
        if parameter not in known_parameters:
            listed = ", ".join(known_parameters) or "none"
            raise ParameterError(
                f"algorithm {name!r} has no parameter {parameter!r}.",
                hint=f"its parameters are: {listed}.",
            )
    built: Algorithm = cls(**parameters)
    return built


def parameters_of(cls: type[Any]) -> dict[str, Any]:
    """Return the parameters of an algorithm and their defaults."""
    return {
        each.name: None if each.default is MISSING else each.default
        for each in fields(cls)
        if each.init
    }


def share(value: object, what: str) -> float:
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


def records_allowed(limit: float, records: int) -> int:
    """Return how many records a suppression limit allows: never all, for a release has some.

    >>> records_allowed(0.05, 30162), records_allowed(0.1, 30), records_allowed(1.0, 7)
    (1508, 3, 6)
    """
    return min(math.floor(limit * records + 1e-9), records - 1)
