"""A table whose cells are mended while they are read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Integers
from incrowd.frame.coding import encoded, whole_numbers
from incrowd.frame.readings import Rule, about
from incrowd.frame.source import Encoded, NewCells, Replacement, Source
from incrowd.private import private_dataclass

Texts = tuple[str | None, ...]


@private_dataclass
class CleanedSource:
    """A table in memory, some of whose columns say what a rule makes of their texts.

    A rule is asked once per distinct text.  What is taken of the table is mended for good; a column
    in which no cell changes keeps its type and its bytes.

    Parameters
    ----------
    source
        The table as it came, never modified.
    rules
        By column.
    """

    source: Any
    rules: Mapping[str, Rule]
    _mended: dict[str, tuple[Codes, Texts, bool]] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The kind of the table below."""
        kind: str = self.source.kind
        return kind

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        names: tuple[str, ...] = self.source.names
        return names

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.source.n_rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found out about the table below, and about the rules."""
        own = (about(rule, self._before(name)) for name, rule in self.rules.items())
        return (*self.source.notes, *(note for notes in own for note in notes))

    def _before(self, name: str) -> tuple[str, ...]:
        texts: tuple[str, ...] = self.source.encode(name, missing=()).texts
        return texts

    @property
    def separator(self) -> str | None:
        """What stands between the cells of a CSV file, if it is one."""
        return getattr(self.source, "separator", None)

    def encode(self, name: str, *, missing: Sequence[str] = ("",)) -> Encoded:
        """Code a column by its mended texts."""
        if name not in self.rules:
            plain: Encoded = self.source.encode(name, missing=missing)
            return plain
        codes, texts, changed = self._of(name)
        if not changed:
            return self._unchanged(name, missing)
        found = encoded(codes, texts, missing=frozenset(missing))
        return replace(found, uniform=False)  # a column that changed is written anew

    def _unchanged(self, name: str, missing: Sequence[str]) -> Encoded:
        found: Encoded = self.source.encode(name, missing=missing)
        return found

    def _of(self, name: str) -> tuple[Codes, Texts, bool]:
        """Return codes, mended texts, and whether any cell says something else than before."""
        if name not in self._mended:
            plain, rule = self.source.encode(name, missing=()), self.rules[name]
            texts = tuple(rule(text) for text in plain.texts)
            self._mended[name] = plain.codes, texts, texts != plain.texts
        return self._mended[name]

    def numbers(self, name: str) -> Integers:
        """Return a column of whole numbers of 1 or more; refuse all others."""
        if name in self.rules:
            return whole_numbers(self.encode(name), name)
        numbers: Integers = self.source.numbers(name)
        return numbers

    def take(self, rows: Integers, replaced: Mapping[str, NewCells], names: Sequence[str]) -> Any:
        """Return rows and columns of the table below, mended and with some columns replaced."""
        return self.source.take(rows, {**dict(self._new_cells(rows, names)), **replaced}, names)

    def in_place(self, replaced: Mapping[str, NewCells], names: Sequence[str]) -> Any:
        """Return all rows where they stand, mended and with some columns replaced."""
        rows = np.arange(self.n_rows)
        return self.source.in_place({**dict(self._new_cells(rows, names)), **replaced}, names)

    def _new_cells(self, rows: Integers, names: Sequence[str]) -> Iterator[tuple[str, Replacement]]:
        for name in self.rules:
            if name in names:
                codes, texts, changed = self._of(name)
                if changed:
                    position = np.where(codes < 0, len(texts), codes).astype(np.int32)
                    yield name, Replacement((*texts, None), position[rows])

    def holds_text(self, name: str) -> bool:
        """Whether the column can hold any text without changing its type."""
        return bool(self.source.holds_text(name))

    def to_native(self) -> Any:
        """Return the mended table in its owner's form."""
        return self.take(np.arange(self.n_rows), {}, self.names).to_native()


def cleaned(source: Source, rules: Mapping[str, Rule]) -> Source:
    """Return a table with some columns mended; itself if there is nothing to do."""
    known = {name: rule for name, rule in rules.items() if name in source.names}
    return CleanedSource(source, known) if known else source
