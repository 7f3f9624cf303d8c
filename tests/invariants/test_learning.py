"""What holds for every registered algorithm in a pipeline: fit on some rows, show others."""

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import list_algorithms, said_by
from incrowd.errors import UnsatisfiableError
from incrowd.learn import Anonymizer
from naive import labels as naive_labels
from release_checks import (
    ALGORITHMS,
    COLUMNS,
    LIMITS,
    QUASI_IDENTIFIERS,
    anonymized,
    built,
    frames,
    indexes,
    leaf_codes,
    rows_of,
)

UNSEEN = pd.DataFrame(
    {
        "âge": pd.Series(["9", "1e300", "-1000", "7.25", "old", None, None], dtype=object),
        "city": ["Köln", "Atlantis", "nobody lives here", "*", "", None, None],
        "code": ["z", "a", "*", "0001", "A", "'; DROP", None],
        "illness": [None, "plague", "flu", "flu", "flu", "flu", None],
        "row": range(100, 107),
    }
)


def anonymizer(name, limit=0.0, k=2, **more):
    return Anonymizer(
        quasi_identifiers=QUASI_IDENTIFIERS,
        sensitive=["illness"],
        insensitive=["row"],
        target="income",
        k=k,
        algorithm=built(name, limit),
        **more,
    )


def one_missing(series):
    return series.astype(object).where(series.notna(), None)


def halves(frame):
    return frame.drop(columns="income"), frame["income"]


def truthful(name):
    return said_by(list_algorithms()[name], "truthful")


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=3)
@given(frame=frames(min_rows=2), data=st.data())
def test_training_rows_are_shown_as_a_release_would_show_them(name, frame, data):
    limit = data.draw(st.sampled_from(LIMITS))
    untouched = frame.copy(deep=True)
    rows, classes = halves(frame)
    learned = anonymizer(name, limit)
    shown = learned.fit_transform(rows, classes)
    pd.testing.assert_frame_equal(frame, untouched)
    pd.testing.assert_index_equal(shown.index, frame.index)
    assert list(shown.columns) == list(rows.columns)
    assert list(shown["row"]) == list(frame["row"])
    release = anonymized(frame, built(name, limit), [ic.KAnonymity(2)], suppressed="mask")
    masked = learned.facts_["suppressed"]
    assert masked == release.facts["suppressed"]
    seen, released = Counter(rows_of(shown)), Counter(rows_of(release.table))
    if release.facts["dropped"]:  # too few to hide among themselves
        seen -= Counter({("*",) * len(COLUMNS): masked})
    assert seen == released
    if learned.recoding_.kind != "local" and not release.facts["dropped"]:
        assert rows_of(shown) == rows_of(release.table)


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=3)
@given(frame=frames(min_rows=2), data=st.data())
def test_unseen_rows_are_shown_truthfully_and_never_left_out(name, frame, data):
    rows, classes = halves(frame)
    learned = anonymizer(name, data.draw(st.sampled_from(LIMITS))).fit(rows, classes)
    unseen = UNSEEN.iloc[data.draw(st.permutations(range(len(UNSEEN))))]
    unseen.index = data.draw(indexes(len(unseen)))
    new = pd.concat([unseen, rows])
    untouched = new.copy(deep=True)
    shown = learned.transform(new)
    pd.testing.assert_frame_equal(new, untouched)
    pd.testing.assert_index_equal(shown.index, new.index)
    for kept in ("illness", "row"):
        # None and NaN beside each other come out as one kind of missing value
        pd.testing.assert_series_equal(one_missing(shown[kept]), one_missing(new[kept]))
    trees = learned.recoding_.hierarchies
    for before, after in zip(rows_of(new), rows_of(shown), strict=True):
        for j, (text, label) in enumerate(zip(before, after, strict=True)):
            assert label in ("*", trees[j].root_label) or true(trees[j], text, label, name)


def true(tree, text, label, name):
    """Whether a label is true of a text, also of one that the hierarchy has not seen."""
    if not truthful(name):
        return True
    wide = ic.hierarchies.with_new_leaves(tree, [] if text in (None, "") else [text])
    missing, unknown = text in (None, ""), False
    if not missing:
        unknown = int(wide.match([text])[0]) < 0
    wide = wide.extended(missing=missing, unknown=unknown)
    [[code]] = leaf_codes([wide], [[None if missing else text]])
    return naive_labels.true_of(wide, code, label)


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=2)
@given(frame=frames(min_rows=3, max_rows=4))
def test_a_row_does_not_depend_on_the_rows_shown_with_it(name, frame):
    rows, classes = halves(frame)
    learned = anonymizer(name).fit(rows, classes)
    new = pd.concat([rows, UNSEEN])
    alone = [rows_of(learned.transform(new.iloc[[at]]))[0] for at in range(len(new))]
    assert rows_of(learned.transform(new)) == alone


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_same_rows_are_shown_the_same_way_every_time(name):
    rows = pd.DataFrame(
        {"âge": [7, 7, 7, 8, 12, 12, 12] * 3, "city": "Köln", "code": list("aab") * 7}
    )
    rows["illness"], rows["row"] = "flu", 0
    classes = [0, 1, 1] * 7
    first, second = (anonymizer(name, k=2) for _ in range(2))
    pd.testing.assert_frame_equal(
        first.fit_transform(rows, classes), second.fit_transform(rows, classes)
    )


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize(
    "classes",
    [
        [1] * 6,
        [None, "a", None, "b", "a", None],
        list(range(6)),
        [0.5, float("nan"), 1.5, 0.5, 0.5, 1.5],
        pd.Categorical(["no", "yes", "no", "yes", None, "no"], categories=["yes", "no", "never"]),
        pd.Series([True, False] * 3, index=list("uvwxyz"), name="code"),
    ],
    ids=["one class", "missing", "all different", "numbers", "categories", "truth values"],
)
def test_targets_of_all_sorts_are_looked_at(name, classes):
    rows = pd.DataFrame(
        {"âge": [7, 8, 7, 40, 41, 45], "city": ["Köln", "北京"] * 3, "code": list("aabbab")}
    )
    rows["illness"], rows["row"] = ["flu", "cold"] * 3, range(6)
    learned = anonymizer(name, k=2)
    shown = learned.fit_transform(rows, classes)
    assert len(shown) == 6
    assert learned.policy_.target == "income"
    assert len(learned.transform(rows.iloc[:1])) == 1


@pytest.mark.parametrize("name", ALGORITHMS)
def test_fewer_rows_than_k_are_refused(name):
    rows, classes = UNSEEN.iloc[:3], ["a", "b", "a"]
    with pytest.raises(UnsatisfiableError):
        anonymizer(name, k=4).fit(rows, classes)
