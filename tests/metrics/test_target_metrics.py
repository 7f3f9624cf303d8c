"""What a release tells about its target, against loops over the rows of the released table."""

from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.metrics import METRICS
from incrowd.metrics.utility.target import shown_column
from naive import iac as naive_iac
from release_checks import COLUMNS, anonymized, frames, rows_of, text_of

NAMES = ("nmi", "classification_metric", "nmi_change", "normalised_divergence")
ALGORITHMS = [
    ic.IACk(),
    ic.IACk(leftover="generalise"),
    ic.IACc(fraction=0.5),
    ic.Flash(suppression_limit=0.4),
    ic.Mondrian(),
    ic.TopDownGreedy(),
]


def majority_errors(rows, classes):
    by_row = defaultdict(Counter)
    for row, each in zip(rows, classes, strict=True):
        by_row[row][each] += 1
    return sum(sum(found.values()) - max(found.values()) for found in by_row.values())


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
@settings(max_examples=12)
@given(frame=frames(min_rows=2), suppressed=st.sampled_from(["mask", "drop"]))
def test_classes_and_their_target(algorithm, frame, suppressed):
    release = anonymized(frame, algorithm, [ic.KAnonymity(2)], suppressed=suppressed)
    masked = release.facts["suppressed"] > release.facts["dropped"]
    shown = dict(zip(release.table["row"], rows_of(release.table), strict=True))
    star = ("*",) * len(COLUMNS)
    rows = [shown.get(row, "*") for row in frame["row"]]
    rows = ["*" if masked and row == star else row for row in rows]
    classes = [text_of(each) for each in frame["income"]]
    expected = naive_iac.normalised(rows, classes)
    assert release.metric("nmi") == pytest.approx(expected, abs=1e-9)
    kept = [(row, each) for row, each in zip(rows, classes, strict=True) if row != "*"]
    wrong = majority_errors([row for row, _ in kept], [each for _, each in kept])
    wrong += len(rows) - len(kept)
    assert release.metric("classification_metric") == pytest.approx(wrong / len(rows))
    for name in NAMES:
        low, high = METRICS[name].bounds
        value = release.metric(name)
        for each in value.values() if isinstance(value, dict) else [value or 0.0]:
            assert low - 1e-9 <= each
            assert high is None or each <= high + 1e-9


@settings(max_examples=40)
@given(frame=frames(min_rows=2), hidden=st.booleans(), data=st.data())
def test_columns_and_their_target(frame, hidden, data):
    frame = frame[frame["city"] != "unheard of"].reset_index(drop=True)
    if len(frame) < 2:
        return
    leftover = "generalise" if hidden else "suppress"
    suppressed = data.draw(st.sampled_from(["mask", "drop"]))
    release = anonymized(
        frame, ic.IACk(leftover=leftover), [ic.KAnonymity(2)], suppressed=suppressed
    )
    facts = release.recoding.found.facts
    if release.recoding.levels == tuple(tree.height for tree in release.recoding.hierarchies):
        return  # everything at the root: nothing is suppressed any more
    for metric, fact in (("nmi_change", "change"), ("normalised_divergence", "divergence")):
        found = release.metric(metric)
        for name in COLUMNS:
            if not set(rows_of(release.table, [name])) <= {("*",), ("Earth",)}:
                assert found[name] == pytest.approx(facts[fact][name], abs=1e-9), (metric, name)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
@settings(max_examples=15)
@given(frame=frames(min_rows=4))
def test_anybodys_release_measures_the_same(algorithm, frame):
    policy = ic.policy(
        quasi_identifiers={"âge": ic.intervals(5, 10), "code": ic.suppression()},
        target="income", other_columns="drop", k=2,
    )  # fmt: skip
    frame["code"] = frame["code"].replace("*", "star")  # what reads like the root may be either
    release = ic.anonymize(frame, policy, algorithm=algorithm)
    if ("*", "*") in rows_of(release.table, ["âge", "code"]) and not release.facts["suppressed"]:
        return  # a class that reads like masked records cannot be told from them
    measured = ic.measure_release(release.table, frame, policy)["metrics"]
    for name in NAMES:
        own = release.metric(name)
        if isinstance(own, dict):
            assert measured[name] == pytest.approx(own, abs=1e-9), name
        else:
            assert measured.get(name) == pytest.approx(own, abs=1e-9), name


