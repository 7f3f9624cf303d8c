"""Who is suppressed, under any requirements, held against the slow twin of the rule."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from incrowd.algorithms import Exhaustive, Flash, Problem
from incrowd.algorithms.full_domain.family.lattice import Lattice
from incrowd.counts import FrequencyTable, SensitiveColumn, count_tuples
from incrowd.errors import IncrowdError
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.hierarchies.rows import hierarchy_from_paths
from incrowd.recoding import suppressed_by
from incrowd.requirements import BoundRequirements, KAnonymity, TCloseness
from naive.suppression import suppressed
from sensitive_classes import (
    COLUMN,
    KNOWN,
    PATHS,
    WORDS,
    closenesses,
    disclosures,
    diversities,
    limited_shares,
)

COLUMNS = ("a", "b")
WHOLE = tuple(word for word in WORDS if word)
TREE = hierarchy_from_rows([("0", "x", "*"), ("1", "x", "*"), ("2", "y", "*"), ("3", "y", "*")])


@st.composite
def tables(draw, values=WORDS):
    """Draw people as (codes, value, ward), and the same as a table."""
    person = st.tuples(
        st.tuples(st.integers(0, 3), st.integers(0, 3)),
        st.sampled_from(values),
        st.sampled_from("uv"),
    )
    people = draw(st.lists(person, min_size=1, max_size=24))
    texts = tuple(sorted(set(values), key=lambda text: (text is None, text)))
    codes = np.array([cells for cells, _, _ in people], np.int32).T.copy()
    carried = {
        COLUMN: np.array([texts.index(value) for _, value, _ in people], np.int32),
        KNOWN: np.array(["uv".index(ward) for _, _, ward in people], np.int32),
    }
    meant = {COLUMN: texts, KNOWN: ("u", "v")}
    table, tuple_of = count_tuples(COLUMNS, codes, [4, 4], carried=carried, carried_values=meant)
    return people, table, tuple_of


def asked(*kinds):
    """Draw one or two requirements, on all columns or on one."""
    on = st.sampled_from([COLUMNS, ("a",), ("b",)])
    sizes = st.builds(KAnonymity, st.integers(1, 4), on=on)
    one = st.one_of(sizes, *kinds)
    return st.lists(one, min_size=1, max_size=2).map(
        lambda found: tuple(each.resolved(COLUMNS) for each in found)
    )


ANY = asked(diversities(), limited_shares(WORDS), closenesses("equal"), disclosures())


def bound(requirements, table, masks, paths=None):
    tree = None if paths is None else hierarchy_from_paths(paths)
    column = SensitiveColumn(COLUMN, tuple(table.carried_values[COLUMN]), tree)
    return BoundRequirements.of(requirements, table, [column], masks=masks)


def covered(requirements):
    return [(each, [COLUMNS.index(name) for name in each.on]) for each in requirements]


@settings(max_examples=300)
@given(drawn=tables(), requirements=ANY, masks=st.booleans())
def test_the_fallen_are_those_of_the_twin(drawn, requirements, masks):
    people, table, tuple_of = drawn
    found = suppressed_by(bound(requirements, table, masks), table, table.codes, [4, 4])
    twin = suppressed(people, covered(requirements), masks=masks)
    assume(all(each.monotone.without_suppression for each in requirements))
    assert {person for person, at in enumerate(tuple_of) if found[at]} == twin


@settings(max_examples=100)
@given(drawn=tables(WHOLE), requirements=asked(closenesses("hierarchical")), masks=st.booleans())
def test_the_fallen_are_those_of_the_twin_in_a_tree(drawn, requirements, masks):
    people, table, tuple_of = drawn
    of_table = bound(requirements, table, masks, PATHS)
    found = suppressed_by(of_table, table, table.codes, [4, 4])
    twin = suppressed(people, covered(requirements), masks=masks, paths=PATHS)
    assert {person for person, at in enumerate(tuple_of) if found[at]} == twin


@pytest.mark.parametrize("limit", [0.0, 0.2, 0.6, 1.0])
@settings(max_examples=60)
@given(drawn=tables(), requirements=ANY, masks=st.booleans())
def test_pruning_never_loses_the_best_node(limit, drawn, requirements, masks):
    _, table, _ = drawn
    problem = Problem(table, (TREE, TREE), requirements, np.ones(2), masks=masks)
    for objective in ("loss", "loss_geometric", "discernibility"):
        found = []
        for algorithm in (Exhaustive, Flash):
            try:
                search = algorithm(suppression_limit=limit, objective=objective)
                recoding = search.solve(problem)
                found.append((recoding.levels, recoding.assign(table).n_suppressed))
                assert recoding.found.optimal
            except IncrowdError:
                found.append(None)
        assert (found[0] is None) == (found[1] is None)
        if found[0] is not None:
            lattice = Lattice(problem, objective=objective, suppression_limit=limit)
            values = [lattice.value(levels) for levels, _ in found]
            assert values[0] == pytest.approx(values[1], rel=1e-9, abs=1e-12)


def test_a_class_at_the_edge_falls_once_others_are_dropped():
    """With all records it stands at exactly t; what is left of the table is farther from it."""
    values = "aab" + "ab" * 10 + "bbb"
    codes = np.array([[0] * 3 + [1] * 20 + [2] * 3, [0] * 26], np.int32)
    carried = {COLUMN: np.array(["ab".index(each) for each in values], np.int32)}
    table, tuple_of = count_tuples(
        COLUMNS, codes, [4, 4], carried=carried, carried_values={COLUMN: ("a", "b")}
    )
    t = 2 / 3 - 12 / 26
    requirement = TCloseness(round(t + 1e-4, 4), COLUMN, on=COLUMNS)
    kept = suppressed_by(bound((requirement,), table, True), table, table.codes, [4, 4])
    dropped = suppressed_by(bound((requirement,), table, False), table, table.codes, [4, 4])
    people = [((int(a), int(b)), v, None) for a, b, v in zip(*codes, values, strict=True)]
    for masks, found in ((True, kept), (False, dropped)):
        twin = suppressed(people, covered((requirement,)), masks=masks)
        assert {person for person, at in enumerate(tuple_of) if found[at]} == twin


def test_an_empty_table_has_nobody_to_suppress():
    table = FrequencyTable(COLUMNS, np.empty((2, 0), np.int32), np.empty(0, np.int64))
    assert suppressed_by((KAnonymity(2, on=COLUMNS),), table, table.codes, [4, 4]).tolist() == []
