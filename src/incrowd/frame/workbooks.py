"""Which sheet of a workbook is meant."""

import os

from incrowd.errors import ParameterError
from incrowd.frame.formats import format_of


class Workbook(os.PathLike[str]):
    """One sheet of an Excel file; build it with `incrowd.workbook`.

    Parameters
    ----------
    path
        The file.
    sheet
        The name of the sheet.
    """

    def __init__(self, path: str | os.PathLike[str], sheet: str) -> None:
        self._path, self.sheet = os.fspath(path), sheet

    def __fspath__(self) -> str:
        return self._path

    def __repr__(self) -> str:
        return f"workbook({self._path!r}, sheet={self.sheet!r})"


def workbook(path: str | os.PathLike[str], *, sheet: str) -> Workbook:
    """Return one sheet of an Excel file that has several, for wherever a table goes in.

    Parameters
    ----------
    path
        The file, ``people.xlsx``.
    sheet
        The name of the sheet, as it stands on its tab.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.workbook("clinic.xlsx", sheet="2024")
    workbook('clinic.xlsx', sheet='2024')
    """
    if format_of(path) != "excel":
        raise ParameterError(
            "a sheet is named, and the table is no workbook.",
            hint="leave --sheet out; workbooks end in .xlsx.",
        )
    return Workbook(path, sheet)
