"""The lines that rows stand on."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.frame import open_source, read_csv
from incrowd.frame.lines import Found, places_of


@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["a", "b\nc", "\n\n", "x\r\ny"]), st.sampled_from(["1", "2\n"])),
        min_size=1, max_size=12,
    ),
    ending=st.sampled_from(["\n", "\r\n"]),
    header=st.sampled_from(["name", "na\nme"]),
)  # fmt: skip
def test_quoted_cells_may_run_over_lines(tmp_path_factory, rows, ending, header):
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=ending, quoting=csv.QUOTE_ALL)
    writer.writerow([header, "n"])
    lines = []
    for row in rows:
        lines.append(len(text.getvalue().replace("\r\n", "\n").split("\n")))
        writer.writerow(row)
    path = tmp_path_factory.mktemp("lines") / "t.csv"
    path.write_bytes(text.getvalue().encode())
    source = read_csv(path, separator=",")
    assert places_of(source, np.arange(len(rows))) == ("line", tuple(lines))


def test_rows_of_frames_are_counted_from_0():
    pandas = pytest.importorskip("pandas")
    source = open_source(pandas.DataFrame({"a": [1, 2, 3]}, index=[7, 8, 9]))
    assert places_of(source, np.array([0, 2])) == ("row", (0, 2))


def test_where_rows_have_no_order_there_are_no_places():
    assert Found(7).told() == ""
