"""In which pieces rows are sent to PostgreSQL: so small that nobody waits for them."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from incrowd.frame.databases.postgresql import _PIECE, _in_pieces


@given(st.lists(st.integers(0, 3_000), max_size=4), st.integers(0, 300))
def test_pieces_are_small_and_hold_every_row_in_order(sizes, width):
    cells = [[f"{at:0{width}}" for at in range(size)] for size in sizes]
    batches = [pa.record_batch({"cell": pa.array(each, pa.string())}) for each in cells]
    pieces = list(_in_pieces(iter(batches)))
    sent = [cell for piece in pieces for cell in piece.column("cell").to_pylist()]
    assert sent == [cell for each in cells for cell in each]
    assert all(0 < piece.nbytes <= 2 * _PIECE for piece in pieces)


def test_a_row_that_is_larger_than_a_piece_is_one():
    batch = pa.record_batch({"cell": ["x" * (2 * _PIECE), "y"]})
    assert [piece.num_rows for piece in _in_pieces([batch])] == [1, 1]
