"""The transformer: what it takes, what it returns, and what it refuses."""

import subprocess
import sys
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import incrowd as ic
from incrowd.errors import (
    IncrowdError,
    InputError,
    ParameterError,
    PolicyError,
    UnsatisfiableError,
)

KINDS = ["pandas", "polars", "pyarrow"]
AGES = [31, 34, 38, 52, 57, 59]
PEOPLE = {
    "name": ["Ada", "Bo", "Cy", "Di", "Ed", "Flo"],
    "age": AGES,
    "sex": ["f", "m", "f", "f", "m", "f"],
    "pulse": [60.5, 70.5, 65.0, 80.0, 75.0, 72.5],
}
NEW = {"name": ["Gil", "Hal"], "age": [36, 99], "sex": ["f", "x"], "pulse": [61.0, 62.0]}
ILL = ["no", "no", "yes", "yes", "yes", "no"]


def frame(kind, columns=PEOPLE):
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    return make[kind](columns)


def columns_of(table):
    if isinstance(table, pa.Table):
        return table.to_pydict()
    return (
        table.to_dict(as_series=False) if isinstance(table, pl.DataFrame) else table.to_dict("list")
    )


def anonymizer(**more):
    described = {
        "quasi_identifiers": {"age": ic.intervals(10, 20), "sex": ic.suppression()},
        "identifiers": ["name"],
        "k": 3,
        "algorithm": ic.Flash(suppression_limit=0.0),
    }
    return ic.Anonymizer(**{**described, **more})


# ---- in and out --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_kind_of_frame_comes_back(kind):
    learned = anonymizer()
    shown = learned.fit_transform(frame(kind), ILL)
    assert type(shown) is type(frame(kind))
    assert columns_of(shown) == {
        "age": ["[30, 40)"] * 3 + ["[50, 60)"] * 3,
        "sex": ["*"] * 6,
        "pulse": PEOPLE["pulse"],
    }
    new = learned.transform(frame(kind, NEW))
    assert columns_of(new) == {"age": ["[30, 40)", "*"], "sex": ["*", "*"], "pulse": [61.0, 62.0]}
    assert learned.get_feature_names_out().tolist() == ["age", "sex", "pulse"]
    assert learned.feature_names_in_.tolist() == list(PEOPLE)
    assert learned.n_features_in_ == 4
    assert learned.facts_["levels"] == {"age": 1, "sex": 1}
    assert learned.facts_["records"] == 6
    assert isinstance(learned.recoding_.explain(), list)


def test_pandas_keeps_its_index():
    people = frame("pandas").set_index(pd.Index([9, 9, 7, 1, 1, 0], name="id"))
    shown = anonymizer().fit_transform(people, ILL)
    pd.testing.assert_index_equal(shown.index, people.index)


def test_arrays_have_columns_by_position():
    people = np.array([AGES, [1, 2] * 3], dtype=float).T
    learned = ic.Anonymizer(quasi_identifiers={"x0": ic.intervals(10)}, k=3)
    shown = learned.fit_transform(people)
    assert shown[:, 0].tolist() == ["[30, 40)"] * 3 + ["[50, 60)"] * 3
    assert shown[:, 1].tolist() == [1.0, 2.0] * 3
    assert not hasattr(learned, "feature_names_in_")
    assert learned.get_feature_names_out(["age", "sex"]).tolist() == ["age", "sex"]
    assert learned.transform([[33, 9]]).tolist() == [["[30, 40)", 9.0]]


def test_arrays_of_objects_and_texts_are_tables_too():
    rows = np.array([[31, "f", None], [34, "f", 2], [38.0, "f", "x"]], dtype=object)
    learned = ic.Anonymizer(quasi_identifiers={"x0": ic.intervals(10), "x1": None}, k=3)
    shown = learned.fit_transform(rows)
    assert shown.tolist() == [["[30, 40)", "f", None], ["[30, 40)", "f", 2], ["[30, 40)", "f", "x"]]
    texts = rows.astype(str)
    assert learned.fit_transform(texts)[0].tolist() == ["[30, 40)", "f", "None"]
    with pytest.raises(InputError, match="x0"):
        learned.fit(np.array([[b"x", "f"]] * 3, dtype=object))


