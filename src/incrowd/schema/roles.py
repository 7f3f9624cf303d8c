"""The roles a column can have, and what becomes of the columns of a table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from incrowd.errors import InputError
from incrowd.schema.checks import listed

Role = Literal[
    "identifier", "quasi-identifier", "sensitive", "target", "insensitive", "entity", "count"
]
Fate = Literal["generalised", "kept", "dropped"]
OtherColumns = Literal["refuse", "drop", "keep"]

ROLES: tuple[Role, ...] = get_args(Role)
OTHER_COLUMNS: tuple[OtherColumns, ...] = get_args(OtherColumns)

FATE_OF_ROLE: Mapping[Role, Fate] = {
    "identifier": "dropped",
    "quasi-identifier": "generalised",
    "sensitive": "kept",
    "target": "kept",
    "insensitive": "kept",
    "entity": "dropped",  # the same id on several rows links them: as good as an identifier
    "count": "kept",
}

AT_MOST_ONE: tuple[Role, ...] = ("target", "entity", "count")
MAY_HAVE_HIERARCHY: tuple[Role, ...] = ("quasi-identifier", "sensitive")
MAY_BE_CARRIED: tuple[Role, ...] = ("sensitive", "target", "entity")
MAY_BE_CLEANED: tuple[Role, ...] = ("quasi-identifier", "sensitive", "target", "insensitive")
"""Released, so that it matters what becomes of a cell that is not what its column holds."""

STAY_AS_THEY_ARE: tuple[Role, ...] = ("sensitive", "target", "insensitive")
"""Released cell by cell: what requirements about values can be recounted from."""


@dataclass(frozen=True)
class Roles:
    """What a policy means for the columns of one table, in the order of the table.

    Parameters
    ----------
    names
        The columns of the table.
    role_of
        Their roles; None where the policy does not name the column.
    fate_of
        What happens to each in a release.
    """

    names: tuple[str, ...]
    role_of: Mapping[str, Role | None]
    fate_of: Mapping[str, Fate]

    def with_fate(self, *fates: Fate) -> tuple[str, ...]:
        """Return the columns that meet one of the fates."""
        return tuple(name for name in self.names if self.fate_of[name] in fates)

    @property
    def generalised_names(self) -> tuple[str, ...]:
        """The columns whose cells may change: the quasi-identifiers."""
        return self.with_fate("generalised")

    @property
    def released_names(self) -> tuple[str, ...]:
        """The columns of the release."""
        return self.with_fate("generalised", "kept")

    @property
    def dropped_names(self) -> tuple[str, ...]:
        """The columns that are not released."""
        return self.with_fate("dropped")

    @property
    def undeclared_names(self) -> tuple[str, ...]:
        """The columns that the policy does not name."""
        return tuple(name for name in self.names if self.role_of[name] is None)


def roles_of(
    names: Sequence[str], role_of: Mapping[str, Role], *, other_columns: OtherColumns
) -> Roles:
    """Look up the role and the fate of each column of a table.

    Undeclared columns are kept only if `other_columns` says so.
    """
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise InputError(
            f"the table has several columns of the same name: {listed(repeated)}.",
            hint="give every column a name of its own.",
        )
    roles = {name: role_of.get(name) for name in names}
    other: Fate = "kept" if other_columns == "keep" else "dropped"
    fates = {name: other if role is None else FATE_OF_ROLE[role] for name, role in roles.items()}
    return Roles(tuple(names), roles, fates)
