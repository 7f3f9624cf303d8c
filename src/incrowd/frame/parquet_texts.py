"""Columns of text on their way out of a Parquet file, held as one dictionary while that pays."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.arrays import narrowest
from incrowd.frame.buffers import numbers_as_arrow, positions_in, texts_as_arrow

_CELLS_PER_TEXT = 4  # a dictionary is worth keeping if a text stands in so many cells on average


class TextColumn:
    """A column of text, read piece by piece as the dictionaries that it is stored in.

    The pieces of a file have dictionaries of their own.  Here they become one, in the order in
    which the texts first appear, and its positions take as few bytes as they can.  A column that
    hardly repeats a text is held as plain text.
    """

    def __init__(self) -> None:
        self.pays = True
        self._texts = texts_as_arrow([], pa.string())
        self._pieces: list[Any] = []  # positions while it pays, texts afterwards
        self._cells = 0

    def add(self, piece: Any) -> None:
        """Add the next cells: a dictionary array while that pays, else plain text."""
        self._cells += len(piece)
        if not self.pays:
            self._pieces.append(_plain(piece))
            return
        piece = piece if pa.types.is_dictionary(piece.type) else piece.dictionary_encode()
        places = self._places(piece.dictionary)
        if _CELLS_PER_TEXT * len(self._texts) > self._cells:
            self.pays = False
            self._pieces = [self._texts.take(each) for each in self._pieces]
            self._pieces.append(_plain(piece))
        elif (places == np.arange(len(places))).all():
            self._pieces.append(piece.indices.cast(self._width))
        else:
            self._pieces.append(numbers_as_arrow(places).take(piece.indices).cast(self._width))

    @property
    def _width(self) -> Any:
        return pa.from_numpy_dtype(narrowest(len(self._texts)))

    def _places(self, texts: Any) -> Any:
        """Return where texts stand in the one dictionary; new ones are put at its end."""
        places = positions_in(pc.index_in(texts, value_set=self._texts)).copy()
        strange = np.flatnonzero(places < 0)
        places[strange] = len(self._texts) + np.arange(len(strange))
        if len(strange):
            self._texts = pa.concat_arrays([self._texts, texts.take(numbers_as_arrow(strange))])
        return places

    def column(self) -> Any:
        """Return the whole column."""
        if not self.pays:
            return pa.chunked_array(self._pieces, pa.string())
        pieces, self._pieces = self._pieces, []
        pieces = [
            pa.DictionaryArray.from_arrays(each.cast(self._width), self._texts) for each in pieces
        ]
        return pa.chunked_array(pieces, pa.dictionary(self._width, pa.string()))


def _plain(piece: Any) -> Any:
    return piece.dictionary_decode() if pa.types.is_dictionary(piece.type) else piece
