"""What a policy says about one column."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, get_args

from incrowd.errors import PolicyError
from incrowd.hierarchies import HierarchySpec
from incrowd.hierarchies.cover import Unknown
from incrowd.schema import checks
from incrowd.schema.cleaning import Cleaning
from incrowd.schema.roles import MAY_BE_CLEANED, MAY_HAVE_HIERARCHY, ROLES, Role

StatedKind = Literal["number", "date", "boolean", "text"]


@dataclass(frozen=True)
class Column:
    """One column of the table, as the policy describes it.

    Parameters
    ----------
    name
        The column's name in the table.
    role
        One of `ROLES`.
    hierarchy
        How its values generalise; None leaves it to the algorithm.
    weight
        How much a loss in this quasi-identifier counts, beside 1 for the others.
    unknown
        What happens to cells that are not what the column holds, and to values that its hierarchy
        does not list: they stop the release (``"refuse"``), are released as ``*``
        (``"suppress"``), or count as missing (``"missing"``).  A quasi-identifier, and a column
        with a hierarchy, refuse them if nothing is said; other columns keep their cells.
    kind
        What the column holds; if not given, what 99% of its non-missing records say.
    domain
        The smallest and the largest value that intervals may name, for numbers.
    levels
        The lowest and the highest level of the hierarchy at which this quasi-identifier may be
        released; 0 is the value itself.
    cleaning
        How its cells are mended while they are read.
    """

    name: str
    role: Role
    _: KW_ONLY
    hierarchy: HierarchySpec | None = None
    weight: float = 1.0
    unknown: Unknown | None = None
    domain: tuple[float, float] | None = None
    levels: tuple[int, int] | None = None
    kind: StatedKind | None = None
    cleaning: Cleaning = field(default_factory=Cleaning)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise PolicyError(
                f"a column's name must be a text, not {checks.shown(self.name)}.",
                hint="name the column as the table's header does.",
            )
        where = f"column {self.name!r}"
        checks.choice(self.role, f"the role of {where}", ROLES)
        if self.unknown is not None:
            checks.choice(self.unknown, f"unknown of {where}", get_args(Unknown))
        if self.kind is not None:
            checks.choice(self.kind, f"kind of {where}", get_args(StatedKind))
        checks.instances([self.cleaning], Cleaning, f"cleaning of {where}", "give a Cleaning().")
        object.__setattr__(self, "weight", _weight(self.weight, where))
        if self.domain is not None:
            object.__setattr__(self, "domain", _domain(self.domain, where))
        if self.levels is not None:
            object.__setattr__(self, "levels", _levels(self.levels, where))
        self._check_hierarchy(where)
        self._check_use(where)

    def _check_hierarchy(self, where: str) -> None:
        if self.hierarchy is not None and not callable(getattr(self.hierarchy, "build", None)):
            raise PolicyError(
                f"the hierarchy of {where} is {type(self.hierarchy).__name__}, not a hierarchy.",
                hint="use a builder such as suppression() or intervals(5, 10, 20).",
            )
        key = getattr(self.hierarchy, "key", None)
        if self.kind is not None and self.hierarchy is not None and key != "auto":
            raise PolicyError(
                f"{where} has a kind and a hierarchy {key!r}, which says what it takes.",
                hint='leave kind out, or write hierarchy = "auto".',
            )

    def _check_use(self, where: str) -> None:
        """Refuse what would have no effect: its author believes that the column is protected."""
        used: dict[str, tuple[bool, tuple[Role, ...]]] = {
            "hierarchy": (self.hierarchy is not None, MAY_HAVE_HIERARCHY),
            "unknown": (self.unknown is not None, MAY_BE_CLEANED),
            "kind": (self.kind is not None, MAY_BE_CLEANED),
            "domain": (self.domain is not None, ("quasi-identifier",)),
            "levels": (self.levels is not None, ("quasi-identifier",)),
            "weight": (self.weight != 1.0, ("quasi-identifier", "sensitive")),
        }
        for key, (given, roles) in used.items():
            if given and self.role not in roles:
                raise PolicyError(
                    f"{where} has the role {self.role!r}, where {key} has no meaning.",
                    hint=f"leave {key} out, or give the column one of the roles "
                    f"{checks.listed(roles)}.",
                )

    def to_mapping(self) -> dict[str, Any]:
        """Return the table ``[columns.<name>]`` of a policy file."""
        mapping: dict[str, Any] = {"role": self.role}
        if self.hierarchy is not None:
            mapping["hierarchy"] = self.hierarchy.to_policy()
        if self.weight != 1.0:
            mapping["weight"] = self.weight
        if self.unknown is not None:
            mapping["unknown"] = self.unknown
        if self.kind is not None:
            mapping["kind"] = self.kind
        if self.domain is not None:
            mapping["domain"] = list(self.domain)
        if self.levels is not None:
            mapping["levels"] = list(self.levels)
        return mapping | self.cleaning.to_mapping()

    @property
    def fate_of_unknown(self) -> Unknown:
        """What happens to values that a hierarchy does not list."""
        return self.unknown or "refuse"


def _weight(value: object, where: str) -> float:
    hint = "give a number greater than 0; 1 is the weight of a column that has none."
    weight = checks.finite(value, f"weight of {where}", hint)
    if weight <= 0:
        raise PolicyError(
            f"weight of {where} must be greater than 0, not {checks.shown(value)}.", hint=hint
        )
    return weight


def _domain(value: object, where: str) -> tuple[float, float]:
    hint = "write the smallest and the largest value, for example domain = [0, 120]."
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise PolicyError(f"domain of {where} must be a list of two numbers.", hint=hint)
    low, high = (checks.finite(each, f"domain of {where}", hint) for each in value)
    if low >= high:
        raise PolicyError(f"domain of {where} does not ascend.", hint=hint)
    return low, high


def _levels(value: object, where: str) -> tuple[int, int]:
    hint = "write the lowest and the highest level, for example levels = [1, 3]; 0 is the value."
    whole = isinstance(value, list | tuple) and all(type(each) is int for each in value)
    if not whole or not isinstance(value, list | tuple) or len(value) != 2:
        raise PolicyError(f"levels of {where} must be a list of two whole numbers.", hint=hint)
    low, high = value
    if low < 0:
        raise PolicyError(f"levels of {where} begin below 0.", hint=hint)
    if low > high:
        raise PolicyError(f"levels of {where} are reversed.", hint=hint)
    return low, high
