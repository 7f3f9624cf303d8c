"""What holds for every search over cuts: what it tells of them, and columns nobody asked about."""

import pandas as pd
import pytest

import incrowd as ic
from incrowd.algorithms import list_algorithms
from release_checks import built, looks_at_the_target

SUBTREE = [name for name, cls in sorted(list_algorithms().items()) if cls.family == "subtree"]
PEOPLE = pd.DataFrame(
    {
        "age": [21, 24, 27, 33, 36, 38, 52, 57] * 3,
        "city": ["Bonn", "Kiel", "Bonn", "Ulm", "Ulm", "Kiel", "Bonn", "Ulm"] * 3,
        "pay": ["much", "little", "little", "much", "much", "much", "little", "much"] * 3,
    }
)
CITIES = {"north": ["Kiel"], "south": ["Bonn", "Ulm"]}


def released(name, requirements, hierarchies):
    return ic.anonymize(
        PEOPLE,
        quasi_identifiers=hierarchies,
        target="pay",
        requirements=requirements,
        algorithm=built(name),
    )


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("name", SUBTREE)
def test_the_cuts_are_the_values_of_the_release(name, given):
    hierarchies = {"age": ic.intervals(10, 20), "city": ic.groups(CITIES)}
    columns = hierarchies if given else list(hierarchies)
    release = released(name, [ic.KAnonymity(3)], columns)
    assert "levels" not in release.facts
    if not release.facts["suppressed"]:
        for column in hierarchies:
            assert set(release.facts["cuts"][column]) == set(map(str, release.table[column]))


@pytest.mark.parametrize("name", SUBTREE)
def test_a_column_that_no_requirement_covers_stays_as_it_is(name):
    hierarchies = {"age": ic.intervals(10, 20), "city": ic.groups(CITIES)}
    release = released(name, [ic.KAnonymity(3, on=("city",))], hierarchies)
    assert sorted(release.table["age"]) == sorted(PEOPLE["age"])


@pytest.mark.parametrize("name", SUBTREE)
def test_more_than_there_are_among_several_requirements_is_an_error(name):
    asked = [ic.KAnonymity(2, on=("city",)), ic.KAnonymity(25, on=("age",))]
    with pytest.raises(ic.errors.UnsatisfiableError, match="24 records"):
        released(name, asked, ["age", "city"])


@pytest.mark.parametrize(
    "name", [name for name in sorted(list_algorithms()) if looks_at_the_target(name)]
)
def test_a_search_that_looks_at_the_target_says_if_there_is_none(name):
    with pytest.raises(ic.errors.PolicyError, match="names no target"):
        ic.anonymize(
            PEOPLE,
            quasi_identifiers=["age", "city"],
            k=3,
            other_columns="drop",
            algorithm=built(name),
        )
