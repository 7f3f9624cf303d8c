"""The engine for tables that are larger than memory, and for lazy frames."""

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from incrowd.engines.base import Applied, Plan, engine
from incrowd.engines.elsewhere import EngineElsewhere, with_records
from incrowd.engines.space import Space
from incrowd.frame.formulas import Formulas
from incrowd.frame.readings import Rule
from incrowd.frame.source import Tally

if TYPE_CHECKING:
    from incrowd.engines.tallied import TalliedCounted


@engine
class DuckDBEngine(EngineElsewhere):
    """Counts and recodes rows where they are; none of them is held in memory.

    Parameters
    ----------
    workplace
        The connection.
    opened
        The table that it knows.
    why
        Why rows are not brought into memory.
    """

    name: ClassVar[str] = "duckdb"
    spills: ClassVar[bool] = True

    def __init__(self, workplace: Any, opened: Any, why: str) -> None:
        self.workplace, self.opened, self._why = workplace, opened, why

    @classmethod
    def takes(cls, data: Any, space: Space) -> bool:
        """Take lazy frames, and files too large for the memory."""
        if not isinstance(data, str | os.PathLike):
            module = type(data).__module__.split(".")[0]
            if module not in ("polars", "duckdb", "_duckdb", "ibis"):
                return False
            from incrowd.engines.duckdb.lazy_frames import is_lazy

            return is_lazy(data)
        from incrowd.engines.duckdb.fitting import too_large

        return too_large(data, space)

    @classmethod
    def open(
        cls,
        data: Any,
        *,
        separator: str | None = None,
        encoding: str = "utf-8",
        formulas: Formulas = "keep",
        space: Space | None = None,
    ) -> Self:
        """Open a table; the parameters are those of `engine_for`."""
        from incrowd.engines.duckdb.connection import Workplace
        from incrowd.engines.duckdb.fitting import about_choice
        from incrowd.engines.duckdb.reading import open_input

        space = space or Space()
        workplace = Workplace(space)
        try:
            opened = open_input(workplace, data, separator, encoding, formulas)
            workplace.before_blaming = opened.watched.check
            return cls(workplace, opened, about_choice(data, space))
        except BaseException:
            workplace.close()
            raise

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table."""
        return tuple(self.opened.schema.names)

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        from incrowd.engines.duckdb.reading import INPUT

        [(rows,)] = self.workplace.run(f"SELECT count(*) FROM {INPUT}")
        return int(rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found out about the input and the user should know."""
        return (self._why, *self.opened.notes)

    def tally(self, names: Sequence[str], *, count: str | None = None) -> Tally:
        """Return the distinct rows of some columns."""
        from incrowd.engines.duckdb.reading import INPUT
        from incrowd.engines.duckdb.tallying import tally

        self.check_counts(count)
        with self.workplace.telling("count", self.opened.rows):
            found = tally(self.workplace, self.opened.schema, INPUT, names, count)
        self.opened.watched.check()
        return with_records(found)

    def kept_tally(self, names: Sequence[str], count: str | None) -> Tally:
        """Count the distinct rows of some columns, and remember them for joins."""
        from incrowd.engines.duckdb.reading import INPUT
        from incrowd.engines.duckdb.tallying import tally

        with self.workplace.telling("count", self.opened.rows):
            found = tally(self.workplace, self.opened.schema, INPUT, names, count, kept=True)
        self.opened.watched.check()
        return found

    def applied(self, counted: "TalliedCounted", plan: Plan) -> Applied:
        """Carry out a decision about the distinct rows that were tallied last."""
        from incrowd.engines.decided import decide
        from incrowd.engines.duckdb.applying import applied

        return applied(self, decide(counted, plan))

    def cleaned(self, rules: Mapping[str, Rule]) -> Self:
        """Return the table with the texts of some columns mended."""
        from incrowd.engines.duckdb.cleaning import cleaned

        known = {name: rule for name, rule in rules.items() if name in self.names}
        return type(self)(self.workplace, cleaned(self.workplace, self.opened, known), self._why)
