"""Releases of hostile tables, held against what every algorithm promises.

Tables are hostile: missing cells, ties, one row, one value, odd indexes, letters beyond ASCII,
numbers as text, values that a hierarchy does not list and leaves that no row has.
"""

from collections import Counter

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import list_algorithms, parameters_of, said_by
from incrowd.hierarchies import hierarchy_from_rows
from naive import counting as naive
from naive import labels as naive_labels

ALGORITHMS = sorted(list_algorithms())
BY_LEVELS = [
    name
    for name, cls in sorted(list_algorithms().items())
    if cls.family in ("full domain", "choice") and "target" not in said_by(cls(), "carries")
]
BY_CLASSES = [
    name
    for name, cls in sorted(list_algorithms().items())
    if cls.family in ("multidimensional", "clustering")
]
LABELS = ["node", "grid", "range", "set"]
LIMITS = [0.0, 0.05, 0.4, 1.0]
CITIES = hierarchy_from_rows(
    [
        ("Köln", "DE", "Earth"),
        ("Ürümqi", "CN", "Earth"),
        ("北京", "CN", "Earth"),
        ("*", "?", "Earth"),
        ("nobody lives here", "CN", "Earth"),
    ]
)
QUASI_IDENTIFIERS = {
    "âge": ic.intervals(5, 10),
    "city": CITIES,
    "code": ic.suppression(),
}
COLUMNS = tuple(QUASI_IDENTIFIERS)

ages = st.sampled_from(["7", "07", "7.0", "8", "12", "-3", "120", None])
cities = st.sampled_from(["Köln", "Ürümqi", "北京", "*", "unheard of", None])
codes = st.sampled_from(["a", "A", " a", "*", "1", "01", "'; --", None])


@st.composite
def frames(draw, min_rows=1, max_rows=12):
    rows = draw(st.lists(st.tuples(ages, cities, codes), min_size=min_rows, max_size=max_rows))
    if draw(st.booleans()):  # ties
        rows = rows * draw(st.integers(2, 3))
    frame = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
    if draw(st.booleans()):  # a column of one value
        frame["code"] = "a"
    ill = draw(st.lists(st.sampled_from(["flu", "cold", "*", None]), min_size=1, max_size=3))
    frame["illness"] = pd.Series([ill[at % len(ill)] for at in range(len(frame))], dtype=object)
    earns = draw(st.lists(st.sampled_from(["little", "much", None]), min_size=1, max_size=4))
    frame["income"] = pd.Series([earns[at % len(earns)] for at in range(len(frame))], dtype=object)
    frame["row"] = np.arange(len(frame))
    frame.index = draw(indexes(len(frame)))
    return frame


def indexes(n):
    return st.sampled_from(
        [
            pd.RangeIndex(n),
            pd.Index([0] * n),
            pd.Index(range(n, 0, -1), name="row"),
            pd.Index([f"é{at % 2}" for at in range(n)]),
        ]
    )


def built(name, limit=0.0, **more):
    """Return an algorithm with those of the options that it has."""
    options = {"suppression_limit": limit, "objective": "loss", **more}
    known = parameters_of(list_algorithms()[name])
    return list_algorithms()[name](**{key: value for key, value in options.items() if key in known})


def looks_at_the_target(name):
    """Whether an algorithm keeps what tells classes apart, and gives up what does not."""
    return "target" in said_by(list_algorithms()[name](), "carries")


def allowed(name, limit, records):
    """How many records an algorithm may suppress; as many as it takes if it has no limit."""
    if list_algorithms()[name].family in ("multidimensional", "clustering"):
        return 0
    limited = "suppression_limit" in parameters_of(list_algorithms()[name])
    return naive.allowed(limit, records) if limited else records


def fits(name, frame, columns):
    """Whether a table is small enough for an algorithm that finds optima by enumeration."""
    most = getattr(list_algorithms()[name], "most_tuples", None)
    return most is None or len(frame[list(columns)].drop_duplicates()) <= most


