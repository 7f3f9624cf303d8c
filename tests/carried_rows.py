"""Tables whose rows carry a value and what is known beside it, and requirements on both."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hypothesis import strategies as st

from incrowd import kernels

FORMS = ("distinct", "share", "closeness", "known distinct", "known share")
NO_CODES = np.empty(0, np.int32)


def only_sizes(table, records):
    """Return requirements that ask for nothing but what a search asks itself."""
    none = np.zeros(len(records), np.int32)
    return kernels.Requirements(table, none, of_kind(none, records, 1))


def of_kind(kind, records, kinds):
    """Return how many records of a table have each kind."""
    return np.bincount(kind, records, minlength=kinds).astype(np.int64)


@dataclass(frozen=True)
class CarriedRows:
    """Rows: the codes of some columns, the value, and what else there is.

    What is known is the parity of the sum of a row, so that it says nothing about its columns.
    """

    n_codes: list
    rows: list
    records: list
    size: int
    form: str

    @cached_property
    def codes(self):
        columns = len(self.n_codes)
        return np.ascontiguousarray(np.array(self.rows, np.int32)[:, :columns].T)

    @cached_property
    def counts(self):
        return np.array(self.records, np.int64)

    @cached_property
    def table(self):
        return kernels.Table(self.codes, self.counts)

    @cached_property
    def people(self):
        return [row for row, n in zip(self.rows, self.records, strict=True) for _ in range(n)]

    def value(self, row):
        return row[len(self.n_codes)]

    def known(self, row):
        return sum(row) % 2 if self.form.startswith("known") else 0

    @cached_property
    def asked(self):
        """The requirements as kernels ask them; a kind is what is known, then the value."""
        kind = [3 * self.known(row) + self.value(row) for row in self.rows]
        asked = kernels.Requirements(
            self.table, np.array(kind, np.int32), of_kind(kind, self.records, 6)
        )
        known = self.form.startswith("known")
        beside = (np.arange(6, dtype=np.int32) // 3, 2) if known else (NO_CODES, 1)
        spread = asked.spread(np.arange(6, dtype=np.int32) % 3, 3, *beside)
        covers = np.ones(len(self.n_codes), np.uint8)
        if self.form.endswith("distinct"):
            asked.distinct(covers, spread, 2, -1, -1)
        elif self.form.endswith("share"):
            asked.share_at_most(covers, spread, 2, 3, np.empty(0, np.uint8))
        else:
            asked.equal_closeness(covers, spread, 1, 4)
        return asked

    def holds(self, people):
        """Whether these people may be a region."""
        if len(people) < self.size:
            return False
        apart = {self.known(person) for person in people}
        return all(
            self._holds(Counter(self.value(each) for each in people if self.known(each) == known))
            for known in apart
        )

    def _holds(self, own):
        n = sum(own.values())
        if self.form.endswith("distinct"):
            return len(own) >= 2
        if self.form.endswith("share"):
            return 3 * max(own.values()) <= 2 * n
        table = Counter(map(self.value, self.people))
        records = len(self.people)
        moved = sum(abs(own[value] * records - table[value] * n) for value in table)
        return 2 * moved <= n * records  # half of the difference is at most 1/4


@st.composite
def carried_rows(draw, form, more=None):
    """Few rows of few columns; `more` draws what stands at the end of a row."""
    n_codes = draw(st.lists(st.sampled_from([2, 3, 5, 300]), min_size=1, max_size=3))
    key = [st.sampled_from(sorted({0, 1, 2 % n, n // 2, n - 1})) for n in n_codes]
    key += [st.integers(0, 2)] + ([] if more is None else [more])
    rows = sorted(draw(st.lists(st.tuples(*key), min_size=1, max_size=40, unique=True)))
    records = draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    return CarriedRows(n_codes, rows, records, draw(st.integers(1, 4)), form)
