"""Numbers and texts as Arrow holds them, made without pandas."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.frame.buffers import numbers_as_arrow, positions_in, texts_as_arrow

KINDS = [np.int8, np.int16, np.int32, np.int64]


@given(st.lists(st.one_of(st.none(), st.integers(0, 100))), st.sampled_from(KINDS))
def test_numbers_there_and_back(cells, kind):
    held = np.array([cell is not None for cell in cells], dtype=bool)
    values = np.array([cell or 0 for cell in cells], dtype=kind)
    found = numbers_as_arrow(values, held)
    found.validate(full=True)
    assert found.to_pylist() == cells
    assert found.type == pa.from_numpy_dtype(kind)
    expected = [-1 if cell is None else cell for cell in cells]
    assert positions_in(found).tolist() == expected
    assert positions_in(found.slice(1)).tolist() == expected[1:]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@given(texts=st.lists(st.one_of(st.none(), st.text())))
def test_texts(kind, texts):
    found = texts_as_arrow(texts, kind)
    found.validate(full=True)
    assert found.type == kind
    assert found.to_pylist() == texts


def test_a_parquet_file_is_released_without_pandas(tmp_path):
    """It takes longer to import than most tables take."""
    pytest.importorskip("pandas")
    script = f"""
import sys, pyarrow as pa, pyarrow.parquet as pq
names = ["town"] * 40 + [None] * 40
import incrowd as ic
from incrowd.frame.buffers import texts_as_arrow
table = pa.Table.from_arrays([texts_as_arrow(names, pa.string())] * 2, names=["a", "b"])
pq.write_table(table, {str(tmp_path / "in.parquet")!r})
from incrowd.release import anonymize_file
policy = ic.policy(quasi_identifiers=["a"], sensitive=["b"], k=5)
anonymize_file({str(tmp_path / "in.parquet")!r}, {str(tmp_path / "out.parquet")!r}, policy)
assert "pandas" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)