def test_without_a_target_there_is_nothing_to_tell():
    frame = pd.DataFrame({"a": list("0011"), "b": list("0101")})
    release = ic.anonymize(frame, quasi_identifiers=["a", "b"], k=2)
    for name in ("nmi", "classification_metric", "nmi_change"):
        assert release.metric(name) is None
        assert name not in release.metrics
    assert set(release.metric("normalised_divergence")) == {"a", "b"}


def test_the_target_is_counted_only_if_a_metric_asks():
    frame = pd.DataFrame({"a": list("0011"), "c": list("xxyy")})
    release = ic.anonymize(frame, quasi_identifiers=["a"], target="c", k=2)
    assert "target" not in vars(release.outcome)
    release.metric("loss")
    assert "target" not in vars(release.outcome)
    spread = release.outcome.target
    assert "original" not in vars(spread)
    assert release.metric("nmi") == 1.0
    assert release.metric("classification_metric") == 0.0


def test_dropped_records_are_told_from_the_original():
    frame = pd.DataFrame({"a": list("00001"), "c": list("xxxxy")})
    release = ic.anonymize(
        frame, quasi_identifiers=["a"], target="c", k=2, suppressed="drop",
        algorithm=ic.Flash(suppression_limit=0.2),
    )  # fmt: skip
    assert release.facts["dropped"] == 1
    assert release.metric("nmi") == pytest.approx(1.0)  # * is the only y
    assert release.metric("classification_metric") == pytest.approx(0.2)
    assert release.metric("nmi_change") == {"a": pytest.approx(-1.0)}


def test_a_compressed_table_counts_records():
    frame = pd.DataFrame({"a": list("0011"), "c": list("xyxy"), "n": [3, 1, 1, 5]})
    release = ic.anonymize(frame, quasi_identifiers=["a"], target="c", count="n", k=2)
    rows = list(zip(frame["a"], frame["c"], frame["n"], strict=True))
    values = [a for a, _, n in rows for _ in range(n)]
    classes = [c for _, c, n in rows for _ in range(n)]
    assert release.metric("nmi") == pytest.approx(naive_iac.normalised(values, classes))
    assert release.metric("classification_metric") == pytest.approx(0.2)


TREE = hierarchy_from_rows(
    [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*"), ("e", "e", "*")]
)


@pytest.mark.parametrize(
    ("spans", "level", "of_code", "of_class"),
    [
        ([(0, 2), (2, 4)], 1, [0, 0, 1, 1, 2], [0, 1]),
        ([(0, 2), (0, 5)], 1, [0, 0, 1, 1, 2], [0, -1]),
        ([(0, 2), (0, 5)], None, [0, 0, 1, 2, 3], [0, -1]),
        ([(0, 1), (2, 4)], None, [0, 2, 1, 1, 3], [0, 1]),
        ([(0, 5), (0, 5)], None, [0, 0, 0, 0, 0], [0, 0]),
        ([(0, 2), (0, 1)], None, None, None),
        ([(0, 3), (2, 4)], None, None, None),
        ([(0, 2), (0, 0)], 1, None, None),
    ],
)
def test_the_column_before_suppression(spans, level, of_code, of_class):
    low, high = np.array(spans, np.int32).T
    found = shown_column(TREE, low, high, level)
    if of_code is None:
        assert found is None
        return
    same = set(zip(found.of_code.tolist(), of_code, strict=True))
    assert len(same) == len(set(of_code)) == found.n_values
    assert found.of_class.tolist() == of_class
