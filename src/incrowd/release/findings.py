"""What a check found: each thing in a sentence, with its lines, and nothing that a cell says."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from incrowd.errors import IncrowdError, Unprinted
from incrowd.frame.lines import SHOWN, Found

Severity = Literal["stops", "spoils", "note"]

_HEADINGS: dict[Severity, str] = {
    "stops": "stops the release",
    "spoils": "spoils the release",
    "note": "worth knowing",
}
MOST_VALUES = 20


@dataclass(frozen=True)
class Finding:
    """One thing that was found.

    Parameters
    ----------
    severity
        Whether it ``"stops"`` a release, ``"spoils"`` one, or is a ``"note"``.
    kind
        What it is, in a word: ``"malformed"``, ``"spelling"``, ``"impossible"`` ...
    column
        Where; None if it is about the whole table.
    message, hint
        What was found, and what to do about it.  No cell value.
    found
        How many records it is about, and on which lines they are.
    values
        The cells themselves; kept on the object, never printed unless that is asked for.
    """

    severity: Severity
    kind: str
    column: str | None
    message: str
    hint: str = ""
    found: Found | None = None
    values: Unprinted = field(default_factory=Unprinted)

    def lines(self, *, show_values: bool = False, most: int = SHOWN) -> Iterator[str]:
        """Yield what a terminal prints."""
        places = "" if self.found is None else self.found.told(most=most)
        yield f"{self.message}{f' ({places})' if places else ''}."
        if show_values and self.values:
            shown = ", ".join(map(repr, self.values[:MOST_VALUES]))
            more = len(self.values) - MOST_VALUES
            yield f"    cells: {shown}{f' and {more} more' if more > 0 else ''}"
        if self.hint:
            yield f"    {self.hint}"

    def to_json(self) -> dict[str, Any]:
        """Return plain data, without a cell."""
        found = {} if self.found is None else {
            "records": self.found.records,
            "unit": self.found.unit,
            "places": list(self.found.places),
        }  # fmt: skip
        told = {"severity": self.severity, "kind": self.kind, "column": self.column}
        return {**told, "message": f"{self.message}.", "hint": self.hint, **found}


def of_error(error: IncrowdError, column: str | None = None, kind: str = "error") -> Finding:
    """Return what an error says that would stop a release."""
    message, hint = error.message.rstrip("."), error.hint or ""
    return Finding("stops", kind, column, message, hint, values=error.values)


@dataclass(frozen=True)
class Check:
    """Everything that was found.

    Parameters
    ----------
    findings
        What stops a release first, then what spoils it, then notes; by column in each.
    records
        The rows of the table.
    """

    findings: tuple[Finding, ...]
    records: int

    @classmethod
    def of(cls, findings: Iterable[Finding], records: int) -> "Check":
        """Put findings in order."""
        rank = list(_HEADINGS)
        return cls(tuple(sorted(findings, key=lambda each: rank.index(each.severity))), records)

    @property
    def passed(self) -> bool:
        """Whether nothing stops a release."""
        return not self.that("stops")

    def that(self, severity: Severity) -> tuple[Finding, ...]:
        """Return the findings of one severity."""
        return tuple(each for each in self.findings if each.severity == severity)

    def lines(self, *, show_values: bool = False) -> Iterator[str]:
        """Yield what a terminal prints; cells only with `show_values`."""
        for severity, heading in _HEADINGS.items():
            found = self.that(severity)
            if found:
                yield f"{heading}:"
            for each in found:
                first, *others = each.lines(show_values=show_values)
                yield f"  {first}"
                yield from (f"  {other}" for other in others)
        counts = {severity: len(self.that(severity)) for severity in _HEADINGS}
        verdict = "nothing stops a release" if self.passed else "there is no release yet"
        yield (
            f"{verdict}: {counts['stops']} stop it, {counts['spoils']} spoil it, "
            f"{counts['note']} notes, in {self.records:,} records."
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain data, without a cell."""
        return {
            "passed": self.passed,
            "records": self.records,
            "findings": [each.to_json() for each in self.findings],
        }
