"""Columns as the codes that rows are counted by."""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.counts import RowCodes
from incrowd.engines.base import Coding
from incrowd.frame.source import Encoded, Source
from incrowd.private import private_dataclass


@private_dataclass
class CodedColumn:
    """A quasi-identifier of a source, with its leaf codes.

    Parameters
    ----------
    source, name
        Where it stands.
    coding
        How its values become leaf codes.
    cells
        Its values by row.
    """

    source: Source
    name: str
    coding: Coding
    cells: Encoded

    def leaf_codes(self) -> RowCodes:
        """Return the leaf code of each row; position -1, the last one, is the missing cell's."""
        missing = self.coding.hierarchy.missing_code
        return RowCodes(self.cells.codes, np.append(self.coding.code_of, missing).astype(np.int32))

    def spelled_once(self) -> bool:
        """Whether each leaf, and the missing cell, is written in one way only."""
        code_of, hierarchy = self.coding.code_of, self.coding.hierarchy
        if len(np.unique(code_of)) < len(code_of) or hierarchy.has_unknown:
            return False
        if self.cells.merged or not self.cells.uniform:
            return False
        return not hierarchy.has_missing or len(self._blanks()) == 1

    def blank(self) -> str | None:
        """Return how a missing cell is written: as it was, if that is unambiguous."""
        blanks = self._blanks() if self.coding.hierarchy.has_missing else set()
        return blanks.pop() if len(blanks) == 1 else None

    def _blanks(self) -> set[str | None]:
        """Return the different spellings of a missing cell in the column; None is a null."""
        plain = self.source.encode(self.name, missing=())
        found = np.unique(plain.codes[self.cells.codes < 0]).tolist()
        return {None if code < 0 else plain.texts[code] for code in found}


def by_text(column: Encoded) -> tuple[RowCodes, tuple[str | None, ...]]:
    """Return a column by the order of its texts, as `Encoded.by_text` does, in few bytes a row."""
    meaning, texts = column.meaning_by_text()
    return RowCodes(column.narrow().codes, meaning), texts


def with_several_records(person: Encoded, records: Counts | None) -> Codes:
    """Return by row a code for its person: 0 for all who have one record, as they need none.

    The others are numbered in the order of their texts, whatever the order of the rows.
    """
    several = np.flatnonzero(np.bincount(person.codes, records) > 1)
    several = np.array(sorted(several.tolist(), key=person.texts.__getitem__), dtype=np.int64)
    code_of = np.zeros(len(person.texts), dtype=np.int32)
    code_of[several] = 1 + np.arange(len(several))
    return code_of[person.codes]
