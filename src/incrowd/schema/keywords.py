"""Policies from Python keywords, as `anonymize` takes them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from incrowd.errors import ParameterError, PolicyError
from incrowd.hierarchies import spec_from_policy
from incrowd.requirements import KAnonymity, Requirement
from incrowd.schema import checks
from incrowd.schema.cleaning import CLEANING_KEYS, Cleaning
from incrowd.schema.column import Column
from incrowd.schema.options import InputOptions, ReleaseOptions
from incrowd.schema.policy import Policy
from incrowd.schema.roles import OtherColumns, Role


def policy_from_keywords(
    *,
    quasi_identifiers: Mapping[str, Any] | Sequence[str] = (),
    sensitive: Mapping[str, Any] | Sequence[str] | str = (),
    identifiers: Sequence[str] | str = (),
    insensitive: Sequence[str] | str = (),
    target: str | None = None,
    entity: str | None = None,
    count: str | None = None,
    requirements: Sequence[Requirement] | Requirement = (),
    k: int | None = None,
    other_columns: OtherColumns = "refuse",
    weights: Mapping[str, float] | None = None,
    unknown: Mapping[str, Any] | None = None,
    kinds: Mapping[str, Any] | None = None,
    cleaning: Mapping[str, Mapping[str, Any]] | None = None,
    levels: Mapping[str, Any] | None = None,
    domains: Mapping[str, Any] | None = None,
    missing: Sequence[str] = ("",),
    separator: str | None = None,
    encoding: str = "utf-8",
    order: Any = "shuffle",
    suppressed: Any = "mask",
    labels: Any = "node",
    formulas: Any = "keep",
) -> Policy:
    """Describe a policy in Python.

    Parameters
    ----------
    quasi_identifiers
        Names, or names with their hierarchies: a builder such as ``intervals(5, 10)``, the path of
        a hierarchy file, ``"auto"``, a ready hierarchy, or None to leave it to the algorithm.
    sensitive
        Names, or names with their hierarchies: what makes sensitive values near to each other.
    identifiers, insensitive, target, entity, count
        Columns with these roles.
    requirements
        What every class must hold.
    k
        Short for the requirement ``KAnonymity(k)``.
    other_columns
        What happens to columns without a role: ``"refuse"``, ``"drop"`` or ``"keep"``.
    weights
        By quasi-identifier: how much its loss counts; by sensitive column: its protection.
    unknown
        By column: what becomes of cells that are not what it holds, and of values that its
        hierarchy does not list: ``"refuse"``, ``"suppress"`` (released as ``*``) or ``"missing"``.
    kinds
        By column: what it holds, ``"number"``, ``"date"``, ``"boolean"`` or ``"text"``.
    cleaning
        By column of any role: how its cells are mended while they are read, by the keys of
        `Cleaning`: ``{"sex": {"trim": True, "clean": {"F": ["f", "w"]}}}``.
    levels
        By quasi-identifier: the lowest and the highest level of its hierarchy at which it may be
        released, such as ``(1, 3)``.
    domains
        By quasi-identifier of numbers: the smallest and the largest value that intervals may name.
    missing, separator, encoding
        How the input is read.
    order, suppressed, labels, formulas
        What the release looks like: see `ReleaseOptions`.

    Examples
    --------
    >>> from incrowd.hierarchies import intervals
    >>> policy = policy_from_keywords(quasi_identifiers={"age": intervals(5, 10)}, k=5)
    >>> policy.quasi_identifiers
    ('age',)
    """
    generalised = _hierarchies(quasi_identifiers, "quasi_identifiers")
    protected = _hierarchies(sensitive, "sensitive")
    roles: dict[Role, dict[str, Any]] = {"quasi-identifier": generalised, "sensitive": protected}
    columns = [
        Column(name, role, hierarchy=_spec(given))
        for role, hierarchies in roles.items()
        for name, given in hierarchies.items()
    ]
    others: dict[Role, Sequence[str] | str | None] = {
        "identifier": identifiers,
        "insensitive": insensitive,
        "target": target,
        "entity": entity,
        "count": count,
    }
    columns += [
        Column(name, role) for role, names in others.items() for name in _listed(names, role)
    ]
    said = {"weight": weights, "unknown": unknown, "levels": levels, "kind": kinds,
            "domain": domains, "cleaning": cleaning}  # fmt: skip
    columns = _with_more(columns, said)
    asked = _listed(requirements, "requirements")
    read: dict[str, Any] = {"separator": separator, "missing": missing, "encoding": encoding}
    written = {"order": order, "suppressed": suppressed, "labels": labels, "formulas": formulas}
    return Policy(
        columns=tuple(columns),
        requirements=asked if k is None else (*asked, KAnonymity(k)),
        other_columns=other_columns,
        input=InputOptions(**read),
        release=ReleaseOptions(**written),
    )


# what keys of a column are called as keywords
_CALLED = {"weight": "weights", "kind": "kinds", "domain": "domains"}


def _with_more(columns: list[Column], given: Mapping[str, Any]) -> list[Column]:
    """Return columns of whatever role with what was said of them by name."""
    known = [column.name for column in columns]
    said = {key: _by_name(values, _CALLED.get(key, key), known) for key, values in given.items()}
    found = []
    for column in columns:
        more = {
            key: by_name[column.name] for key, by_name in said.items() if column.name in by_name
        }
        if "cleaning" in more:
            where = f"column {column.name!r}"
            rules = checks.table(more["cleaning"], f"cleaning of {where}", CLEANING_KEYS)
            more["cleaning"] = Cleaning.of(rules, where)
        found.append(replace(column, **more) if more else column)
    return found


def _listed(given: Any, what: str) -> tuple[Any, ...]:
    """Return what may be given alone, as a list, or not at all, as a tuple."""
    if given is None:
        return ()
    if isinstance(given, str | Requirement):
        return (given,)
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise PolicyError(
            f"{what} must be given as a list, not as {type(given).__name__}.",
            hint='write for example quasi_identifiers=["age", "sex"].',
        )
    return tuple(given)


def _by_name(given: Mapping[str, Any] | None, what: str, known: Sequence[str]) -> dict[str, Any]:
    """Return what is said by column, of columns that it has a meaning for."""
    if given is not None and not isinstance(given, Mapping):
        raise PolicyError(
            f"{what} must be given by column, not as {type(given).__name__}.",
            hint=f'write for example {what}={{"age": ...}}.',
        )
    _refuse_strangers(what, given or {}, known)
    return dict(given or {})


def _spec(given: Any) -> Any:
    return None if given is None else spec_from_policy(given, folder=Path())


def _hierarchies(given: Any, what: str) -> dict[str, Any]:
    """Return names with their hierarchies; None where a name has none."""
    return dict(given) if isinstance(given, Mapping) else dict.fromkeys(_listed(given, what))


def _refuse_strangers(key: str, values: Mapping[str, Any], known: Sequence[str]) -> None:
    strangers = [name for name in values if name not in known]
    if strangers:
        raise ParameterError(
            f"{key} names {checks.listed(strangers)}, which is no column that it can be said of.",
            hint=f"it may name {checks.listed(known)}.",
        )
