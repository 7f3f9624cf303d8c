"""The engine for frames of Spark, and for what a session of it can read."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from incrowd.engines.base import Applied, Plan, engine
from incrowd.engines.elsewhere import EngineElsewhere, with_records
from incrowd.engines.space import Space
from incrowd.frame.formulas import Formulas
from incrowd.frame.readings import Rule
from incrowd.frame.source import Tally, TooManyRowsError

if TYPE_CHECKING:
    from incrowd.engines.tallied import TalliedCounted


@engine
class SparkEngine(EngineElsewhere):
    """Lets Spark count and recode rows; distinct tuples come to the driver, rows never do.

    Parameters
    ----------
    workplace
        The session, and its staging folder.
    opened
        The table.
    """

    name: ClassVar[str] = "spark"
    spills: ClassVar[bool] = False
    stages: ClassVar[bool] = True

    def __init__(self, workplace: Any, opened: Any) -> None:
        self.workplace, self.opened = workplace, opened

    @classmethod
    def takes(cls, data: Any, space: Space) -> bool:
        """Take frames of PySpark, classic and Connect."""
        return type(data).__module__.startswith("pyspark.sql.")

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
        from incrowd.engines.spark.reading import open_input, refuse_unreadable
        from incrowd.engines.spark.session import workplace_for

        refuse_unreadable(data)  # before a session starts, which takes seconds
        workplace = workplace_for(data, space or Space())
        try:
            return cls(workplace, open_input(workplace, data, separator, encoding, formulas))
        except BaseException:
            workplace.close()
            raise

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table."""
        names: tuple[str, ...] = self.opened.names
        return names

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.workplace.run(self.opened.rows.count))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found out about the input and the user should know."""
        counted = "rows are counted and recoded by Spark, not in memory"
        return (counted, *self.opened.notes, *self.workplace.notes)

    def tally(self, names: Sequence[str], *, count: str | None = None) -> Tally:
        """Return the distinct rows of some columns."""
        self.check_counts(count)
        return with_records(self.kept_tally(names, count))

    def looking_at(
        self, names: Sequence[str], count: str | None = None, later: Sequence[str] = ()
    ) -> Any:
        """Return the distinct rows of some columns; too many of them stay where they are."""
        from incrowd.engines.spark.far import FarRows
        from incrowd.engines.tallied import TalliedRows

        self.check_counts(count)
        try:
            return TalliedRows(self, names, count)
        except TooManyRowsError:
            return FarRows(self, names, count)

    def kept_tally(self, names: Sequence[str], count: str | None) -> Tally:
        """Count the distinct rows of some columns; what is returned is what is joined with."""
        from incrowd.engines.spark.tallying import tally

        found = tally(self.workplace, self.opened, names, count)
        self.opened.watched.check()
        return found

    def applied(self, counted: "TalliedCounted", plan: Plan) -> Applied:
        """Carry out a decision about the distinct rows that were tallied last."""
        from incrowd.engines.decided import decide
        from incrowd.engines.spark.applying import applied

        return applied(self, decide(counted, plan))

    def cleaned(self, rules: Mapping[str, Rule]) -> Self:
        """Return the table with the texts of some columns mended."""
        from incrowd.engines.spark.cleaning import cleaned

        known = {name: rule for name, rule in rules.items() if name in self.names}
        return type(self)(self.workplace, cleaned(self.workplace, self.opened, known))
