"""What classifiers learn from a release, under both protocols."""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import incrowd as ic
from classified_people import SECRET, people, policy
from incrowd.errors import (
    InputError,
    MissingDependencyError,
    ParameterError,
    PolicyError,
    UnsatisfiableError,
)
from incrowd.frame import open_source
from incrowd.metrics.utility.classification import (
    CLASSIFIERS,
    Encoding,
    Examination,
    folds_inside,
    folds_recoded,
    labelled,
)
from incrowd.progress import QUIET

QUICK = {"classifiers": ["decision-tree", "naive-bayes"], "folds": 3}


def utility(data=None, rules=None, **options):
    return ic.classification_utility(
        people() if data is None else data, rules or policy(), **{**QUICK, **options}
    )


def with_target(values):
    table = people(len(values))
    at = table.column_names.index("income")
    return table.set_column(at, "income", pa.array(values))


@pytest.mark.parametrize("protocol", ["refit", "release"])
def test_every_classifier_is_examined_on_the_original_and_the_release(protocol):
    found = utility(classifiers=list(CLASSIFIERS), protocol=protocol)
    tables = [(each.classifier, each.table) for each in found.scores]
    assert tables == [
        *((name, "original") for name in CLASSIFIERS),
        ("majority", "majority"),
        *((name, "release") for name in CLASSIFIERS),
    ]
    majority = found.score("majority", "majority").accuracy
    for name in CLASSIFIERS:
        assert found.score(name, "original").accuracy > majority + 0.1
        assert found.score(name).accuracy > majority
        assert 0.5 < found.score(name).auc <= 1
    assert found.features == ("age", "job", "hours")
    assert (found.records, found.folds, found.n_classes) == (240, 3, 2)
    assert found.encoding == Encoding()


@pytest.mark.parametrize("algorithm", ["mondrian", "k-members", "flash"])
@pytest.mark.parametrize("protocol", ["refit", "release"])
def test_a_run_can_be_repeated(algorithm, protocol):
    runs = [
        utility(algorithm=algorithm, protocol=protocol, rules=policy(12)).rows() for _ in range(2)
    ]
    first, second = ([{**row, "seconds": 0} for row in rows] for rows in runs)
    assert first == second


def test_another_seed_makes_other_folds():
    scores = [utility(seed=seed).score("naive-bayes").accuracy for seed in range(3)]
    assert len(set(scores)) > 1


def test_the_result_is_plain_data_without_a_cell():
    found = utility(algorithm=ic.Mondrian())
    text = json.dumps(found.to_dict())
    assert SECRET not in text
    assert found.to_dict()["encoding"] == {"star": "category", "intervals": "category"}
    assert found.to_dict()["scores"] == found.rows()


@pytest.mark.parametrize("kind", [pd, pl])
def test_frames_of_all_kinds_give_the_same(kind):
    table = people()
    frame = table.to_pandas() if kind is pd else pl.from_arrow(table)
    figures = [
        [(each.accuracy, each.auc) for each in utility(data).scores] for data in (table, frame)
    ]
    assert figures[0] == figures[1]


def test_the_table_is_not_changed():
    table = people().to_pandas()
    before = table.copy(deep=True)
    utility(table)
    pd.testing.assert_frame_equal(table, before)


SEEN = []


@dataclass(frozen=True, kw_only=True)
class Looking(ic.Mondrian):
    """Looks at the target."""

    carries: ClassVar[tuple[str, ...]] = ("target",)

    def solve(self, problem, progress=QUIET):
        target, classes = problem.needed_target("looking")
        SEEN.append((target.name, len(target.texts), len(classes), problem.table.n_records))
        return super().solve(problem, progress)


@pytest.mark.parametrize("protocol", ["refit", "release"])
def test_an_algorithm_may_look_at_the_target_of_its_training_records(protocol):
    SEEN.clear()
    found = utility(algorithm=Looking(), protocol=protocol)
    assert found.score("naive-bayes").accuracy > 0.5
    assert {name for name, *_ in SEEN} == {"income"}
    records = [records for *_, records in SEEN]
    assert records == ([160] * 3 if protocol == "refit" else [240])


