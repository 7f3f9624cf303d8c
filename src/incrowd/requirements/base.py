"""What a privacy requirement is, and the registry of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar, Protocol, Self, TypeVar, runtime_checkable

import numpy as np

from incrowd.arrays import Counts, Mask
from incrowd.counts import FrequencyTable, Histogram
from incrowd.errors import ParameterError, PluginError, PolicyError
from incrowd.plugins import Registry, is_ours
from incrowd.requirements.forms import MinimumSize
from incrowd.texts import did_you_mean


@dataclass(frozen=True)
class Monotone:
    """Whether generalising further keeps a requirement met.

    Parameters
    ----------
    without_suppression
        Two classes that meet it also meet it together; so if every class of a table does, every
        class of any generalisation does.
    with_suppression
        Every part of a class that violates it violates it: the set of suppressed records only grows
        towards finer nodes, and whole sub-lattices can be pruned by one count.
    """

    without_suppression: bool
    with_suppression: bool


@runtime_checkable
class Requirement(Protocol):
    """A promise that every class of a release keeps.

    Requirements are frozen dataclasses that check their own parameters when they are built.  Before
    a search they are bound to its table (`bound`), and then asked about classes alone: in compiled
    forms if they have a method ``forms(columns)`` or a `compiled` one, in batches through
    `violating` otherwise.
    """

    name: ClassVar[str]
    """The key in a policy file."""

    @property
    def monotone(self) -> Monotone:
        """Whether generalising further keeps it met."""

    @property
    def on(self) -> tuple[str, ...] | None:
        """The quasi-identifiers that make up the classes; None means all of them."""

    @property
    def carried(self) -> tuple[str, ...]:
        """The columns whose histograms it looks at."""

    @property
    def minimum_size(self) -> int:
        """No class with fewer records can meet the requirement."""

    @property
    def compiled(self) -> MinimumSize | None:
        """A form that compiled searches understand and that needs no column, if there is one."""

    def violating(self, sizes: Counts, histograms: Mapping[str, Histogram]) -> Mask:
        """Return which classes break the promise, all at once; not asked if it has forms."""

    def implies(self, other: Requirement) -> bool:
        """Whether a table that meets this one meets the other, whatever the data.

        `on` is already spelled out on both sides.
        """

    def resolved(self, quasi_identifiers: tuple[str, ...]) -> Self:
        """Return the same requirement with `on` spelled out, in policy order."""

    def check_reachable(self, table: FrequencyTable) -> None:
        """Raise `UnsatisfiableError` if even one class of all records would not do."""

    def describe(self) -> str:
        """Return the promise in words."""

    def to_policy(self) -> dict[str, Any]:
        """Return the entry of a policy file that builds it."""

    @classmethod
    def from_policy(cls, value: Any, on: tuple[str, ...] | None) -> Self:
        """Build it from the value of its key in a policy file; `on` is already a list of names."""


_R = TypeVar("_R", bound=type[Any])
_ASKED = ("violating", "implies", "resolved", "check_reachable", "describe", "to_policy")
REQUIREMENTS: Registry[type[Any]] = Registry(
    "requirement",
    "incrowd.requirements",
    lambda cls: requirement(cls),
    packages=("incrowd.requirements",),
)


def requirement(cls: _R) -> _R:
    """Register a requirement class under its `name`; a fault in another package's names it."""
    REQUIREMENTS.add(cls.name, cls)
    for method in () if is_ours(cls) else _ASKED:
        setattr(cls, method, _guarded(cls, getattr(cls, method), method == "violating"))
    return cls


def requirement_called(name: str) -> type[Any]:
    """Return the class of the requirement of that name in a policy; refuse one that is none."""
    REQUIREMENTS.load([name])
    one_of(name, "the requirement", tuple(REQUIREMENTS.everything()))
    return REQUIREMENTS[name]


def _guarded(cls: type[Any], method: Callable[..., Any], about_classes: bool) -> Any:
    """Return a method whose faults name the requirement; none of its answers means "it holds"."""

    @wraps(method)
    def asked(self: Any, *given: Any, **named: Any) -> Any:
        with REQUIREMENTS.blaming(cls.name, cls):
            answer = method(self, *given, **named)
        if about_classes:
            _check_answer(cls, answer, *given, **named)
        return answer

    return asked


def _check_answer(cls: type[Any], answer: Any, sizes: Counts, histograms: object = None) -> None:
    """Raise unless `violating` has answered with one truth value per class."""
    given = isinstance(answer, np.ndarray) and answer.dtype == np.bool_
    if not given or answer.shape != np.shape(sizes):
        raise PluginError(
            f"{REQUIREMENTS.told(cls.name, cls)} does not say which classes break it.",
            hint="violating() must return an array with one truth value per class.",
        )


def drop_implied(
    requirements: Iterable[Requirement],
) -> tuple[tuple[Requirement, ...], tuple[tuple[Requirement, Requirement], ...]]:
    """Split off the requirements that another one implies.

    Returns those that remain, and pairs of (dropped, implied by).  Of two equal ones the first
    remains.
    """
    given = list(requirements)
    kept: list[Requirement] = []
    dropped: list[tuple[Requirement, Requirement]] = []
    for position, candidate in enumerate(given):
        stronger = next(
            (
                other
                for at, other in enumerate(given)
                if at != position
                and other.implies(candidate)
                and (at < position or not candidate.implies(other))
            ),
            None,
        )
        if stronger is None:
            kept.append(candidate)
        else:
            dropped.append((candidate, stronger))
    return tuple(kept), tuple(dropped)


def parts_of(requirement: Requirement) -> tuple[Requirement, ...]:
    """Return the requirements that one stands for, itself if no others; `on` is spelled out.

    A requirement that stands for several has a method ``parts()``.
    """
    said = getattr(requirement, "parts", None)
    found: tuple[Requirement, ...] = (requirement,) if said is None else said()
    return found


def covered_by(requirement: Requirement, columns: Sequence[str]) -> tuple[int, ...]:
    """Return the positions of the columns that make up the classes of a requirement.

    There is always one: a requirement on no column, or on one that is not there, would be met by
    any table.
    """
    if requirement.on is None and columns:
        return tuple(range(len(columns)))
    named = set(requirement.on or ())
    if not named or not named <= set(columns):
        raise PolicyError(
            f"{requirement.name} covers no column, or one that is no quasi-identifier here.",
            hint="name quasi-identifiers in `on`, or leave it out to cover them all.",
        )
    return tuple(at for at, name in enumerate(columns) if name in named)


def whole_number(value: object, what: str, *, at_least: int) -> int:
    """Return `value` if it is a whole number of at least `at_least`; raise otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ParameterError(
            f"{what} must be a whole number, not {type(value).__name__}.",
            hint=f"give a whole number of {at_least} or more.",
            values=[value],
        )
    if int(value).bit_length() > 63:
        raise ParameterError(
            f"{what} does not fit into 64 bits.",
            hint=f"give a whole number between {at_least} and 2**63 - 1.",
        )
    if value < at_least:
        raise ParameterError(
            f"{what} must be {at_least} or more, not {value}.",
            hint=f"give a whole number of {at_least} or more.",
        )
    return int(value)


def one_of(value: object, what: str, choices: tuple[str, ...]) -> None:
    """Raise unless `value` is one of the choices."""
    if value not in choices:
        known = ", ".join(map(repr, choices))
        raise ParameterError(
            f"{what} is {value!r}.", hint=f"{did_you_mean(value, choices)}It is one of {known}."
        )