def test_a_lazy_frame_is_collected():
    shown = anonymizer().fit_transform(frame("polars").lazy(), ILL)
    assert shown.collect()["age"].to_list()[0] == "[30, 40)"


@pytest.mark.parametrize("kind", [*KINDS, "numpy"])
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_set_output_decides_the_kind(kind, container):
    if kind == "numpy":
        people = np.array([AGES, [1, 2] * 3], dtype=float).T
        learned = ic.Anonymizer(quasi_identifiers={"x0": ic.intervals(10)}, k=3)
    else:
        people, learned = frame(kind), anonymizer()
    learned.set_output(transform=container)
    for shown in (learned.fit_transform(people, ILL), learned.transform(people)):
        assert type(shown).__module__.startswith(container)
        assert list(shown.columns) == learned.get_feature_names_out().tolist()
        assert shown[shown.columns[0]].to_list()[0] == "[30, 40)"
        assert shown[shown.columns[-1]].to_list()[0] in (60.5, 1.0)
    if kind == container == "pandas":
        odd = people.set_index(pd.Index(list("uvwxyz")))
        pd.testing.assert_index_equal(learned.transform(odd).index, odd.index)


# ---- which columns stay as they are ------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_columns_that_are_left_as_they_are_keep_their_type(kind):
    people = frame(kind, {"age": [31, 31, 52, 52], "sex": list("ffmm")})
    learned = ic.Anonymizer(k=2)
    assert columns_of(learned.fit_transform(people)) == columns_of(people)
    new = columns_of(learned.transform(frame(kind, {"age": [31, 77], "sex": ["f", "x"]})))
    assert new == {"age": [31, 77], "sex": ["f", "*"]}  # a number stays one, a text can be *


def test_categories_stay_categories_while_they_are_known():
    people = pd.DataFrame({"sex": pd.Categorical(list("ffmm"))})
    learned = ic.Anonymizer(k=2)
    assert learned.fit_transform(people)["sex"].dtype == "category"
    assert learned.transform(people.iloc[:1])["sex"].dtype == "category"
    unseen = learned.transform(pd.DataFrame({"sex": pd.Categorical(["x", "f"])}))
    assert unseen["sex"].tolist() == ["*", "f"]


def test_masked_rows_make_a_column_text_for_new_rows_too():
    people = frame("polars", {"age": [31] * 19 + [52]})
    learned = ic.Anonymizer(quasi_identifiers=["age"], k=2)
    assert learned.fit_transform(people)["age"].to_list() == ["31"] * 19 + ["*"]
    assert learned.facts_["suppressed"] == 1
    # new rows are never suppressed, not even the one that was
    assert learned.transform(people)["age"].to_list() == ["31"] * 19 + ["52"]


def test_two_spellings_of_a_leaf_become_one():
    people = pd.DataFrame({"code": ["7", "07", "7.0", "8", "8"]})
    learned = ic.Anonymizer(k=2)
    assert set(learned.fit_transform(people)["code"]) == {"7", "8"}
    assert learned.transform(pd.DataFrame({"code": ["007"]}))["code"].tolist() == ["7"]


def test_missing_cells_are_written_as_they_were():
    people = pd.DataFrame({"age": ["31", "34", "?", "?"]}, dtype=object)
    hierarchies = {"age": ic.intervals(10)}
    learned = ic.Anonymizer(quasi_identifiers=hierarchies, k=2, missing=["?"])
    assert learned.fit_transform(people)["age"].tolist() == ["[30, 40)"] * 2 + ["?"] * 2
    new = pd.DataFrame({"age": ["?", None, "35"]}, dtype=object)
    assert learned.transform(new)["age"].tolist() == ["?", "?", "[30, 40)"]


