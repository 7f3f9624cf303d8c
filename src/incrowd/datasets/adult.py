"""Adult, the census extract that the literature on k-anonymity measures itself on."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from incrowd.datasets.hierarchies import Rows
from incrowd.datasets.kinds import Kind, as_kind, check_kind
from incrowd.errors import ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

Part = Literal["train", "test", "both"]

_PACKED = files("incrowd.datasets") / "packed"
_WITH_HIERARCHY = (
    *("sex", "age", "race", "marital-status", "education"),
    *("native-country", "workclass", "occupation", "income"),
)


def adult(part: Part = "train", *, complete: bool = True, kind: Kind = "pyarrow") -> Any:
    """Return Adult: people of the 1994 census of the United States.

    Parameters
    ----------
    part
        The ``"train"`` rows, the ``"test"`` rows, or ``"both"``, in this order.
    complete
        Whether rows with a missing cell are left out: 30,162 rows are left to train, 45,222
        altogether.
    kind
        The library whose table is returned.

    Notes
    -----
    B. Becker and R. Kohavi, "Adult", UCI Machine Learning Repository, 1996,
    doi:10.24432/C5XW20, licensed under CC BY 4.0.  Columns and rows stand as they were given out;
    ``?`` is a missing cell, and the test rows have no dot behind their class.

    Examples
    --------
    >>> people = adult()
    >>> people.num_rows, people.num_columns, adult("both", complete=False).num_rows
    (30162, 15, 48842)
    """
    check_kind(kind)
    if part not in get_args(Part):
        raise ParameterError(
            "part names no part of Adult.", hint=f"one of {', '.join(get_args(Part))}."
        )
    rows = _read()
    if part != "both":
        import pyarrow.compute as pc

        rows = rows.filter(pc.equal(rows["part"], part))
    rows = rows.drop(["part"])
    return as_kind(rows.drop_null() if complete else rows, kind)


def _read() -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.read_table(pa.BufferReader((_PACKED / "adult.parquet").read_bytes()))


def adult_hierarchies() -> dict[str, Rows]:
    """Return hierarchies for nine columns of Adult, as the examples of ARX have them.

    Each is a tuple of rows, one per leaf: the leaf, its ancestors, the root.

    Notes
    -----
    From the ARX data anonymization tool, licensed under Apache-2.0.

    Examples
    --------
    >>> rows = adult_hierarchies()
    >>> rows["race"][0], {column: len(leaves[0]) - 1 for column, leaves in rows.items()}
    ... # doctest: +ELLIPSIS
    (('White', '*'), {'sex': 1, 'age': 4, 'race': 1, 'marital-status': 2, 'education': 3, ...
    """
    return {name: _rows(name) for name in _WITH_HIERARCHY}


def write_adult(folder: str | Path) -> dict[str, Path]:
    """Write ``adult.csv`` (30,162 rows, nine columns) and a hierarchy file for each column.

    They are in the form in which ARX gives them out, and income is called salary-class there.

    Returns
    -------
    dict
        The hierarchy files by column.
    """
    called = {name: "salary-class" if name == "income" else name for name in _WITH_HIERARCHY}
    rows = zip(*adult().select(_WITH_HIERARCHY).to_pydict().values(), strict=True)
    lines = [";".join(called.values()), *(";".join(map(str, row)) for row in rows)]
    place = Path(folder)
    (place / "adult.csv").write_bytes("".join(f"{line}\r\n" for line in lines).encode("ascii"))
    paths = {of: place / f"adult_hierarchy_{of}.csv" for of in called.values()}
    for name, of in called.items():
        paths[of].write_bytes((_PACKED / "arx" / f"{name}.csv").read_bytes())
    return paths


def _rows(name: str) -> Rows:
    lines = (_PACKED / "arx" / f"{name}.csv").read_text("ascii").splitlines()
    return tuple(tuple(line.split(";")) for line in lines)
