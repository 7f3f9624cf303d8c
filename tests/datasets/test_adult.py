"""Adult as it is packed: its sizes, its cells, and the optimum everybody knows."""

import pytest

import incrowd as ic
from incrowd.datasets import adult, adult_hierarchies
from incrowd.hierarchies import hierarchy_from_rows


@pytest.mark.parametrize(
    ("part", "complete", "rows"),
    [
        ("train", True, 30_162),
        ("test", True, 15_060),
        ("both", True, 45_222),
        ("train", False, 32_561),
        ("test", False, 16_281),
        ("both", False, 48_842),
    ],
)
def test_sizes_are_those_that_papers_state(part, complete, rows):
    table = adult(part, complete=complete)
    assert table.num_rows == rows
    assert any(column.null_count for column in table.columns) == (not complete)


def test_the_first_row_and_the_names_are_those_given_out():
    assert adult().slice(0, 1).to_pylist() == [
        {
            **{"age": 39, "workclass": "State-gov", "fnlwgt": 77516, "education": "Bachelors"},
            **{"education-num": 13, "marital-status": "Never-married"},
            **{"occupation": "Adm-clerical", "relationship": "Not-in-family", "race": "White"},
            **{"sex": "Male", "capital-gain": 2174, "capital-loss": 0, "hours-per-week": 40},
            **{"native-country": "United-States", "income": "<=50K"},
        }
    ]
    assert set(adult("test")["income"].to_pylist()) == {"<=50K", ">50K"}


def test_other_kinds_hold_the_same_rows():
    people = adult("test")
    for kind in ("pandas", "polars"):
        assert adult("test", kind=kind).shape == people.shape


def test_no_other_part_or_kind_is_taken():
    with pytest.raises(ic.IncrowdError, match="part"):
        adult("all")
    with pytest.raises(ic.IncrowdError, match="kind"):
        adult(kind="numpy")


def test_hierarchies_list_every_value():
    people = adult("both")
    for name, rows in adult_hierarchies().items():
        texts = [str(value) for value in people[name].unique().to_pylist()]
        assert (hierarchy_from_rows(rows).match(texts) >= 0).all(), name


def test_the_optimum_is_the_known_one():
    trees = {name: {"rows": list(map(list, rows))} for name, rows in adult_hierarchies().items()}
    release = ic.anonymize(
        adult(),
        quasi_identifiers=trees,
        other_columns="drop",
        k=5,
        algorithm=ic.Flash(suppression_limit=0.05, objective="loss_geometric"),
    )
    assert release.metrics["loss_geometric"] == pytest.approx(0.241932, abs=5e-7)
    assert (release.facts["suppressed"], release.facts["classes"]) == (1346, 397)
    assert list(release.facts["levels"].values()) == [0, 3, 0, 0, 2, 1, 1, 2, 0]