def test_compressed_rows_are_not_divided():
    people = pa.table({"age": [31, 31, 34], "n": [3, 4, 5], "pulse": [1, 2, 3]})
    policy = ic.policy(
        quasi_identifiers={"age": ic.intervals(10)}, count="n", k=3, other_columns="keep"
    )
    for name in ("k-members", "flash"):
        learned = ic.Anonymizer(policy, algorithm=name)
        shown = learned.fit_transform(people)
        assert (shown.num_rows, learned.facts_["records"]) == (3, 12)
        assert shown["pulse"].to_pylist() == [1, 2, 3]


def test_equal_records_are_dealt_to_classes_as_the_recoding_says():
    ages = [31] * 40 + [34] * 3 + [52] * 3
    people = pd.DataFrame({"age": ages})
    learned = ic.Anonymizer(
        quasi_identifiers={"age": ic.intervals(10, 20)}, k=5, algorithm="k-members"
    )
    shown = Counter(zip(ages, learned.fit_transform(people)["age"], strict=True))
    recoding = learned.recoding_
    table_of = {31: 0, 34: 1, 52: 2}
    parts = recoding.parts
    values = recoding.column_values[0]
    expected = Counter()
    for age, at in table_of.items():
        for number, records in zip(
            parts.class_of[parts.tuple_of == at], parts.records[parts.tuple_of == at], strict=True
        ):
            expected[age, values.labels[values.label_of[number]]] += int(records)
    assert shown == expected
    assert min(Counter(label for _, label in shown.elements()).values()) >= 5


# ---- targets -----------------------------------------------------------------------------------


def test_y_is_called_like_itself_and_carried_for_requirements():
    learned = anonymizer().fit(frame("pandas"), pd.Series(ILL, name="ill"))
    assert learned.policy_.target == "ill"
    assert anonymizer().fit(frame("pandas"), ILL).policy_.target == "target"
    assert (
        anonymizer().fit(frame("pandas"), pd.Series(ILL, name="pulse")).policy_.target == "target"
    )
    assert anonymizer(target="ill").fit(frame("pandas"), ILL).policy_.target == "ill"
    assert anonymizer().fit(frame("pandas")).policy_.target is None


@pytest.mark.parametrize(
    "classes",
    [
        pl.Series(ILL),
        pa.array(ILL),
        pa.chunked_array([ILL]),
        tuple(ILL),
        np.array(ILL),
        np.array(ILL).reshape(-1, 1),
        pd.DataFrame({"ill": ILL}),
        pd.Series(ILL, dtype="category", index=range(6, 0, -1)),
        [None] * 6,
    ],
    ids=lambda each: type(each).__name__,
)
def test_y_comes_in_many_kinds(classes):
    assert anonymizer(target="ill").fit(frame("polars"), classes).facts_["classes"] == 2


def test_y_must_be_one_column_of_as_many_rows():
    with pytest.raises(ValueError, match="6 rows, and y has 5"):
        anonymizer().fit(frame("polars"), ILL[:5])
    with pytest.raises(InputError, match="2 dimensions"):
        anonymizer().fit(frame("pandas"), np.zeros((6, 2)))


def test_the_target_among_the_features_is_refused_beside_y():
    people = frame("pandas").assign(ill=ILL)
    with pytest.raises(PolicyError, match="'ill'"):
        anonymizer(target="ill").fit(people, ILL)
    learned = anonymizer(target="ill").fit(people)  # alone it is the target, and kept
    assert learned.policy_.target == "ill"
    assert learned.transform(people)["ill"].tolist() == ILL


# ---- policies ----------------------------------------------------------------------------------


def policy(**more):
    described = {
        "quasi_identifiers": {"age": ic.intervals(10, 20)},
        "identifiers": ["name"],
        "target": "ill",
        "requirements": [ic.KAnonymity(3)],
        "other_columns": "keep",
    }
    return ic.policy(**{**described, **more})


