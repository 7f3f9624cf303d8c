"""Everything that would stop or spoil a release, all at once and before any search."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.engines import DistinctValues, Engine, Space
from incrowd.errors import IncrowdError, PolicyError, Unprinted
from incrowd.frame.coding import infer_kind
from incrowd.hierarchies import Dates, Fixed, FromFile, Groups, Suppression, auto, built
from incrowd.hierarchies.dates import format_of
from incrowd.private import Private, private_dataclass
from incrowd.release.findings import Check, Finding, of_error
from incrowd.release.mending import FATES, MOSTLY, Odd, is_in_question, odd_cells
from incrowd.release.problem import open_table, policy_of, state_problem
from incrowd.requirements import KAnonymity, carried_by
from incrowd.schema import Column, Policy
from incrowd.schema.name_hints import hint_of
from incrowd.schema.suspicions import (
    WORDS,
    impossible_dates,
    impossible_numbers,
    mending_rules,
    spellings,
)

MOST_TEXTS = 20
"""So many different texts are a list of categories; more are something that has a hierarchy."""

NEARLY_UNIQUE = 0.5
"""From this share of records with a value of their own on, a released column is a name."""


def check(
    data: Any,
    policy: Policy | str | Path | None = None,
    *,
    engine: str | None = None,
    memory: int | str | None = None,
    temporary: str | os.PathLike[str] | None = None,
    space: Space | None = None,
    **described: Any,
) -> Check:
    """Find what would stop or spoil a release, without searching for one.

    Parameters
    ----------
    data, policy, engine, memory, temporary, described
        As in `anonymize`.
    space
        Instead of `memory` and `temporary`.

    Returns
    -------
    Check
        Its `findings` name columns, numbers of records and lines, never a cell; `passed` says that
        nothing stops a release.

    Raises
    ------
    IncrowdError
        If the table cannot be opened, or the policy cannot be read.
    """
    chosen = policy_of(policy, **described)
    opened = open_table(data, chosen, engine, space or Space(memory, temporary))
    with closing(opened):
        return Check.of(_Checked(opened, chosen).findings(), opened.n_rows)


@private_dataclass
class _Values:
    """A column with its distinct values, as it is read."""

    column: Column
    values: DistinctValues
    odd: Odd | None

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(map(self.read, self.values.texts))

    def read(self, text: str) -> str:
        return text if self.odd is None else self.odd.reading.read(text)

    @property
    def records(self) -> list[int]:
        return [int(each) for each in self.values.records]

    def raw(self, read: Collection[str]) -> list[str]:
        """Return the texts as they stand in the table."""
        asked = frozenset(read)
        return [text for text in self.values.texts if self.read(text) in asked]


class _Checked(Private):
    """A table that is held against its policy."""

    def __init__(self, engine: Engine, policy: Policy) -> None:
        self.engine, self.policy = engine, policy

    def findings(self) -> Iterator[Finding]:
        """Yield everything; an error of one check is a finding, and the others go on."""
        yield from self._about_names()
        there = [each for each in self.policy.columns if each.name in self.engine.names]
        stopped = False
        for column in there:
            for finding in self._about_column(column):
                stopped = stopped or finding.severity == "stops"
                yield finding
        yield from self._about_sensitive()
        yield from (Finding("note", "input", None, note.rstrip(".")) for note in self.engine.notes)
        absent = len(there) < len(self.policy.columns)
        if not stopped and not absent:
            yield from self._about_counting()

    def _about_names(self) -> Iterator[Finding]:
        try:
            self.policy.check(self.engine.names)
        except IncrowdError as error:
            yield of_error(error, kind="columns")

    def _about_counting(self) -> Iterator[Finding]:
        """Yield what stops a release when its rows are counted, which comes before any search."""
        try:
            run = state_problem(self.engine, self.policy)
        except IncrowdError as error:
            yield of_error(error)
            return
        table = run.problem.table
        least = max((each.k for each in self.policy.requirements if isinstance(each, KAnonymity)),
                    default=1)  # fmt: skip
        if table.n_records < least:
            message = f"there are {table.n_records:,} records, and a crowd is {least:,}"
            yield Finding("stops", "records", None, message, "gather more records, or lower k.")

    def _about_column(self, column: Column) -> Iterator[Finding]:
        """Yield what is found in one column."""
        try:
            values = self.engine.distinct(column.name, missing=self.policy.input.missing)
        except IncrowdError as error:
            yield of_error(error, column.name)
            return
        odd = None
        if column.role in ("quasi-identifier", "sensitive", "insensitive", "target"):
            try:
                odd = odd_cells(column, values)
            except PolicyError as error:
                yield self._asked(error, column)
        seen = _Values(column, values, odd)
        checks: tuple[Callable[[_Values], Iterable[Finding]], ...] = (
            self._malformed,
            self._spellings,
            self._impossible,
            self._nearly_unique,
            self._persons,
            self._leaves,
            self._all_or_nothing,
        )
        for looks in checks:
            try:
                yield from looks(seen)
            except IncrowdError as error:
                yield of_error(error, column.name)

    def _finding(
        self,
        severity: Any,
        kind: str,
        seen: _Values,
        texts: Collection[str],
        message: str,
        hint: str,
    ) -> Finding:
        """Return a finding about cells; {records} in the message is how many there are."""
        raw = seen.raw(texts)
        found = self.engine.where(seen.column.name, frozenset(raw))
        return Finding(
            severity,
            kind,
            seen.column.name,
            f"column {seen.column.name!r}: {message.format(records=f'{found.records:,}')}",
            hint,
            found,
            Unprinted(raw),
        )

    def _asked(self, error: PolicyError, column: Column) -> Finding:
        """Return what has to be said in the policy; of a column of two kinds, with the fewer."""
        finding = of_error(error, column.name, "ambiguous")
        if not is_in_question(column):
            return replace(finding, severity="note", hint="they are released as they stand.")
        if not finding.values:
            return finding
        found = self.engine.where(column.name, frozenset(map(str, finding.values)))
        return replace(finding, kind="malformed", found=found)

    def _malformed(self, seen: _Values) -> Iterator[Finding]:
        odd, column = seen.odd, seen.column
        if odd is None or not odd.texts:
            return
        what = f"{{records}} records are not {odd.holds}"
        generalised = column.role == "quasi-identifier"
        if column.unknown in FATES:
            fate = FATES[column.unknown or ""]
            yield self._finding("note", "malformed", seen, odd.texts, f"{what}, and {fate}", "")
        elif generalised or column.hierarchy is not None or column.unknown == "refuse":
            hint = 'mend them, or write unknown = "suppress" or unknown = "missing".'
            yield self._finding("stops", "malformed", seen, odd.texts, what, hint)
        else:
            hint = 'released as they are; unknown = "suppress" or "missing" hides them.'
            yield self._finding("spoils", "malformed", seen, odd.texts, what, hint)

    def _spellings(self, seen: _Values) -> Iterator[Finding]:
        column = seen.column
        if column.role in ("identifier", "count") or self._is_scale(seen):
            return
        groups = spellings(column.name, seen.texts, seen.records)
        if not groups:
            return
        others = [text for group in groups for text in group[1:]]
        times = "value has" if len(groups) == 1 else "values have"
        message = (
            f"{len(groups):,} {times} several spellings, and {{records}} records the rarer ones"
        )
        rules = " and ".join(mending_rules(groups))
        yield self._finding("spoils", "spelling", seen, others, message, f"mend them with {rules}.")

    def _is_scale(self, seen: _Values) -> bool:
        """Whether the column is one of numbers or dates, where other digits are other values."""
        if seen.column.hierarchy is not None:
            return (
                bool(getattr(seen.column.hierarchy, "reads", False)) and self._kind(seen) != "text"
            )
        return self._kind(seen) != "text" and hint_of(seen.column.name) != "postcode"

    @staticmethod
    def _kind(seen: _Values) -> str:
        if seen.odd is not None and seen.odd.reading.dates is not None:
            return "date"
        if isinstance(seen.column.hierarchy, Dates):
            return "date"
        return seen.column.kind or infer_kind(seen.texts, seen.records)

    def _impossible(self, seen: _Values) -> Iterator[Finding]:
        name, kind = seen.column.name, self._kind(seen)
        if seen.column.role == "identifier":
            return
        found = {}
        if kind == "number":
            found = impossible_numbers(seen.texts, seen.records)
        elif kind == "date":
            written = getattr(seen.column.hierarchy, "format", None)
            found = impossible_dates(name, seen.texts, seen.records, date.today(), written)
        for why, texts in found.items():
            unit = "numbers" if kind == "number" else "dates"
            message = f"{{records}} records have {unit} that are {WORDS[why]}"
            hint = 'mend the table, or make them missing: clean = { "" = [...] }.'
            yield self._finding("spoils", "impossible", seen, texts, message, hint)

    def _nearly_unique(self, seen: _Values) -> Iterator[Finding]:
        if seen.column.role not in ("sensitive", "insensitive", "target"):
            return
        alone = int(np.count_nonzero(seen.values.records == 1))
        share = alone / max(self.engine.n_rows, 1)
        if self.engine.n_rows >= 20 and share >= NEARLY_UNIQUE:
            yield Finding(
                "spoils",
                "unique",
                seen.column.name,
                f"column {seen.column.name!r} is released as it is, and {share:.0%} of the records "
                "have a value of their own: whoever knows it finds the record",
                'round it, make it a quasi-identifier, or leave it out (role = "identifier").',
            )

    def _persons(self, seen: _Values) -> Iterator[Finding]:
        column = seen.column
        several = int(np.count_nonzero(seen.values.records > 1))
        if not several:
            return
        told = f"{several:,} of {len(seen.texts):,} persons have several records"
        if column.role == "entity":
            message = f"column {column.name!r}: {told}; k counts persons, not records"
            yield Finding("note", "persons", column.name, message)
        elif column.role == "identifier" and hint_of(column.name) == "person id":
            yield Finding(
                "spoils",
                "persons",
                column.name,
                f"column {column.name!r}: {told}, and k counts records as if each were another "
                "person",
                'write role = "entity", so that crowds are of persons.',
            )

    def _leaves(self, seen: _Values) -> Iterator[Finding]:
        spec = seen.column.hierarchy
        if not isinstance(spec, FromFile | Fixed | Groups):
            return
        tree = built(spec, seen.texts, column=seen.column.name)
        codes = tree.match(seen.texts)
        uncovered = [
            text for text, code in zip(seen.texts, codes.tolist(), strict=True) if code < 0
        ]
        if uncovered and seen.column.unknown != "missing":
            stops = seen.column.fate_of_unknown == "refuse"
            message = "{records} records have values that the hierarchy does not list"
            hint = 'add them to the hierarchy, or write unknown = "suppress" or "missing".'
            yield self._finding(
                "stops" if stops else "note", "unlisted", seen, uncovered, message, hint
            )
        unused = tree.n_leaves - len(np.unique(codes[codes >= 0]))
        if unused:
            yield Finding(
                "note",
                "leaves",
                seen.column.name,
                f"column {seen.column.name!r}: {unused:,} of the {tree.n_leaves:,} leaves of the "
                "hierarchy never occur",
            )

    def _all_or_nothing(self, seen: _Values) -> Iterator[Finding]:
        """Yield a finding if nothing lies between the texts of a column and one value for all."""
        column, texts = seen.column, seen.texts
        generalised = column.role == "quasi-identifier" and column.hierarchy in (None, auto())
        if not generalised or column.kind is not None or seen.odd is None or seen.odd.texts:
            return
        if len(texts) <= MOST_TEXTS or not isinstance(
            auto().choose(texts, column.name), Suppression
        ):
            return
        written = format_of(texts, seen.records, share=MOSTLY)
        yield Finding(
            "spoils",
            "coarse",
            column.name,
            f"column {column.name!r}: {len(texts):,} different texts and no hierarchy: a release "
            "by levels shows them as they are, or one value for all",
            _dates_hint(written)
            or "give it a hierarchy; `incrowd hierarchy suggest` writes one to start from.",
        )

    def _about_sensitive(self) -> Iterator[Finding]:
        resolved, _ = self.policy.requirements_resolved()
        asked = {name for each in resolved for name in carried_by(each)}
        for name in self.policy.sensitive:
            if name not in asked:
                yield Finding(
                    "spoils",
                    "requirement",
                    name,
                    f"column {name!r} is sensitive, and no requirement is about it: a class "
                    "in which all have the same value tells it",
                    f'add [[requirements]] l_diversity = {{ l = 2, column = "{name}" }}.',
                )


def _dates_hint(written: str | None) -> str:
    """Return what to write for dates that are in a known format; nothing for other texts."""
    if written is None:
        return ""
    finest = "month" if "%d" not in written else "day"
    century = " Years of two digits are 1969 to 2068." * ("%y" in written)
    periods = {"month": '["year", "decade"]', "day": '["month", "year", "decade"]'}[finest]
    return (
        f'they look like dates: hierarchy = {{ dates = {periods}, format = "{written}" }}.{century}'
    )
