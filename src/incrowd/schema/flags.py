"""Policies from the short flags of the command line, with or without a policy file below them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from incrowd.frame.formulas import Formulas
from incrowd.schema import checks
from incrowd.schema.column import Column
from incrowd.schema.options import LIMIT, AlgorithmChoice, ReleaseOptions
from incrowd.schema.policy import Policy, with_k
from incrowd.schema.requirement_flags import (
    L_HINT,
    T_HINT,
    l_diversity_from_flag,
    t_closeness_from_flag,
)
from incrowd.schema.roles import OtherColumns, Role
from incrowd.texts import Labels


def policy_from_flags(
    policy: Policy | None = None,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    target: str | None = None,
    entity: str | None = None,
    other_columns: OtherColumns | None = None,
    k: int | None = None,
    l_diversity: Sequence[str] = (),
    t_closeness: Sequence[str] = (),
    algorithm: str | None = None,
    suppression_limit: float | None = None,
    purpose: str | None = None,
    effort: str | None = None,
    labels: Labels | None = None,
    formulas: Formulas | None = None,
) -> Policy:
    """Build a policy from flags, on top of another one if it is given.

    Parameters
    ----------
    policy
        What the flags are added to.
    quasi_identifiers, sensitive, identifiers, target, entity
        Columns by role, without a hierarchy.  A column that the policy describes already keeps its
        description; with another role there it is a contradiction, and refused.
    other_columns, algorithm, suppression_limit, purpose, effort, labels, formulas
        Take the place of what the policy says.  The other parameters of its algorithm stay; what
        another algorithm in its place does not have is left out, and a note says so.
    k
        Takes the place of the policy's k, if it has one k-anonymity requirement, or adds one.
    l_diversity, t_closeness
        Add requirements, each as the text of its flag: ``"3:occupation:entropy"``.

    Examples
    --------
    >>> policy_from_flags(quasi_identifiers=["age", "sex"], k=5).quasi_identifiers
    ('age', 'sex')
    """
    by_role: dict[Role, Sequence[str]] = {
        "quasi-identifier": quasi_identifiers,
        "sensitive": sensitive,
        "identifier": identifiers,
        "target": () if target is None else (target,),
        "entity": () if entity is None else (entity,),
    }
    described = () if policy is None else policy.columns
    required = () if policy is None else policy.requirements
    required = (
        *(required if k is None else with_k(required, k)),
        *map(l_diversity_from_flag, checks.texts(l_diversity, "--l-diversity", L_HINT)),
        *map(t_closeness_from_flag, checks.texts(t_closeness, "--t-closeness", T_HINT)),
    )
    changes: dict[str, Any] = {
        "columns": (*described, *_added(by_role, described)),
        "requirements": required,
        "algorithm": _with_algorithm(
            AlgorithmChoice() if policy is None else policy.algorithm,
            algorithm,
            {LIMIT: suppression_limit, "purpose": purpose, "effort": effort},
        ),
    }
    if other_columns is not None:
        changes["other_columns"] = other_columns
    written = {"labels": labels, "formulas": formulas}
    if said := {key: value for key, value in written.items() if value is not None}:
        release = ReleaseOptions() if policy is None else policy.release
        changes["release"] = replace(release, **said)  # type: ignore[arg-type]
    return Policy(**changes) if policy is None else replace(policy, **changes)


def aimed_at(policy: Policy, target: str | None) -> Policy:
    """Return the policy to predict another column with, for experiments that release nothing.

    The column may be sensitive or insensitive in the policy: like a target, these stay as they
    are.  A former target is insensitive.  A column with any other role keeps it.
    """
    kept = ("sensitive", "insensitive", "target")
    found = []
    for column in policy.columns if target is not None else ():
        if column.name == target and column.role in kept:
            found.append(Column(column.name, "target"))
        elif column.role == "target":
            found.append(Column(column.name, "insensitive"))
        else:
            found.append(column)
    return replace(policy, columns=tuple(found)) if found else policy


def _added(by_role: dict[Role, Sequence[str]], described: tuple[Column, ...]) -> list[Column]:
    """Return the columns that the flags add; the policy itself refuses a second role."""
    known = {(column.name, column.role) for column in described}
    return [
        Column(name, role)
        for role, names in by_role.items()
        for name in checks.texts(names, f"the {role} flag", "give a list of column names.")
        if (name, role) not in known
    ]


def _with_algorithm(
    chosen: AlgorithmChoice, name: str | None, parameters: Mapping[str, Any]
) -> AlgorithmChoice:
    given = {key: value for key, value in parameters.items() if value is not None}
    return chosen.replaced(name, given)