def test_a_policy_says_it_all_and_k_takes_the_place_of_its_k(tmp_path):
    people = frame("pandas")
    assert ic.Anonymizer(policy()).fit(people, ILL).facts_["levels"] == {"age": 1}
    assert ic.Anonymizer(policy(), k=6).fit(people, ILL).facts_["levels"] == {"age": 3}
    assert ic.Anonymizer(policy(), k=np.int64(1)).fit(people).facts_["levels"] == {"age": 0}
    path = tmp_path / "policy.toml"
    path.write_text(
        'other_columns = "keep"\n[columns.age]\nrole = "quasi-identifier"\n'
        "hierarchy = { intervals = [10, 20] }\n[[requirements]]\nk_anonymity = 3\n"
    )
    assert ic.Anonymizer(path).fit(people, ILL).facts_["levels"] == {"age": 1}


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"policy": policy(), "quasi_identifiers": ["age"]}, "quasi_identifiers"),
        ({"policy": policy(), "labels": "set"}, "labels"),
        ({"policy": policy(), "target": "pulse"}, "'pulse'"),
        ({"policy": policy(requirements=[ic.KAnonymity(2), ic.KAnonymity(3)]), "k": 2}, "2 k_anon"),
        ({"policy": policy(), "k": 0}, "k of k_anonymity"),
        ({"policy": 7}, "no policy"),
        ({"quasi_identifiers": ["age"]}, "no requirement"),
        ({"quasi_identifiers": ["height"], "k": 2}, "'height'"),
        ({"quasi_identifiers": ["age"], "k": 2, "other_columns": "refuse"}, "no role"),
        ({"quasi_identifiers": ["age"], "k": 2, "unknown": "guess"}, "unknown"),
        ({"quasi_identifiers": ["age"], "k": 2, "algorithm": "magic"}, "magic"),
        ({"quasi_identifiers": 7, "k": 2}, "quasi_identifiers"),
        ({"identifiers": 7, "k": 2}, "identifier"),
    ],
)
def test_parameters_are_checked_when_it_is_fitted(parameters, said):
    learned = ic.Anonymizer(**parameters)  # scikit-learn wants them stored untouched
    with pytest.raises(IncrowdError, match=said):
        learned.fit(frame("pandas"), ILL)


def test_columns_without_a_role_are_quasi_identifiers_if_none_is_named():
    learned = ic.Anonymizer(k=2, identifiers="name", sensitive=["pulse"]).fit(frame("pandas"))
    assert learned.recoding_.columns == ("age", "sex")


@pytest.mark.parametrize("unknown", [None, "suppress", {"sex": "suppress"}])
def test_values_that_a_given_hierarchy_does_not_list_are_shown_as_the_root(unknown):
    hierarchies = {"sex": {"rows": [["f", "*"], ["m", "*"]]}}
    people = pd.DataFrame({"sex": ["f", "f", "m", "m", "?", "d"]})
    learned = ic.Anonymizer(quasi_identifiers=hierarchies, k=2, unknown=unknown)
    assert learned.fit_transform(people)["sex"].tolist() == ["f", "f", "m", "m", "*", "*"]
    assert learned.transform(people.iloc[[0, 5]])["sex"].tolist() == ["f", "*"]
    with pytest.raises(IncrowdError, match="covers 2 of 4"):
        learned.set_params(unknown="refuse").fit(people)


def test_parameters_are_kept_untouched_and_cloned():
    hierarchies = {"age": ic.intervals(10)}
    learned = ic.Anonymizer(quasi_identifiers=hierarchies, k=5)
    assert learned.get_params()["quasi_identifiers"] is hierarchies
    twin = clone(learned).set_params(k=2, algorithm="mondrian")
    assert (twin.k, twin.algorithm, learned.k, learned.algorithm) == (2, "mondrian", 5, None)


def test_it_says_that_it_makes_no_release():
    assert "no release" in repr(ic.Anonymizer(k=2))
    assert "not a release" in ic.Anonymizer.__doc__


# ---- refusals ----------------------------------------------------------------------------------


def test_too_few_rows_are_refused():
    with pytest.raises(UnsatisfiableError, match="6 records"):
        anonymizer(k=7).fit(frame("pandas"), ILL)