class Marking:
    """Recodes to constants, and remembers what it was given."""

    calls: list[tuple[str, pa.Table, object]]

    def __init__(self, calls):
        self.calls = calls

    def fit_transform(self, X, y=None):
        self.calls.append(("train", X, y))
        return X.set_column(0, "age", pa.array(["*"] * X.num_rows))

    def transform(self, X):
        self.calls.append(("test", X, None))
        return X.set_column(0, "age", pa.array(["new"] * X.num_rows))


def test_each_fold_has_a_recoder_of_its_own_that_never_sees_its_test_classes():
    source = open_source(people(30))
    table = labelled(source, "income", ["age", "hours"], recoded=["age"])
    examination = Examination(classifiers=("naive-bayes",), folds=3)
    fold_of = examination.fold_of(table, "income")
    calls = []
    folds = list(folds_recoded(table, fold_of, lambda: Marking(calls), ["age", "job"]))
    assert [name for name, _, _ in calls] == ["train", "test"] * 3
    for at, fold in enumerate(folds):
        (_, train, y), (_, test, _) = calls[2 * at : 2 * at + 2]
        assert train.num_rows == len(y) == (fold_of != at).sum()
        assert test.num_rows == (fold_of == at).sum()
        assert test.column_names == ["age", "job"]
        assert fold.train[0].texts == ("*",)
        assert fold.test[0].texts == ("new",)
        assert [table.texts[each] for each in fold.train_classes] == list(y)
        assert (fold.train[1].codes == table.columns[1].codes[fold_of != at]).all()


def test_test_records_are_never_suppressed_under_refit():
    table = people(60).set_column(1, "age", pa.array([25] * 57 + [95, 97, 99]))
    rules = policy(5, quasi_identifiers={"age": ic.intervals(5)}, other_columns="drop")
    found = utility(table, rules, algorithm=ic.Flash(suppression_limit=0.1))
    assert found.records == 60
    assert found.dropped == 0


def test_records_dropped_from_a_release_are_in_no_fold():
    table = people(60).set_column(1, "age", pa.array([25] * 57 + [95, 97, 99]))
    rules = policy(
        5, quasi_identifiers={"age": ic.intervals(5)}, other_columns="drop", suppressed="drop"
    )
    found = utility(table, rules, algorithm=ic.Flash(suppression_limit=0.1), protocol="release")
    assert found.dropped == 3
    assert any("3 records are not in the release" in note for note in found.notes)


def test_records_without_a_class_are_left_out_and_counted():
    values = [None if at % 7 == 0 else f"c{at % 2}" for at in range(70)]
    found = utility(with_target(values))
    assert (found.left_out, found.records, found.n_classes) == (10, 60, 2)
    assert any("10 records" in note for note in found.notes)


def test_one_class_is_always_right():
    found = utility(with_target(["c"] * 40), classifiers=list(CLASSIFIERS))
    assert {each.accuracy for each in found.scores} == {1.0}
    assert {each.auc for each in found.scores} == {None}


def test_several_classes():
    found = utility(people(300, n_classes=3), classifiers=list(CLASSIFIERS), folds=3)
    assert found.n_classes == 3
    assert all(0.5 < each.auc <= 1 for each in found.scores if each.table == "original")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([f"c{at}" for at in range(40)], "one record alone"),
        ([None] * 40, "no record"),
        (["a"] * 39 + ["b"], "one record alone"),
    ],
)
def test_targets_that_cannot_be_learned(values, words):
    with pytest.raises(InputError, match=words) as caught:
        utility(with_target(values))
    assert "c1" not in str(caught.value)


def test_a_rare_class_makes_fewer_folds_and_a_note():
    found = utility(with_target(["a"] * 38 + ["b"] * 2), folds=10)
    assert found.folds == 2
    assert any("2 folds instead of 10" in note for note in found.notes)


def test_missing_cells_and_unseen_values_are_no_trouble():
    table = people(60).to_pandas()
    table["age"] = table["age"].astype("float").where(np.arange(60) % 5 > 0)
    table.loc[7, "job"] = "only one has this"
    table.loc[8:20, "job"] = None
    for protocol in ("refit", "release"):
        found = utility(table, policy(3), protocol=protocol, classifiers=list(CLASSIFIERS))
        assert len(found.scores) == 13


