"""Discharges of a made-up hospital, as dirty as such files are, and a list of their faults.

Nobody in it exists.  Every fault was put there on purpose and is told with its line, so that
whatever looks for faults can be held against the list.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from incrowd.datasets.census import whole_number
from incrowd.datasets.kinds import Kind, as_kind, check_kind

FaultKind = Literal["malformed", "impossible", "spelling"]
Words = npt.NDArray[np.uint64]

_GIVEN_NAMES = (
    "Anna Bernd Clara David Emma Fritz Greta Hans Ida Jonas Karla Lukas Maria Niko Olga Paul Rosa "
    "Simon Thea Uwe"
)
_FAMILY_NAMES = (
    "Adler Bauer Conrad Dietz Engel Fuchs Graf Huber Jung Keller Lange Maurer Neumann Otto Peters "
    "Richter Sommer Thoma Ulrich Vogel Winter Zimmer"
)
_GIVEN, _FAMILY = _GIVEN_NAMES.split(), _FAMILY_NAMES.split()
_WARDS = ("cardiology", "surgery", "neurology", "internal")
_DIAGNOSES = (
    "I50.01", "I50.13", "I21.4", "I63.9", "J18.9", "J44.1", "K35.8", "K80.2", "N39.0", "S72.0",
    "S06.0", "E11.9", "G40.2", "C50.9", "M16.1", "A41.9",
)  # fmt: skip
_FIRST_BIRTH, _BIRTH_DAYS = date(1931, 1, 1), 27_000  # to 2004
_FIRST_DAY, _DAYS = date(2023, 1, 1), 731
_CENTS = 530_000  # so many different costs: 91% of 50,000 are unique

_BAD_DATES: tuple[Callable[[date], str], ...] = (
    lambda day: f"{day.day:02}.13.{day.year}",
    lambda day: f"{day.year}-02-30",
    lambda day: "unknown",
    lambda day: f"{day.year}",
    lambda day: f"{day.year}-{day.month:02}-",
)


@dataclass(frozen=True, order=True)
class Fault:
    """Something wrong with one cell, and put there on purpose.

    Parameters
    ----------
    column, line
        Where: the line of the file that `write_discharges` writes; the first record is on line 2.
    kind
        A ``"malformed"`` date, an ``"impossible"`` number or date, or another ``"spelling"``.
    """

    column: str
    line: int
    kind: FaultKind


@dataclass(frozen=True)
class Discharges:
    """The table, and what is wrong with it.

    Parameters
    ----------
    table
        All cells are texts.
    faults
        In the order of columns and lines.
    """

    table: Any
    faults: tuple[Fault, ...]


def discharges(rows: int = 50_000, seed: int = 0, *, kind: Kind = "pyarrow") -> Discharges:
    """Make up the discharges of a hospital, and list their faults.

    Parameters
    ----------
    rows
        How many; 1 or more.
    seed
        Another seed, other people; 0 or more.
    kind
        The library whose table is returned.

    Notes
    -----
    Of 50,000 records 68 have a malformed date of birth and 22 one of admission, 9 were born in
    2067, 35 stayed for -1 day and 40 for 999; some 500 women are ``f`` or ``w`` instead of ``F``,
    some 800 postcodes lack their zero or begin with ``D-``, and 800 diagnoses are spelled in small
    letters, without the point, or both.  One person in three has several stays, and most costs are
    unique.  Other sizes have as many faults for their size.

    Examples
    --------
    >>> found = discharges(1000, seed=7)
    >>> found.table.num_rows, found.faults[0]
    (1000, Fault(column='admission_date', line=678, kind='malformed'))
    """
    check_kind(kind)
    import pyarrow as pa

    columns, faults = _made(rows, seed)
    return Discharges(as_kind(pa.table(columns), kind), faults)


def write_discharges(
    path: str | os.PathLike[str], rows: int = 50_000, seed: int = 0
) -> tuple[Fault, ...]:
    """Write the discharges to a CSV file, and return their faults; see `discharges`."""
    columns, faults = _made(rows, seed)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return faults


def _made(rows: int, seed: int) -> tuple[dict[str, list[str]], tuple[Fault, ...]]:
    rows = whole_number(rows, "the number of rows", at_least=1)
    draw = _Draws(whole_number(seed, "the seed", at_least=0))
    columns = _clean(rows, draw)
    faults: list[Fault] = []

    def plant(column: str, kind: FaultKind, share: int, wrong: Callable[[str, int], str]) -> None:
        """Spoil so many of 50,000 cells."""
        for number, row in enumerate(draw.rows(rows, share)):
            spoiled = wrong(columns[column][row], number)
            if spoiled != columns[column][row] and (column, row) not in taken:
                columns[column][row] = spoiled
                taken.add((column, row))
                faults.append(Fault(column, row + 2, kind))

    taken: set[tuple[str, int]] = set()
    for column, share in (("birth_date", 68), ("admission_date", 22)):
        plant(column, "malformed", share, _bad_date)
    plant("birth_date", "impossible", 9, lambda cell, _: f"2067{cell[4:]}")
    plant("stay", "impossible", 35, lambda cell, _: "-1")
    plant("stay", "impossible", 40, lambda cell, _: "999")
    plant("sex", "spelling", 1000, lambda cell, at: "fw"[at % 2] if cell == "F" else cell)
    plant("postcode", "spelling", 400, lambda cell, _: cell[1:])
    plant("postcode", "spelling", 400, lambda cell, _: f"D-{cell}")
    plant("diagnosis", "spelling", 800, _other_code)
    return columns, tuple(sorted(faults))


def _bad_date(cell: str, number: int) -> str:
    return _BAD_DATES[number % len(_BAD_DATES)](date.fromisoformat(cell))


def _other_code(cell: str, number: int) -> str:
    pointless = cell.replace(".", "")
    return (pointless.lower(), pointless, cell.lower())[number % 3]


class _Draws:
    """Whole numbers made of the words of a stream: NumPy's distributions may change."""

    def __init__(self, seed: int) -> None:
        self._stream = np.random.PCG64(seed)

    def below(self, top: int, n: int) -> list[int]:
        """Return `n` numbers from 0 up to `top`."""
        words: Words = self._stream.random_raw(n)
        return [int(each) for each in (words >> np.uint64(11)) % np.uint64(top)]

    def rows(self, n: int, share: int) -> Sequence[int]:
        """Return different rows, `share` of 50,000 of them, in any order."""
        wanted = min(n, max(1, round(n * share / 50_000)))
        order = np.argsort(self._stream.random_raw(n), kind="stable")
        return [int(each) for each in order[:wanted]]


