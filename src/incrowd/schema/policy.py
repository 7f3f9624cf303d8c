"""A policy: the roles of the columns, what a release must hold, and how it is made."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from incrowd.errors import PolicyError, VerificationError
from incrowd.hierarchies.given import FromFile
from incrowd.html_tables import heading, lines, page, table
from incrowd.requirements import (
    AboutValues,
    KAnonymity,
    Requirement,
    carried_by,
    drop_implied,
    known_by,
    parts_of,
)
from incrowd.schema import checks
from incrowd.schema.cleaning import Cleaning, CleaningRule
from incrowd.schema.column import Column
from incrowd.schema.options import AlgorithmChoice, InputOptions, ReleaseOptions
from incrowd.schema.roles import (
    AT_MOST_ONE,
    FATE_OF_ROLE,
    MAY_BE_CARRIED,
    OTHER_COLUMNS,
    ROLES,
    STAY_AS_THEY_ARE,
    OtherColumns,
    Role,
    Roles,
    roles_of,
)


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Everything a release is made and judged by.

    Parameters
    ----------
    columns
        The columns and their roles; the order of the quasi-identifiers breaks ties.
    requirements
        What every class of a release must hold; at least one.
    other_columns
        What happens to columns of the table that are not among `columns`: the table is refused, or
        they are dropped, or kept.
    algorithm, input, release
        The options of the sections of the same name.

    Examples
    --------
    >>> from incrowd.requirements import KAnonymity
    >>> policy = Policy(
    ...     columns=[Column("age", "quasi-identifier"), Column("name", "identifier")],
    ...     requirements=[KAnonymity(5)],
    ... )
    >>> policy.check(["name", "age"]).dropped_names
    ('name',)
    """

    columns: tuple[Column, ...]
    requirements: tuple[Requirement, ...]
    other_columns: OtherColumns = "refuse"
    algorithm: AlgorithmChoice = field(default_factory=AlgorithmChoice)
    input: InputOptions = field(default_factory=InputOptions)
    release: ReleaseOptions = field(default_factory=ReleaseOptions)

    def __post_init__(self) -> None:
        columns = checks.instances(self.columns, Column, "columns", "build them with Column().")
        requirements: tuple[Requirement, ...] = checks.instances(
            self.requirements,
            Requirement,  # type: ignore[type-abstract]
            "requirements",
            "give a list, for example [KAnonymity(5)].",
        )
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "requirements", requirements)
        checks.choice(self.other_columns, "other_columns", OTHER_COLUMNS)
        for section, kind in _SECTIONS.items():
            checks.instances([getattr(self, section)], kind, section, f"give {kind.__name__}().")
        _check_columns(columns)
        _check_requirements(self)

    def __repr__(self) -> str:
        counts = {role: len(self.names_with(role)) for role in ROLES}
        columns = ", ".join(f"{n} {role}" for role, n in counts.items() if n)
        asked = ", ".join(each.describe() for each in self.requirements)
        return f"Policy({columns}; {asked}; {self.algorithm.name})"

    def _repr_html_(self) -> str:
        rows = [
            (each.name, each.role, getattr(each.hierarchy, "key", None)) for each in self.columns
        ]
        asked = [each.describe() for each in self.requirements]
        shown = table(["column", "role", "hierarchy"], rows)
        return page(heading("Policy"), shown, lines([*asked, f"algorithm: {self.algorithm.name}"]))

    def names_with(self, *roles: Role) -> tuple[str, ...]:
        """Return the columns that have one of the roles, in policy order."""
        return tuple(column.name for column in self.columns if column.role in roles)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns that are generalised, in policy order."""
        return self.names_with("quasi-identifier")

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The columns that nobody may learn about a person."""
        return self.names_with("sensitive")

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The columns that name a person; never released."""
        return self.names_with("identifier")

    @property
    def target(self) -> str | None:
        """The column that classifiers will predict."""
        return next(iter(self.names_with("target")), None)

    @property
    def entity(self) -> str | None:
        """The column that says which records belong to one person; never released."""
        return next(iter(self.names_with("entity")), None)

    @property
    def count(self) -> str | None:
        """The column that says how many records a row stands for."""
        return next(iter(self.names_with("count")), None)

    @property
    def files(self) -> tuple[Path, ...]:
        """The hierarchy files that the policy names."""
        specs = [column.hierarchy for column in self.columns]
        return tuple(spec.path for spec in specs if isinstance(spec, FromFile))

    def column(self, name: str) -> Column:
        """Return the column of that name."""
        for column in self.columns:
            if column.name == name:
                return column
        names = [column.name for column in self.columns]
        raise PolicyError(
            f"the policy has no column {checks.shown(name)}.",
            hint=f"{checks.did_you_mean(name, names)}It has {checks.listed(names)}.",
        )

    def cleaning_rules(self) -> dict[str, CleaningRule]:
        """Return what mends the cells of columns while they are read, by name."""
        return {
            column.name: column.cleaning.rule(column.name)
            for column in self.columns
            if column.cleaning != Cleaning()
        }

    def with_k(self, k: int, *, each: bool = False) -> Self:
        """Return the policy with another k: see the function of that name."""
        return replace(self, requirements=with_k(self.requirements, k, each=each))

    def requirements_resolved(
        self,
    ) -> tuple[tuple[Requirement, ...], tuple[tuple[Requirement, Requirement], ...]]:
        """Return the requirements with their columns spelled out, and the implied ones apart.

        One that stands for several is replaced by them.  The second part holds pairs of (dropped,
        implied by).
        """
        resolved = (each.resolved(self.quasi_identifiers) for each in self.requirements)
        return drop_implied(part for each in resolved for part in parts_of(each))

    def check(self, names: Sequence[str]) -> Roles:
        """Hold the policy against the columns of a table that is to be released."""
        roles = self._roles(names)
        absent = [column.name for column in self.columns if column.name not in roles.role_of]
        if absent:
            raise PolicyError(
                f"the table has no column {checks.listed(absent)}, which the policy names.",
                hint=_names_hint(absent, names, len(self.columns)),
            )
        self._refuse_undeclared(roles)
        return roles

    def check_released(self, names: Sequence[str]) -> Roles:
        """Hold the policy against the columns of a table that has been released.

        A column that must not be there is a broken promise (`VerificationError`); one that the
        recount needs and that is absent, or that has no role, is a policy for another table
        (`PolicyError`).
        """
        roles = self._roles(names)
        if not any(column.name in roles.role_of for column in self.columns):
            raise PolicyError(
                "the released table has none of the policy's columns: "
                f"{checks.listed(column.name for column in self.columns)}.",
                hint="does the first line of the file name the columns?",
            )
        undeclared = roles.undeclared_names if self.other_columns == "refuse" else ()
        forbidden = [name for name in roles.dropped_names if name not in undeclared]
        if forbidden:
            raise VerificationError(
                f"the released table has columns that may not be released: "
                f"{checks.listed(forbidden)}.",
                hint="identifier and entity columns, and with other_columns = 'drop' those that "
                "the policy does not name, must not be in a release.",
                verdict={"passed": False, "forbidden_columns": forbidden},
            )
        absent = [name for name in self._recounted() if name not in roles.role_of]
        if absent:
            raise PolicyError(
                f"the released table has no column {checks.listed(absent)}, which the "
                "requirements need.",
                hint="recount with the policy that the table was released under.",
            )
        self._refuse_undeclared(roles)
        return roles

    def _roles(self, names: Sequence[str]) -> Roles:
        declared = {column.name: column.role for column in self.columns}
        return roles_of(names, declared, other_columns=self.other_columns)

    def _recounted(self) -> tuple[str, ...]:
        """Return the columns without which a release cannot be recounted."""
        resolved = [each.resolved(self.quasi_identifiers) for each in self.requirements]
        names = [name for each in resolved for name in (*(each.on or ()), *carried_by(each))]
        needed = [name for name in names if FATE_OF_ROLE[self.column(name).role] != "dropped"]
        return tuple(dict.fromkeys((*needed, *self.names_with("count"))))

    def _refuse_undeclared(self, roles: Roles) -> None:
        if roles.undeclared_names and self.other_columns == "refuse":
            raise PolicyError(
                f"columns of the table have no role: {checks.listed(roles.undeclared_names)}.",
                hint="name them in the policy, or say what happens to all columns without a role: "
                "other_columns = 'drop' or other_columns = 'keep'.",
            )

    def to_mapping(self) -> dict[str, Any]:
        """Return the policy as a policy file holds it; `policy_from_mapping` reads it back."""
        return {
            "other_columns": self.other_columns,
            "columns": {column.name: column.to_mapping() for column in self.columns},
            "requirements": [each.to_policy() for each in self.requirements],
            "algorithm": self.algorithm.to_mapping(),
            "input": self.input.to_mapping(),
            "release": self.release.to_mapping(),
        }


def with_k(
    requirements: tuple[Requirement, ...], k: int, *, each: bool = False
) -> tuple[Requirement, ...]:
    """Return requirements with k in the place of the k of their k-anonymity.

    There may be one of them, and if there is none it is added.  With `each` there may be several,
    which all get this k, but not none: who compares several k changes the same requirements.
    """
    found = [one for one in requirements if isinstance(one, KAnonymity)]
    if each and not found:
        raise PolicyError(
            "the policy has no k_anonymity requirement whose k could be replaced.",
            hint="add one to the policy, or leave k out.",
        )
    if len(found) > 1 and not each:
        raise PolicyError(
            f"k is given beside a policy that has {len(found)} k_anonymity requirements.",
            hint="leave k out, and change it in the policy, where each requirement has its own.",
        )
    if not found:
        return (*requirements, KAnonymity(k))
    return tuple(replace(one, k=k) if isinstance(one, KAnonymity) else one for one in requirements)


_SECTIONS: dict[str, type[Any]] = {
    "algorithm": AlgorithmChoice,
    "input": InputOptions,
    "release": ReleaseOptions,
}


def _names_hint(absent: list[str], names: Sequence[str], n_described: int) -> str:
    """Tell the names of a table, unless few are known: its first line may then be a record."""
    if 2 * len(absent) > n_described:
        there = n_described - len(absent)
        return f"{there} of its {n_described} columns are there: does the first line name them?"
    return f"{checks.did_you_mean(absent[0], names)}The table has {checks.listed(names)}."


def _check_columns(columns: tuple[Column, ...]) -> None:
    role_of: dict[str, Role] = {}
    for column in columns:
        if column.name in role_of:
            other = role_of[column.name]
            roles = "" if other == column.role else f", as {other!r} and as {column.role!r}"
            raise PolicyError(
                f"column {column.name!r} is given twice{roles}.",
                hint="give every column once, with one role.",
            )
        role_of[column.name] = column.role
    for role in AT_MOST_ONE:
        names = [column.name for column in columns if column.role == role]
        if len(names) > 1:
            raise PolicyError(
                f"several columns have the role {role!r}: {checks.listed(names)}.",
                hint=f"at most one column can be the {role}; give the others another role.",
            )
    if {"entity", "count"} <= set(role_of.values()):
        raise PolicyError(
            "the policy has an entity and a count: of a row that stands for several records nobody "
            "can tell whose they are.",
            hint="give a table with one row per person and no count.",
        )
    if "quasi-identifier" not in role_of.values():
        raise PolicyError(
            "no column is a quasi-identifier, so there is nothing to make anonymous.",
            hint='give role = "quasi-identifier" to the columns that others may know about a '
            "person: age, sex, place.",
        )


def _check_requirements(policy: Policy) -> None:
    if not policy.requirements:
        raise PolicyError(
            "the policy has no requirement.",
            hint="say what a release must hold, for example k_anonymity = 5.",
        )
    role_of = {column.name: column.role for column in policy.columns}
    for number, requirement in enumerate(policy.requirements, start=1):
        where = f"requirement {number} ({requirement.name})"
        for name in requirement.on or ():
            _check_role(name, role_of, where, ("quasi-identifier",))
        about_values = isinstance(requirement, AboutValues)
        for name in requirement.carried:
            _check_role(name, role_of, where, STAY_AS_THEY_ARE if about_values else MAY_BE_CARRIED)
        for name in known_by(requirement):
            _check_role(name, role_of, f"known of {where}", STAY_AS_THEY_ARE)
        parts_of(requirement.resolved(policy.quasi_identifiers))  # refuses what are too many


def _check_role(
    name: object, role_of: dict[str, Role], where: str, allowed: tuple[Role, ...]
) -> None:
    known = [other for other, role in role_of.items() if role in allowed]
    if not isinstance(name, str) or name not in role_of:
        raise PolicyError(
            f"{where} names the column {checks.shown(name)}, which the policy does not describe.",
            hint=f"{checks.did_you_mean(name, known)}It may name {checks.listed(known)}.",
        )
    role = role_of[name]
    if role not in allowed:
        why = f"{_WHY_NOT[role]}; " if role in _WHY_NOT else ""
        raise PolicyError(
            f"{where} names column {name!r}, whose role is {role!r}.",
            hint=f"{why}it may name columns with the role {checks.listed(allowed)}.",
        )


_WHY_NOT: dict[Role, str] = {
    "quasi-identifier": "a quasi-identifier is generalised, and taken as known anyway",
    "identifier": "an identifier is not released",
    "entity": "an entity is not released",
    "count": "a count says how many records there are, and nothing about them",
}
