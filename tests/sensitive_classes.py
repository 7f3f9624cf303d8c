"""Classes of sensitive values, and requirements on them, for tests against the slow twins."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from incrowd.counts import FrequencyTable, Parts, SensitiveColumn
from incrowd.hierarchies.rows import hierarchy_from_paths
from incrowd.requirements import (
    AlphaK,
    BetaLikeness,
    BoundRequirements,
    DeltaDisclosure,
    LDiversity,
    PSensitive,
    RangeDisclosure,
    TCloseness,
)

WORDS = ("asthma", "cold", "flu", "ulcer", None)
NUMBERS = ("0", "2", "3", "3.0", "5", "10", None)
PATHS = (
    ("asthma", "chronic", "lung", "*"),
    ("cold", "virus", "lung", "*"),
    ("flu", "virus", "lung", "*"),
    ("ulcer", "stomach", "*"),  # a chain of its own
    ("burn", "*"),
)
COLUMN, KNOWN = "disease", "ward"


@dataclass(frozen=True)
class Classes:
    """Classes as mappings from (value, ward) to records, and the paths of the values, if any."""

    classes: tuple[dict, ...]
    paths: tuple | None = None

    def whole(self):
        """Return the records of the whole table by value."""
        found = {}
        for each in self.classes:
            for (value, _), records in each.items():
                found[value] = found.get(value, 0) + records
        return found

    def parts(self, at, known):
        """Return the class, apart for each ward if that is known, by value."""
        parts = {}
        for (value, ward), records in self.classes[at].items():
            part = parts.setdefault(ward if known else None, {})
            part[value] = part.get(value, 0) + records
        return list(parts.values())

    def bound(self, *requirements):
        """Return requirements bound to a table of these classes, and the parts of each class."""
        keys = [(at, *key) for at, each in enumerate(self.classes) for key in each]
        texts = sorted({value for _, value, _ in keys}, key=lambda text: (text is None, text))
        wards = sorted({ward for _, _, ward in keys})
        class_of = np.array([at for at, _, _ in keys], np.int32)
        records = [self.classes[at][value, ward] for at, value, ward in keys]
        carried = {
            COLUMN: np.array([texts.index(value) for _, value, _ in keys], np.int32),
            KNOWN: np.array([wards.index(ward) for _, _, ward in keys], np.int32),
        }
        meant = {COLUMN: tuple(texts), KNOWN: tuple(wards)}
        table = FrequencyTable(("age",), class_of[None], np.array(records), carried, meant)
        tree = None if self.paths is None else hierarchy_from_paths(self.paths)
        column = SensitiveColumn(COLUMN, tuple(texts), tree)
        return BoundRequirements.of(requirements, table, [column])

    def violating(self, *requirements):
        """Return which classes break a requirement, as the kernels see it."""
        bound = self.bound(*requirements)
        parts = Parts.whole(bound.table.codes[0], bound.table.records)
        return bound.violating(parts).tolist()


def plain(*classes, paths=None):
    """Return classes given by value alone."""
    return Classes(tuple({(v, "a"): n for v, n in each.items()} for each in classes), paths)


@st.composite
def classes_of(draw, values, *, paths=None, most=6):
    """Draw some classes; at least one record each."""
    cell = st.tuples(st.sampled_from(values), st.sampled_from("ab"))
    one = st.dictionaries(cell, st.integers(1, most), min_size=1, max_size=6)
    return Classes(tuple(draw(st.lists(one, min_size=1, max_size=4))), paths)


def fractions(low, high, *others):
    """Draw numbers on which ties fall: tenths, eighths, and others."""
    marks = {each / part for part in (1, 8, 10) for each in range(1, 10 * part + 1)} | {*others}
    return st.sampled_from(sorted(each for each in marks if low <= each <= high))


known = st.sampled_from([(), (KNOWN,)])
missing = st.sampled_from(["value", "nothing"])


def diversities():
    return st.one_of(
        st.builds(LDiversity, st.integers(2, 5), st.just(COLUMN), known=known, missing=missing),
        st.builds(
            LDiversity,
            fractions(1.1, 4.0) | st.integers(2, 5),
            st.just(COLUMN),
            st.just("entropy"),
            known=known,
            missing=missing,
        ),
        st.builds(
            LDiversity,
            st.integers(2, 4),
            st.just(COLUMN),
            st.just("recursive"),
            fractions(0.1, 4.0),
            known=known,
            missing=missing,
        ),
        st.builds(
            PSensitive,
            st.integers(2, 4),
            st.integers(1, 8),
            st.just(COLUMN),
            known=known,
            missing=missing,
        ),
    )


def limited_shares(values):
    some = st.lists(st.sampled_from([each for each in values if each]), min_size=1)
    return st.one_of(
        st.builds(
            AlphaK,
            fractions(0.1, 1.0, 1 / 3),
            st.integers(1, 6),
            st.just(COLUMN),
            st.none() | some,
            known=known,
        ),
        st.builds(
            DeltaDisclosure,
            fractions(0.1, 4.0),
            st.just(COLUMN),
            st.sampled_from(["break", "ignore"]),
            known=known,
        ),
        st.builds(
            BetaLikeness,
            fractions(0.1, 4.0),
            st.just(COLUMN),
            st.sampled_from(["basic", "enhanced"]),
            known=known,
        ),
    )


def closenesses(*distances):
    shares = fractions(0.1, 1.0, 1 / 3) | st.just(0)
    return st.builds(TCloseness, shares, st.just(COLUMN), st.sampled_from(distances), known=known)


def disclosures():
    shares = fractions(0.1, 1.0, 1 / 3) | st.just(0)
    return st.builds(RangeDisclosure, shares, shares, st.just(COLUMN), known=known)
