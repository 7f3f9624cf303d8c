"""What a requirement covers: all of it in every search, and nothing else in any."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import Problem, list_algorithms, said_by
from incrowd.counts import SensitiveColumn, Target, count_tuples
from incrowd.errors import PolicyError
from incrowd.requirements import covered_by, drop_implied
from release_checks import (
    ALGORITHMS,
    BY_CLASSES,
    LABELS,
    anonymized,
    built,
    check_release,
    fits,
    frames,
    text_of,
)

KINDS = ("yes", "no", None)


def by_hand(requirement, n=14):
    """A problem that nobody has resolved: ages and a sex, with a target and a sensitive column."""
    trees = (
        ic.intervals(5, 10).build([str(20 + at) for at in range(n)], column="age"),
        ic.suppression().build(["f", "m"], column="sex"),
    )
    at = np.arange(n, dtype=np.int32)
    table, _ = count_tuples(
        ("age", "sex"),
        np.stack([at, at % 2]),
        [tree.n_codes for tree in trees],
        carried={"ill": at % 3, "pays": at % 2},
        carried_values={"ill": KINDS, "pays": KINDS[:2]},
    )
    return Problem(
        table,
        trees,
        (requirement,),
        np.ones(2),
        sensitive=(SensitiveColumn("ill", table.carried_values["ill"]),),
        target=Target("pays", table.carried_values["pays"]),
    )


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_problem_built_by_hand_protects_all_columns(name):
    problem = by_hand(ic.KAnonymity(5))
    assert problem.requirements == (ic.KAnonymity(5, on=("age", "sex")),)
    algorithm = built(name, most_classes=3)
    assignment = algorithm.solve(problem).assign(problem.table, problem.hierarchies)
    shown = Counter()
    for of, count in zip(assignment.class_of, assignment.records, strict=True):
        if of >= 0:
            shown[tuple(assignment.label_of[of].tolist())] += int(count)
    assert shown
    assert min(shown.values()) >= 5


@pytest.mark.parametrize("on", [(), ("age", "height")])
def test_a_requirement_that_would_hold_for_any_table_is_refused(on):
    class Open(ic.KAnonymity):
        on = ()

    requirement = ic.KAnonymity(5, on=on) if on else Open(5)
    object.__setattr__(requirement, "on", on)
    with pytest.raises(PolicyError, match="covers no column"):
        by_hand(requirement)
    with pytest.raises(PolicyError, match="covers no column"):
        covered_by(requirement, ("age", "sex"))


def test_requirements_on_all_columns_are_never_dropped_for_one_on_some():
    everywhere, on_sex = ic.KAnonymity(5), ic.KAnonymity(5, on=("sex",))
    assert drop_implied([everywhere, on_sex])[0] == (everywhere,)
    assert drop_implied([on_sex, everywhere])[0] == (everywhere,)
    assert not on_sex.implies(everywhere)


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=5)
@given(frame=frames(min_rows=3), k=st.integers(1, 3), data=st.data())
def test_columns_that_no_requirement_covers_stay_as_they_are(name, frame, k, data):
    on = data.draw(st.sampled_from([("city",), ("code",), ("city", "code")]))
    requirements = [ic.KAnonymity(k, on=on)]
    if not fits(name, frame, ("âge", "city", "code")):
        return
    release = anonymized(frame, built(name, 0.4), requirements)
    check_release(frame, release, requirements)
    before = dict(zip(frame["row"], map(text_of, frame["âge"]), strict=True))
    for row, *cells in release.table[["row", "âge", "city", "code"]].itertuples(index=False):
        masked = cells == ["*", "*", "*"] and release.facts["suppressed"]
        assert masked or _same(text_of(cells[0]), before[row])


def _same(one, other):
    """Whether two cells say the same; a column of several spellings is written in one."""
    return one == other or (None not in (one, other) and float(one) == float(other))


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", BY_CLASSES)
def test_a_saved_decision_knows_what_it_keeps(tmp_path, name, labels):
    people = {
        "age": [20 + at for at in range(40)],
        "sex": ["f" if at % 7 else "m" for at in range(40)],
        "zip": [f"{10 + at % 4}" for at in range(40)],
        "ill": ["a" if at % 3 else "b" for at in range(40)],
    }
    described = {
        "quasi_identifiers": {"age": ic.intervals(5, 10), "sex": None, "zip": ic.masking()},
        "sensitive": ["ill"],
        "target": None,
        "requirements": [ic.KAnonymity(6, on=("sex", "zip"))],
        "labels": labels,
        "order": "keep",
    }
    if "target" in said_by(list_algorithms()[name](), "carries"):
        described |= {"sensitive": [], "target": "ill"}
    release = ic.anonymize(pa.table(people), algorithm=built(name), **described)
    assert [str(age) for age in release.table["age"].to_pylist()] == [*map(str, people["age"])]
    assert "age: left as it is" in release.summary()
    release.recoding.save(tmp_path / "recoding.json")
    loaded = ic.load_recoding(tmp_path / "recoding.json")
    assert loaded.to_json() == release.recoding.to_json()
    assert loaded.kept == ("age",)
    assert "age" in loaded.unchanged()
    if loaded.kind == "multidimensional":  # another age is no reason to suppress anybody
        again = ic.apply_recoding(loaded, pa.table({**people, "age": people["age"][::-1]}))
        assert again.facts["suppressed"] == 0
        assert sorted(again.table["age"].to_pylist()) == sorted(people["age"])
