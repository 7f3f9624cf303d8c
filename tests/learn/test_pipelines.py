"""The transformer among others: pipelines, grid searches, cross-validation."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import incrowd as ic
from incrowd.datasets import census
from incrowd.errors import UnsatisfiableError
from incrowd.schema import load_policy

FEATURES = ["sex", "age", "education", "country"]
HIERARCHIES = {"sex": None, "age": ic.intervals(5, 10, 20, 40), "education": None, "country": None}


@pytest.fixture(scope="module")
def people():
    table = census(600, seed=3, kind="pandas")
    return table[FEATURES], table["income"]


def pipeline(**parameters):
    return Pipeline(
        [
            ("anonymizer", ic.Anonymizer(quasi_identifiers=HIERARCHIES, k=5, **parameters)),
            ("encoder", OneHotEncoder(handle_unknown="ignore")),
            ("tree", DecisionTreeClassifier(random_state=0)),
        ]
    )


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("name", ["flash", "mondrian", "k-members"])
def test_a_pipeline_learns_and_answers_for_every_row(kind, name):
    table = census(300, seed=1, kind=kind)
    X, y = table[FEATURES], table["income"]
    model = pipeline(algorithm=name).fit(X[:200], y[:200])
    assert len(model.predict(X[200:])) == 100
    assert "Anonymizer(" in repr(model)


def test_a_pipeline_learns_from_what_a_release_shows(people):
    X, y = people
    model = pipeline(algorithm="flash").fit(X, y)
    shown = ic.preview(X, quasi_identifiers=HIERARCHIES, k=5, algorithm="flash").table
    categories = model["encoder"].categories_
    assert [set(each) for each in categories] == [set(shown[name]) for name in FEATURES]


def test_a_grid_search_varies_k_and_the_algorithm(people):
    X, y = people
    grid = {
        "anonymizer__k": [2, np.int64(20)],
        "anonymizer__algorithm": ["auto", ic.Mondrian(), "k-members"],
    }
    search = GridSearchCV(pipeline(), grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_params_["anonymizer__k"] in (2, 20)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert 0 < search.best_score_ <= 1


def test_cross_validation_refits_the_recoding_on_each_fold(people):
    X, y = people
    scores = cross_val_score(
        pipeline(algorithm="mondrian"),
        X,
        y,
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
        error_score="raise",
    )
    assert len(scores) == 5
    assert scores.mean() > y.value_counts(normalize=True).max() - 0.15


def test_folds_smaller_than_k_fail_loudly(people):
    X, y = people
    with pytest.raises(UnsatisfiableError):
        cross_val_score(pipeline().set_params(anonymizer__k=500), X, y, cv=2, error_score="raise")


def test_a_column_transformer_gives_it_some_of_the_columns(people):
    X, y = people
    some = ColumnTransformer(
        [("crowds", ic.Anonymizer(k=5), ["sex", "education"])],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    shown = some.fit_transform(X, y)
    assert list(shown.columns) == ["sex", "education", "age", "country"]
    pd.testing.assert_series_equal(shown["age"], X["age"])
    pd.testing.assert_index_equal(shown.index, X.index)


def test_a_policy_file_serves_pipelines_too(people, tmp_path):
    X, y = people
    path = tmp_path / "policy.toml"
    path.write_text(
        'other_columns = "refuse"\n'
        + "".join(f'[columns.{name}]\nrole = "quasi-identifier"\n' for name in FEATURES)
        + '[columns.income]\nrole = "target"\n'
        + '[[requirements]]\nk_anonymity = 5\n[algorithm]\nname = "mondrian"\n'
    )
    for policy in (path, load_policy(path)):
        model = make_pipeline(
            ic.Anonymizer(policy),
            OneHotEncoder(handle_unknown="ignore"),
            DecisionTreeClassifier(random_state=0),
        )
        search = GridSearchCV(model, {"anonymizer__k": [3, 30]}, cv=2, error_score="raise")
        search.fit(X, y)
        assert search.best_estimator_[0].recoding_.kind == "multidimensional"


def test_new_rows_may_be_all_missing_or_out_of_range(people):
    X, y = people
    strange = pd.DataFrame(
        {
            "sex": [None, "other", ""],
            "age": [np.nan, 1e9, -5],
            "education": [None, "wizard", "*"],
            "country": [None, None, "Atlantis"],
        }
    )
    for name in ("flash", "mondrian", "k-members", "mdav"):
        model = pipeline(algorithm=name).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the encoder tells of unseen categories
            assert len(model.predict(strange)) == 3