def _clean(rows: int, draw: _Draws) -> dict[str, list[str]]:
    """Return the table before anything was spoiled."""
    persons = max(1, rows * 7 // 10)
    given, family = draw.below(len(_GIVEN), persons), draw.below(len(_FAMILY), persons)
    births, places = draw.below(_BIRTH_DAYS, persons), draw.below(60, persons)
    # the first stays are of everybody, the further ones of whoever comes
    who = [*range(persons), *draw.below(persons, rows - persons)]
    days, codes = draw.below(_DAYS, rows), draw.below(len(_DIAGNOSES) ** 2, rows)
    stays, cents, wards = draw.below(144, rows), draw.below(_CENTS, rows), draw.below(4, rows)
    return {
        "patient_id": [f"P{100_000 + each}" for each in who],
        "name": [f"{_GIVEN[given[each]]} {_FAMILY[family[each]]}" for each in who],
        "birth_date": [(_FIRST_BIRTH + timedelta(births[each])).isoformat() for each in who],
        "sex": ["MF"[given[each] % 2 == 0] for each in who],
        "postcode": [f"04{103 + places[each] * 4}" for each in who],
        "admission_date": [(_FIRST_DAY + timedelta(each)).isoformat() for each in days],
        "ward": [_WARDS[each] for each in wards],
        # the product of two draws: some diagnoses are frequent
        "diagnosis": [_DIAGNOSES[each // 16 * (each % 16) // 16] for each in codes],
        "stay": [str(1 + each * each // 700) for each in stays],
        "cost": [f"{(80_000 + each) / 100:.2f}" for each in cents],
    }
