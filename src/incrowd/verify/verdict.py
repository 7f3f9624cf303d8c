"""What a recount found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from incrowd.errors import VerificationError


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What the recount found about one requirement.

    Parameters
    ----------
    requirement
        Its name in a policy file.
    description
        The promise in words.
    columns
        The columns that make up the classes.
    parameters
        What the requirement was built with, for example ``{"k": 5}``.
    classes
        The number of classes; masked records are a class like any other.
    smallest_class
        The records of the smallest class.
    violating_classes, violating_records
        The classes that break the promise, and the records in them.
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
        }

    def __str__(self) -> str:
        smallest = f"the smallest of {_number(self.classes, 'class', 'classes')} has "
        smallest += _number(self.smallest_class, "record", "records")
        if self.holds:
            return f"{self.description} holds: {smallest}"
        classes = _number(self.violating_classes, "class", "classes")
        records = _number(self.violating_records, "record", "records")
        return f"{self.description} is broken by {classes} with {records}: {smallest}"


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
    notes
        What was found out while reading, for example the sniffed separator.
    """

    passed: bool = field(init=False)
    records: int
    rows: int
    masked: int
    findings: tuple[Finding, ...]
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
            "notes": list(self.notes),
        }

    def lines(self) -> tuple[str, ...]:
        """Return the verdict for people: one line in all, then one per requirement."""
        records = _number(self.records, "record", "records")
        rows = "" if self.rows == self.records else f" in {_number(self.rows, 'row', 'rows')}"
        word = "passed" if self.passed else "failed"
        return (f"{word}: {records}{rows}, {self.masked:,} masked", *map(str, self.findings))

    def __str__(self) -> str:
        return "\n".join(self.lines())

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
