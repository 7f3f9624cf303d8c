"""What a policy says about one column."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, get_args

from incrowd.errors import PolicyError
from incrowd.hierarchies import HierarchySpec
from incrowd.schema import checks
from incrowd.schema.roles import MAY_HAVE_HIERARCHY, ROLES, Role

Unknown = Literal["refuse", "suppress"]


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
        What happens to values that the hierarchy does not list: an error, or released as the root.
    domain
        The smallest and the largest value that intervals may name.
    levels
        The lowest and the highest level of the hierarchy at which this quasi-identifier may be
        released; 0 is the value itself.
    """

    name: str
    role: Role
    _: KW_ONLY
    hierarchy: HierarchySpec | None = None
    weight: float = 1.0
    unknown: Unknown = "refuse"
    domain: tuple[float, float] | None = None
    levels: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise PolicyError(
                f"a column's name must be a text, not {checks.shown(self.name)}.",
                hint="name the column as the table's header does.",
            )
        where = f"column {self.name!r}"
        checks.choice(self.role, f"the role of {where}", ROLES)
        checks.choice(self.unknown, f"unknown of {where}", get_args(Unknown))
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

    def _check_use(self, where: str) -> None:
        """Refuse what would have no effect: its author believes that the column is protected."""
        used: dict[str, tuple[bool, tuple[Role, ...]]] = {
            "hierarchy": (self.hierarchy is not None, MAY_HAVE_HIERARCHY),
            "unknown": (self.unknown != "refuse", MAY_HAVE_HIERARCHY),
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
        if self.unknown != "refuse":
            mapping["unknown"] = self.unknown
        if self.domain is not None:
            mapping["domain"] = list(self.domain)
        if self.levels is not None:
            mapping["levels"] = list(self.levels)
        return mapping


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
