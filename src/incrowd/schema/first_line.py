"""Whether the first line of a file names its columns."""

from incrowd.errors import InputError
from incrowd.frame.readings import is_date
from incrowd.frame.source import Table
from incrowd.texts import is_number


def refuse_without_names(table: Table) -> None:
    """Raise if the first line of a table seems to be a record: it would be taken for names.

    A name speaks against itself if it is a number or a date above numbers or dates, or if it is
    among the cells below it.  Tables with a column per year are told by their other columns.
    """
    values, scales = 0, 0
    for name in table.names:
        texts = table.tally([name]).columns.encode(name).texts
        if is_number(name) or is_date(name):
            scales += all(is_number(each) or is_date(each) for each in texts[:1000])
        else:
            values += name in texts
    total = len(table.names)
    if (values and 2 * (values + scales) > total) or values + scales == total:
        raise InputError(
            f"the first line seems to be a record: {values + scales} of the {total} names of "
            "columns look like the cells below them.",
            hint="put a line of names above it.",
        )
