"""The requirements of a policy as plain data, each with the recount's own formula."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import Any

from incrowd.errors import VerificationError
from incrowd.schema import Policy
from incrowd.verify.formulas import FORMULAS, Formula


@dataclass(frozen=True, eq=False)
class Promise:
    """A requirement as plain data, with the recount's own formula.

    Parameters
    ----------
    requirement
        Its name in a policy file.
    description
        It in words.
    columns
        What makes up its classes: quasi-identifiers, and then what else an attacker may know.
    choices
        The columns of the classes that are counted, one by one: all of them, or each choice of so
        many as `any` says, always with what else is known.
    known
        The columns beside quasi-identifiers that an attacker may know.
    carried
        The columns that its formula looks at.
    parameters
        What it was built with.
    formula
        Which classes break it.
    """

    requirement: str
    description: str
    columns: tuple[str, ...]
    choices: tuple[tuple[str, ...], ...]
    known: tuple[str, ...]
    carried: tuple[str, ...]
    parameters: Mapping[str, Any]
    formula: Formula

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns without which it cannot be recounted, beside quasi-identifiers."""
        return tuple(dict.fromkeys((*self.known, *self.carried)))

    def shown(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the parameters as a verdict shows them: of lists of values only how many.

        Lists of columns are told; other lists may hold cells.
        """
        known = set(names)
        return {key: _shown(value, known) for key, value in self.parameters.items()}


def _shown(value: Any, names: set[str]) -> Any:
    if not isinstance(value, tuple | list | set | frozenset):
        return value
    if all(isinstance(each, str) and each in names for each in value):
        return list(value)
    return f"{len(value):,} {'value' if len(value) == 1 else 'values'}"


def promises_of(policy: Policy) -> list[Promise]:
    """Return every requirement as it is written; refuse those that have no formula here."""
    return [_promise(requirement, policy) for requirement in policy.requirements]


def _promise(requirement: Any, policy: Policy) -> Promise:
    if requirement.name not in FORMULAS:
        raise VerificationError(
            f"{requirement.name} cannot be recounted: no formula is registered for it.",
            hint="register one with incrowd.verify.formula; until then a release under this "
            "policy cannot be verified.",
            verdict={"passed": False, "without_formula": requirement.name},
        )
    on = policy.quasi_identifiers if requirement.on is None else tuple(requirement.on)
    if not on:
        raise VerificationError(
            f"{requirement.name} cannot be recounted: it is about the classes of no column.",
            hint="name quasi-identifiers in `on`, or leave it out to cover them all.",
            verdict={"passed": False, "without_columns": requirement.name},
        )
    known = tuple(getattr(requirement, "known", ()))
    given = {each.name: getattr(requirement, each.name) for each in fields(requirement)}
    parameters = {name: value for name, value in given.items() if value is not None}
    parameters.pop("on", None)
    chosen = combinations(on, min(_any_of(requirement, len(on)), len(on)))
    return Promise(
        requirement.name,
        requirement.describe(),
        tuple(dict.fromkeys((*on, *known))),
        tuple(tuple(dict.fromkeys((*each, *known))) for each in chosen),
        known,
        tuple(requirement.carried),
        parameters,
        FORMULAS[requirement.name],
    )


def _any_of(requirement: Any, n_columns: int) -> int:
    """Return how many of its columns together a requirement is about: any so many, or all."""
    asked = getattr(requirement, "any", None)
    return n_columns if asked is None else max(int(asked), 1)


def check_released(promises: Sequence[Promise], names: Sequence[str]) -> None:
    """Refuse a release that lacks a column which a promise is about, or that is taken as known."""
    for promise in promises:
        for name in promise.needed:
            if name not in names:
                raise VerificationError(
                    f"{promise.description} cannot be recounted: it is about column {name!r}, "
                    "which is not in the released table.",
                    hint="a promise about a column that is never released cannot be verified "
                    "from the release.",
                    verdict={"passed": False, "absent_column": name},
                )