@pytest.mark.parametrize("hours", [[None] * 60, [1e300, -1e300] * 30, [None] * 59 + [40.0]])
def test_features_without_a_value_and_beyond_32_bits_are_no_trouble(hours):
    table = people(60).to_pandas()
    table["hours"] = pd.Series(hours, dtype="float")
    found = utility(table, policy(3), classifiers=list(CLASSIFIERS))
    assert len(found.scores) == 13


def test_features_can_be_chosen():
    assert utility(features=["hours"]).features == ("hours",)
    few, all_of_them = utility(features=["hours"]), utility()
    assert few.score("naive-bayes").accuracy < all_of_them.score("naive-bayes").accuracy


def test_a_count_column_stands_for_records():
    table = people(80)
    counts = pa.array([1 + at % 3 for at in range(80)])
    rows = np.repeat(np.arange(80), counts.to_numpy())
    rules, counted = policy(4), policy(4, count="n")
    compressed = utility(table.append_column("n", counts), counted)
    expanded = utility(table.take(pa.array(rows)), rules)
    assert compressed.records == expanded.records == len(rows)
    assert [each.accuracy for each in compressed.scores] == [
        each.accuracy for each in expanded.scores
    ]


def test_a_table_that_stands_for_too_many_records_is_refused():
    table = people(80).append_column("n", pa.array([10**9] * 80))
    with pytest.raises(InputError, match="records"):
        utility(table, policy(4, count="n"))


def test_a_sample_is_told():
    found = utility(classifiers=["svm-rbf"], sample=50)
    assert any("svm-rbf is trained on 50 of" in note for note in found.notes)
    assert found.to_dict()["sample"] == 50
    assert utility(classifiers=["svm-rbf"]).notes == ()


def test_midpoints_and_missing_stars_are_other_features():
    options = [{}, {"star": "missing"}, {"intervals": "midpoint"}]
    scores = [utility(algorithm="mondrian", **each).score("naive-bayes").auc for each in options]
    assert len(set(scores)) == 3


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"classifiers": ["forest"]}, ParameterError, "forest"),
        ({"folds": 1}, ParameterError, "folds"),
        ({"protocol": "once"}, ParameterError, "protocol"),
        ({"star": "x"}, ParameterError, "star"),
        ({"intervals": "x"}, ParameterError, "intervals"),
        ({"features": ["income"]}, ParameterError, "income"),
        ({"features": ["name"]}, ParameterError, "name"),
        ({"features": []}, ParameterError, "features"),
        ({"sample": 0}, ParameterError, "sample"),
        ({"seed": -1}, ParameterError, "seed"),
        ({"algorithm": "nothing"}, ParameterError, "nothing"),
        ({"rules": policy(500)}, UnsatisfiableError, "500"),
        ({"rules": policy(target=None, insensitive=["hours", "income"])}, PolicyError, "target"),
    ],
)
def test_wrong_use_is_refused_with_a_hint(options, error, words):
    with pytest.raises(error, match=words) as caught:
        utility(**options)
    assert caught.value.hint
    assert SECRET not in str(caught.value)


def test_scikit_learn_is_asked_for_where_it_is_absent(monkeypatch):
    from incrowd.metrics.utility.classification import classifiers

    monkeypatch.setattr(classifiers, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match="scikit-learn") as caught:
        utility()
    assert "pip install" in caught.value.hint


def test_an_unknown_score_is_refused():
    with pytest.raises(ParameterError, match="no score"):
        utility().score("svm")


def test_progress_reaches_its_total():
    told = []

    class Watching:
        def start(self, task, *, total=None, detail=""):
            told.append(total)

        def update(self, done, *, best=None, bound=None):
            told.append(done)

        def finish(self):
            told.append("finished")

    utility(progress=Watching())
    assert told == [12, *range(1, 13), "finished"]


def test_folds_inside_a_table_are_its_own_rows():
    source = open_source(people(30))
    table = labelled(source, "income", ["age"])
    fold_of = Examination(classifiers=("svm",), folds=3).fold_of(table, "income")
    for at, fold in enumerate(folds_inside(table, fold_of)):
        assert (fold.test_classes == table.classes[fold_of == at]).all()
        assert (fold.train[0].codes == table.columns[0].codes[fold_of != at]).all()
