"""Any small table gives the same decision and rows in a database as in memory."""

import math

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import incrowd as ic
from database_tables import KINDS, Place
from frame_kinds import rows_of
from incrowd.errors import IncrowdError

LETTERS = st.text(st.sampled_from("aAäÄß '\"\\,;=\n\t\u0301\u200b%_北0-"), max_size=3)
NUMBERS = st.sampled_from([0.0, -0.0, 1.5, 1e300, -2.0, math.nan, 0.1, 2**53 + 0.0])
WHOLE = st.sampled_from([0, 1, -1, 39, 2**40, 2**62])


@st.composite
def tables(draw):
    rows = draw(st.integers(1, 8))

    def column(cells, kind):
        return pa.array(draw(st.lists(cells | st.none(), min_size=rows, max_size=rows)), kind)

    return pa.table(
        {
            "text": column(LETTERS, pa.string()),
            "number": column(NUMBERS, pa.float64()),
            'the "whole"': column(WHOLE, pa.int64()),
            "kept": column(LETTERS, pa.string()),
        }
    )


def as_sqlite_has_it(table):
    """NaN is missing there, -0.0 is 0.0, and a column without any cell has no type."""
    numbers = [None if x is None or math.isnan(x) else x + 0.0
               for x in table.column("number").to_pylist()]  # fmt: skip
    table = table.set_column(1, "number", pa.array(numbers, pa.float64()))
    columns = {
        name: pa.nulls(len(column)) if column.null_count == len(column) else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pa.table(columns)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables(), k=st.integers(1, 3), algorithm=st.sampled_from(["mondrian", "local-search"]))
def test_the_same_as_in_memory(kind, request, tmp_path_factory, table, k, algorithm):
    server = request.getfixturevalue("postgres") if kind == "postgresql" else None
    place = Place(kind, tmp_path_factory.mktemp("db"), server)
    table = as_sqlite_has_it(table) if kind == "sqlite" else table
    place.put("hostile", table)
    names = ["text", "number", 'the "whole"']
    policy = ic.policy(quasi_identifiers=names, insensitive=["kept"], k=k)
    found = [outcome(rows, policy, algorithm) for rows in (table, place.table("hostile"))]
    assert found[0] == found[1]


def outcome(rows, policy, algorithm):
    """The decision and the rows, or why there are none."""
    try:
        with ic.anonymize(rows, policy, algorithm=algorithm) as release:
            names = policy.quasi_identifiers
            return (
                release.recoding.to_text(),
                rows_of(release.table, names),
                rows_of(release.table, ["kept"]),
            )
    except IncrowdError as error:
        return type(error), error.message
