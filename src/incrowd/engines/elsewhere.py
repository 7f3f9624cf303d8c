"""What engines have in common whose rows are not in memory: they tally distinct rows, and join."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from incrowd.engines.base import Applied, Coding, Counted, DistinctValues, Engine, Plan
from incrowd.errors import InputError
from incrowd.frame.lines import Found
from incrowd.frame.source import Table, Tally

if TYPE_CHECKING:
    from incrowd.engines.tallied import TalliedCounted


class RowsElsewhere(Table, Protocol):
    """What an engine whose rows are not in memory has to offer."""

    def kept_tally(self, names: Sequence[str], count: str | None) -> Tally:
        """Count the distinct rows of some columns, and remember them for joins.

        Their place in what is returned is what a decision calls them by.
        """

    def applied(self, counted: "TalliedCounted", plan: Plan) -> Applied:
        """Carry out a decision about the distinct rows that were tallied last."""


class EngineElsewhere(Engine, RowsElsewhere, Protocol):
    """An engine that looks at distinct rows in memory, and at the others where they are."""

    workplace: Any

    def looking_at(
        self, names: Sequence[str], count: str | None = None, later: Sequence[str] = ()
    ) -> Any:
        """Return the distinct rows of some columns, counted where the rows are."""
        from incrowd.engines.tallied import TalliedRows

        self.check_counts(count)
        return TalliedRows(self, names, count)

    def check_counts(self, count: str | None) -> None:
        """Refuse a count column that holds anything but whole numbers of 1 or more."""
        if count is not None:
            self.tally([count]).columns.numbers(count)

    def distinct(self, name: str, *, missing: Sequence[str]) -> DistinctValues:
        """Return the distinct values of a column."""
        from incrowd.engines.tallied import values_of

        return values_of(self, name).distinct(name, missing=missing)

    def where(self, name: str, texts: Collection[str]) -> Found:
        """Return how many records say one of some texts in a column; rows here have no order."""
        from incrowd.engines.tallied import values_of

        return values_of(self, name).where(name, texts)

    def count(
        self,
        codings: Mapping[str, Coding],
        *,
        carried: Sequence[str],
        count: str | None,
        persons: str | None = None,
    ) -> Counted:
        """Count the rows into distinct tuples."""
        names = [*codings, *carried, *filter(None, [persons])]
        looking = self.looking_at(tuple(dict.fromkeys(names)), count)
        counted: Counted = looking.count(codings, carried=carried, count=count, persons=persons)
        return counted

    def close(self) -> None:
        """Remove the private folder."""
        self.workplace.close()


def with_records(found: Tally) -> Tally:
    """Return what was counted; refuse a table in which there was nothing to count."""
    if not len(found.records):
        raise InputError("the table has no records.", hint="a table needs at least one record.")
    return found
