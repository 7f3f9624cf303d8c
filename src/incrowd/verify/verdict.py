"""What a recount found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from incrowd.errors import VerificationError
from incrowd.html_tables import heading, lines, page

_INFINITE = "infinite"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What the recount found about one requirement.

    Classes of a promise about any m columns are counted for each choice of m.

    Parameters
    ----------
    requirement
        Its name in a policy file.
    description
        The promise in words.
    columns
        The columns that make up the classes, those that an attacker may know too at the end.
    parameters
        What the requirement was built with, for example ``{"k": 5}``; of a list of values only how
        many they are.
    classes
        The number of classes; masked records are a class like any other.
    smallest_class
        The records of the smallest class.
    violating_classes, violating_records
        The classes that break the promise, and the records in them.
    reached
        The strictest parameter that every class meets, or comes as near to as one likes: for
        example the largest distance from the table.  Infinite if none would do; None if the
        formula does not say.
    measure, unit
        What `reached` is called (``"k"``, ``"l"``, ``"t"``), and what it counts, if it counts.
    worst_class
        The records of the smallest class that reaches it.
    holds
        Whether no class breaks it.
    """

    holds: bool = field(init=False)
    requirement: str
    description: str
    columns: tuple[str, ...]
    parameters: Mapping[str, Any]
    classes: int
    smallest_class: int
    violating_classes: int
    violating_records: int
    reached: float | None = None
    measure: str = ""
    unit: str = ""
    worst_class: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", self.classes > 0 and self.violating_classes == 0)

    def to_json(self) -> dict[str, Any]:
        """Return the finding as plain data."""
        return {
            "requirement": self.requirement,
            "description": self.description,
            "columns": list(self.columns),
            "parameters": dict(self.parameters),
            "holds": self.holds,
            "classes": self.classes,
            "smallest_class": self.smallest_class,
            "violating_classes": self.violating_classes,
            "violating_records": self.violating_records,
            "measure": self.measure or None,
            "reached": _INFINITE if self.reached == inf else self.reached,
            "worst_class": self.worst_class,
        }

    def __str__(self) -> str:
        if self.holds:
            return f"{self.description} holds: {self._found()}"
        classes = _number(self.violating_classes, "class", "classes")
        records = _number(self.violating_records, "record", "records")
        return f"{self.description} is broken by {classes} with {records}: {self._found()}"

    def _found(self) -> str:
        """Return what was reached and where; if it is records, the smallest class says it all."""
        smallest = f"the smallest of {_number(self.classes, 'class', 'classes')} has "
        smallest += _number(self.smallest_class, "record", "records")
        if self.reached is None or self.worst_class is None or self.unit == "records":
            return smallest
        where = f"in a class of {_number(self.worst_class, 'record', 'records')}"
        value = f"{_shown(self.reached)} {self.unit}".rstrip()
        return f"{self.measure} = {value} is reached {where}; {smallest}"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether a released table holds what its policy promises.

    Parameters
    ----------
    passed
        Whether every requirement holds.
    records, rows
        The size of the table; a count column makes a row stand for several records.
    masked
        The records that have ``*`` in every quasi-identifier.
    findings
        One per requirement of the policy, in its order.
    not_checked
        What the recount cannot see.
    notes
        What was found out while reading, for example the sniffed separator.
    """

    passed: bool = field(init=False)
    records: int
    rows: int
    masked: int
    findings: tuple[Finding, ...]
    not_checked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        held = [finding.holds for finding in self.findings]
        object.__setattr__(self, "passed", self.records > 0 and bool(held) and all(held))

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain data, without any cell value."""
        return {
            "passed": self.passed,
            "records": self.records,
            "rows": self.rows,
            "masked": self.masked,
            "requirements": [finding.to_json() for finding in self.findings],
            "not_checked": list(self.not_checked),
            "notes": list(self.notes),
        }

    def lines(self) -> tuple[str, ...]:
        """Return the verdict for people: one line in all, one per requirement, the unchecked."""
        records = _number(self.records, "record", "records")
        rows = "" if self.rows == self.records else f" in {_number(self.rows, 'row', 'rows')}"
        word = "passed" if self.passed else "failed"
        unchecked = (f"not checked: {each}" for each in self.not_checked)
        said = f"{word}: {records}{rows}, {self.masked:,} masked"
        return (said, *map(str, self.findings), *unchecked)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        said, *rest = self.lines()
        return page(heading(said), lines(rest))

    def raise_if_failed(self) -> None:
        """Raise `VerificationError` unless every requirement holds."""
        if self.passed:
            return
        broken = "; ".join(str(finding) for finding in self.findings if not finding.holds)
        raise VerificationError(
            f"the released table does not hold what its policy promises: {broken}.",
            hint="do not share the table; generalise it further or suppress the records of the "
            "classes that are too small or too alike.",
            verdict=self.to_json(),
        )


def _number(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"


def _shown(value: float) -> str:
    """Return a value for people: whole, or to six digits."""
    if value == inf:
        return _INFINITE
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"
