"""Persons are counted where it is told whose the released rows are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import VerificationError
from incrowd.frame import open_source
from incrowd.requirements import AlphaK, KAnonymity, LDiversity, PSensitive
from incrowd.schema import Column, Policy
from incrowd.verify import Persons, verify

COLUMNS = [
    Column("age", "quasi-identifier"),
    Column("sex", "quasi-identifier"),
    Column("s", "sensitive"),
]
WITH_ENTITY = [*COLUMNS, Column("person", "entity")]
ROWS = [("1", "f", "a"), ("1", "f", "b"), ("1", "f", "a"), ("*", "*", "b"), ("*", "*", "a")]
PERSON = [7, 7, 9, 7, 8]


@dataclass
class Cells:
    texts: tuple
    codes: np.ndarray


def cells(values):
    texts = tuple(dict.fromkeys(values))
    return Cells(texts, np.array([texts.index(value) for value in values]))


def persons_of(rows, person, columns=("age", "sex")):
    by_column = [cells([row[at] for row in rows]) for at in range(len(columns))]
    return Persons(columns, by_column, np.array(person))


def table_of(rows):
    names = ("age", "sex", "s")
    return pa.table({name: [row[at] for row in rows] for at, name in enumerate(names)})


def policy(*requirements, columns=WITH_ENTITY):
    return Policy(columns=columns, requirements=list(requirements))


def test_k_counts_persons():
    asked = policy(
        KAnonymity(2), KAnonymity(3, on="age"), PSensitive(2, 3, "s"), AlphaK(0.9, 3, "s")
    )
    alone = verify(table_of(ROWS), asked)
    assert [each.reached for each in alone.findings][:2] == [2, 2]
    verdict = verify(table_of(ROWS), asked, persons=persons_of(ROWS, PERSON))
    assert [each.holds for each in verdict.findings] == [True, False, False, False]
    assert [each.reached for each in verdict.findings][:2] == [2, 2]
    assert str(verdict.findings[0]) == (
        "2-anonymity holds: k = 2 persons is reached in a class of 2 records; "
        "the smallest of 2 classes has 2 records"
    )
    same = verify(table_of(ROWS), asked, persons=persons_of(ROWS, [7, 7, 7, 8, 8]))
    assert [each.reached for each in same.findings][:2] == [1, 1]
    assert not same.passed


def test_without_persons_it_is_said_that_they_were_not_checked():
    [said] = verify(table_of(ROWS), policy(KAnonymity(2))).not_checked
    assert said.startswith("persons: each row is taken for one person")
    assert verify(table_of(ROWS), policy(KAnonymity(2), columns=COLUMNS)).not_checked == ()
    counted = verify(table_of(ROWS), policy(KAnonymity(2)), persons=persons_of(ROWS, PERSON))
    assert counted.not_checked == ()
    assert "not checked: persons" in str(verify(table_of(ROWS), policy(KAnonymity(2))))


@given(
    st.lists(
        st.tuples(st.sampled_from("xy*"), st.sampled_from(["f", "*", None]), st.integers(0, 3)),
        min_size=1,
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_rows_does_not_matter(rows, chance):
    expected = min(
        len({person for *own, person in rows if own == list(key)})
        for key in {(age, sex) for age, sex, _ in rows}
    )
    shuffled = list(rows)
    chance.shuffle(shuffled)
    persons = persons_of(shuffled, [row[2] for row in shuffled])
    released = table_of([(age, sex, "s") for age, sex, _ in rows])
    [finding] = verify(released, policy(KAnonymity(1)), persons=persons).findings
    assert finding.reached == expected


def test_a_file_writes_missing_cells_as_empty_ones(tmp_path):
    rows = [("1", None, "a"), ("1", None, "b"), ("", "f", "a")]
    (tmp_path / "r.csv").write_text("age,sex,s\n1,,a\n1,,b\n,f,a\n", encoding="utf-8")
    [finding] = verify(
        tmp_path / "r.csv", policy(KAnonymity(1)), persons=persons_of(rows, [1, 1, 2])
    ).findings
    assert finding.reached == 1
    with pytest.raises(VerificationError, match="other rows"):
        verify(
            table_of(rows),
            policy(KAnonymity(1)),
            persons=persons_of([("1", "", "a")] * 3, [1, 1, 2]),
        )


def test_cells_may_be_those_of_a_source():
    source = open_source(table_of(ROWS))
    given_cells = [source.encode(name, missing=()) for name in ("age", "sex")]
    persons = Persons(("age", "sex"), given_cells, np.array(PERSON))
    [finding] = verify(source, policy(KAnonymity(2)), persons=persons).findings
    assert finding.holds


@pytest.mark.parametrize(
    "persons",
    [
        persons_of(ROWS[:4], PERSON[:4]),
        persons_of([*ROWS[:4], ("1", "f", "")], PERSON),
        persons_of([*ROWS[:4], ("1", "secret", "")], PERSON),
        persons_of([*ROWS[:4], ("*", None, "")], PERSON),
        persons_of(ROWS, PERSON[:4]),
        Persons(("age", "sex"), [cells([row[0] for row in ROWS])], np.array(PERSON)),
        Persons(
            ("age", "sex"), [Cells(("1", "*"), np.array([0, 0, 0, 1, 2]))] * 2, np.array(PERSON)
        ),
        Persons(
            ("age", "sex"), [Cells(("1", "*"), np.array([0, 0, 0, 1, -2]))] * 2, np.array(PERSON)
        ),
        persons_of(ROWS, PERSON, ("age",)),
        persons_of([(*row[:2], "x") for row in ROWS], PERSON, ("age", "sex", "name")),
    ],
)
def test_persons_of_other_rows_are_refused(persons):
    with pytest.raises(VerificationError) as caught:
        verify(table_of(ROWS), policy(KAnonymity(1)), persons=persons)
    assert "secret" not in str(caught.value)
    assert caught.value.verdict["passed"] is False


def test_rows_that_stand_for_several_records_have_no_person():
    table = table_of(ROWS).append_column("n", pa.array([1] * 5))
    asked = policy(KAnonymity(1), columns=[*COLUMNS, Column("n", "count")])
    with pytest.raises(VerificationError, match="counts records"):
        verify(table, asked, persons=persons_of(ROWS, PERSON))


def test_classes_that_persons_know_nothing_of_are_named():
    sensitive = PSensitive(2, 2, "s", known=("job",))
    columns = [*WITH_ENTITY, Column("job", "insensitive")]
    asked = policy(sensitive, LDiversity(2, "s", known=("job",)), KAnonymity(2), columns=columns)
    released = table_of(ROWS).append_column("job", pa.array(["x"] * 5))
    verdict = verify(released, asked, persons=persons_of(ROWS, PERSON))
    [said] = verdict.not_checked
    assert said.startswith(f"persons in {sensitive.describe()}")
    rows = [(*row[:2], "x") for row in ROWS]
    everything = persons_of(rows, PERSON, ("age", "sex", "job"))
    verdict = verify(released, asked, persons=everything)
    assert (verdict.passed, verdict.not_checked) == (True, ())
    alone = persons_of(rows, [7, 7, 7, 8, 9], ("age", "sex", "job"))
    assert [each.holds for each in verify(released, asked, persons=alone).findings] == [
        False,
        True,
        False,
    ]


def test_persons_print_sizes_only():
    shown = repr(persons_of([("secret", "f", "a")], [12345]))
    assert "secret" not in shown
    assert "12345" not in shown