def test_contradicting_requirements_are_refused():
    asked = [ic.KAnonymity(2, on=["age"]), ic.KAnonymity(7, on=["sex"])]
    with pytest.raises(UnsatisfiableError):
        anonymizer(k=None, requirements=asked).fit(frame("pandas"), ILL)


def test_an_unfitted_one_shows_nothing():
    for call in (anonymizer().transform, lambda _: anonymizer().get_feature_names_out()):
        with pytest.raises(NotFittedError):
            call(frame("pandas"))


@pytest.mark.parametrize("kind", KINDS)
def test_other_columns_than_in_training_are_refused(kind):
    learned = anonymizer().fit(frame(kind), ILL)
    fewer = {name: cells for name, cells in NEW.items() if name != "pulse"}
    for columns in (fewer, {**NEW, "more": [1, 2]}, dict(reversed(NEW.items()))):
        with pytest.raises(ValueError, match="feature names"):
            learned.transform(frame(kind, columns))


def test_arrays_after_frames_and_frames_after_arrays_are_warned_of():
    learned = anonymizer().fit(frame("pandas"), ILL)
    rows = np.array([["Gil", 36, "f", 61.0]], dtype=object)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert learned.transform(rows).tolist() == [["[30, 40)", "*", 61.0]]
    learned = ic.Anonymizer(k=2).fit(np.array([[1], [1], [2], [2]]))
    with pytest.warns(UserWarning, match="fitted without feature names"):
        assert learned.transform(pd.DataFrame({"a": [1]})).tolist() == [[1]]


@pytest.mark.parametrize("rows", [[], {"age": []}, "people.csv", 7, None])
def test_what_is_no_table_is_refused(rows):
    data = pd.DataFrame(rows) if isinstance(rows, dict) else rows
    with pytest.raises((ValueError, TypeError)):
        ic.Anonymizer(k=2).fit(data)


@pytest.mark.parametrize("rows", [["7153"], [[["7153"]]], {7153: 1}, [[7153 + 1j]]])
def test_arrays_that_are_no_tables_are_not_quoted(rows):
    learned = ic.Anonymizer(k=1).fit([["a"]])
    for act in (ic.Anonymizer(k=1).fit, learned.transform):
        with pytest.raises(InputError) as caught:
            act(rows)
        assert "7153" not in str(caught.value)


def test_means_of_a_column_without_a_grid_are_shown_to_new_rows():
    people = pd.DataFrame({"age": [31, 34, 38, 52], "floor": [1, 1, 1, 1]})
    learned = ic.Anonymizer(k=1, algorithm="mdav", labels="grid").fit(people)
    shown = learned.transform(pd.DataFrame({"age": [31, 52], "floor": [1, 1]}))
    assert [list(map(str, row)) for row in shown.to_numpy().tolist()] == [["31", "1"], ["52", "1"]]


def test_messages_hold_no_values():
    secret = "Rumpelstiltskin"
    people = pd.DataFrame({"name": [secret, "b"], "age": [secret, "1"]}, dtype=object)
    hierarchies = {"name": {"rows": [["b", "*"]]}, "age": ic.intervals(10)}
    with pytest.raises(IncrowdError) as caught:
        ic.Anonymizer(quasi_identifiers=hierarchies, k=2, unknown="refuse").fit(people)
    assert secret not in str(caught.value)


# ---- scikit-learn is optional ------------------------------------------------------------------


def run(script):
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    ).stdout


def test_without_scikit_learn_the_error_says_what_to_install():
    said = run(
        "import sys; sys.modules['sklearn'] = None\n"
        "import incrowd as ic\n"
        "from incrowd import *\n"
        "try:\n    ic.Anonymizer\n"
        "except ImportError as error:\n    print(type(error).__name__, error)\n"
    )
    assert said.startswith("MissingDependencyError")
    assert "incrowd[ml]" in said


def test_parameter_errors_are_value_errors():
    assert issubclass(ParameterError, ValueError)