def anonymized(data, algorithm, requirements, **options):
    return ic.anonymize(
        data,
        quasi_identifiers=QUASI_IDENTIFIERS,
        unknown={"city": "suppress"},
        sensitive=["illness"],
        insensitive=["row"],
        target="income",
        requirements=requirements,
        algorithm=algorithm,
        **{"order": "keep", "suppressed": "mask", **options},
    )


def text_of(cell):
    return None if cell is None or cell is pd.NA or cell != cell else str(cell)


def rows_of(frame, columns=COLUMNS):
    return [tuple(map(text_of, row)) for row in frame[list(columns)].itertuples(index=False)]


def check_release(original, release, requirements):
    """Hold a release against its original, row by row: column `row` says which is which."""
    released, facts = release.table, release.facts
    assert list(released.columns) == list(original.columns)
    assert 0 < len(released) == facts["released"] <= len(original) == facts["records"]
    assert facts["dropped"] == len(original) - len(released)
    check_requirements(released, requirements, release.recoding.columns)
    suppressed = suppressed_rows(original, release, requirements)
    assert facts["suppressed"] == len(suppressed)
    assert facts["dropped"] in (0, facts["suppressed"])
    check_cells(original, release, suppressed)
    assert release.verdict.passed


def check_requirements(released, requirements, columns=COLUMNS):
    """Count the rows of a release again; masked ones are a class like any other."""
    for requirement in requirements:
        counts = Counter(rows_of(released, requirement.on or columns))
        assert min(counts.values()) >= requirement.k


def leaf_codes(trees, row):
    """Return the leaf codes of a row; what a hierarchy does not list is unknown."""
    found = []
    for tree, text in zip(trees, row, strict=True):
        code = tree.missing_code if text is None else int(tree.match([text])[0])
        found.append(tree.unknown_code if code < 0 else code)
    return found


def levels_of(release):
    """Return the level of each column, if that is all that happens to its cells."""
    if getattr(release.recoding, "hidden", None) is not None:
        return None
    return getattr(release.recoding, "levels", None)


def check_cells(original, release, suppressed):
    """Each kept cell is true of its original; suppressed rows are masked."""
    columns, trees = release.recoding.columns, release.recoding.hierarchies
    levels = levels_of(release)
    truthful = said_by(list_algorithms()[release.facts["algorithm"]], "truthful")
    before = dict(zip(original["row"], rows_of(original, columns), strict=True))
    masked = 0
    for row, after in zip(release.table["row"], rows_of(release.table, columns), strict=True):
        if row in suppressed:
            assert after == ("*",) * len(columns)
            masked += 1
            continue
        for j, (tree, code) in enumerate(zip(trees, leaf_codes(trees, before[row]), strict=True)):
            assert naive_labels.true_of(tree, code, after[j]) or not truthful
            if levels is not None:
                expected = naive.release_cell(tree, code, levels[j]).label
                assert naive_labels.same(after[j], expected)
    assert masked == release.facts["suppressed"] - release.facts["dropped"]


def suppressed_rows(original, release, requirements):
    """Return the rows that must be suppressed at the levels of a full-domain release.

    Of any other release, those that are masked or left out; none if none are said to be, for a
    class may read like masked records.
    """
    columns, trees = release.recoding.columns, release.recoding.hierarchies
    levels = levels_of(release)
    if levels is None:
        if release.facts["suppressed"] == 0:
            return set()
        shown = dict(zip(release.table["row"], rows_of(release.table, columns), strict=True))
        return {row for row in original["row"] if set(shown.get(row, "*")) == {"*"}}
    keys = [
        [
            naive.release_cell(tree, code, level).value
            for tree, code, level in zip(trees, leaf_codes(trees, row), levels, strict=True)
        ]
        for row in rows_of(original, columns)
    ]
    asked = [
        ([columns.index(name) for name in each.on or columns], naive.at_least(each.k))
        for each in requirements
    ]
    return set(original["row"].iloc[sorted(naive.suppress(keys, asked))])
