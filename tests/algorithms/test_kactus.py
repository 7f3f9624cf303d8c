"""kACTUS: the tree and its way up, node by node; targets and requirements that are hard on it."""

from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import KACTUS, Problem
from incrowd.counts import FrequencyTable, Target
from incrowd.errors import ParameterError, PolicyError, UnsatisfiableError
from incrowd.hierarchies import intervals, suppression
from incrowd.requirements import KAnonymity
from naive.kactus import Kactus
from sensitive_people import holds_in, sensitive_problems
from strategies import k_anonymities, tables, trees


@st.composite
def classified(draw, max_tuples=30, max_requirements=2):
    hierarchies = tuple(draw(st.lists(trees(), min_size=1, max_size=3)))
    classes = draw(st.integers(1, 3))
    table = draw(tables(hierarchies, carried=classes, max_tuples=max_tuples, max_count=6))
    asked = draw(k_anonymities(table.columns, table.n_records, max_requirements))
    target = Target("c", tuple("xyz"[:classes]))
    return Problem(table, hierarchies, asked, np.ones(len(hierarchies)), target=target)


@pytest.mark.parametrize("leftover", ["borrow", "prune"])
@settings(max_examples=80)
@given(problem=classified())
def test_every_tuple_keeps_what_is_tested_on_its_path(leftover, problem):
    problem, _ = problem.where_covered()
    recoding = KACTUS(leftover=leftover).solve(problem)
    twin = Kactus(
        problem, problem.table.carried["c"], problem.class_size, borrow=leftover == "borrow"
    )
    region_of = recoding.tree.regions_of(problem.table.codes)
    spans = [
        list(zip(recoding.low[at].tolist(), recoding.high[at].tolist(), strict=True))
        for at in region_of
    ]
    assert spans == twin.spans()
    assert recoding.assign(problem.table).n_suppressed == 0


def noisy(seed):
    """Return a table whose classes follow the columns, more or less: its trees are deep."""
    draw = np.random.default_rng(seed)
    ages = intervals(5, 20).build([str(age) for age in range(draw.integers(2, 25))], column="a")
    words = suppression().build(list("abcdefg"[: draw.integers(1, 8)]), column="b")
    letters = suppression().build(list("abc"), column="c").extended(missing=True)
    hierarchies = ages.extended(missing=bool(seed % 2)), words, letters
    cells = [draw.integers(0, tree.n_codes, 70) for tree in hierarchies]
    classes = (cells[0] > 6) + cells[1] % 2 + (draw.random(70) < 0.3)
    *codes, classes = np.unique([*cells, np.minimum(classes, 2)], axis=1).astype(np.int32)
    records = draw.integers(1, 5, len(classes))
    table = FrequencyTable(("a", "b", "c"), np.stack(codes), records, carried={"class": classes})
    asked = (KAnonymity(int(draw.integers(1, 13)), on=table.columns),)
    target = Target("class", tuple("xyz"))
    return Problem(table, hierarchies, asked, np.ones(3), target=target)


def test_deep_trees_go_up_as_node_by_node():
    done = Counter()
    for seed in range(40):
        problem = noisy(seed)
        recoding = KACTUS().solve(problem)
        twin = Kactus(problem, problem.table.carried["class"], problem.class_size, borrow=True)
        region_of = recoding.tree.regions_of(problem.table.codes)
        spans = np.stack([recoding.low[region_of], recoding.high[region_of]], axis=2)
        assert spans.tolist() == [[list(span) for span in each] for each in twin.spans()]
        done.update(recoding.found.facts)
    assert min(done[each] for each in ("merged", "borrowed", "joined", "pruned")) > 0


@settings(max_examples=60)
@given(problem=classified(max_requirements=3), data=st.data())
def test_the_order_of_the_tuples_changes_nothing(problem, data):
    table = problem.table
    order = data.draw(st.permutations(range(table.n_tuples)))
    turned = FrequencyTable(
        table.columns,
        np.ascontiguousarray(table.codes[:, order]),
        table.records[order],
        carried={"c": table.carried["c"][order]},
    )
    other = Problem(
        turned, problem.hierarchies, problem.requirements, problem.weights, target=problem.target
    )
    one, two = KACTUS().solve(problem), KACTUS().solve(other)
    assert one.to_json() == two.to_json()


def crafted(ages, sexes, classes, counts, k):
    tree = intervals(10).build([str(age) for age in range(10, 60, 10)], column="age")
    table = FrequencyTable(
        ("age", "sex"),
        np.array([[age // 10 - 1 for age in ages], ["fm".index(sex) for sex in sexes]], np.int32),
        np.array(counts, np.int64),
        carried={"pay": np.array(classes, np.int32)},
    )
    sexes = suppression().build(["f", "m"], column="sex")
    asked = (KAnonymity(k, on=("age", "sex")),)
    target = Target("pay", ("little", "much"))
    return Problem(table, (tree, sexes), asked, np.ones(2), target=target)


def classes_of(problem, recoding):
    found = recoding.assign(problem.table)
    return Counter(
        {
            tuple(found.labels[j][label] for j, label in enumerate(found.label_of[at])): int(size)
            for at, size in enumerate(found.class_sizes)
        }
    )


def test_a_trace_worked_out_by_hand():
    # Records: 8 women with much at 10 and 20, 4 each.  Men: 9 with little at 10 to 30, 3 each;
    # 2 with much at 40.  Sex tells 0.60 bits, age 40 and more 0.11 less log2(3)/19: sex is first.
    # Of the men, 40 and more tells all 0.68 bits, less log2(3)/11: leaves of 9 and 2.
    problem = crafted(
        [10, 20, 10, 20, 30, 40], "ffmmmm", [1, 1, 0, 0, 0, 1], [4, 4, 3, 3, 3, 2], k=3
    )
    recoding = KACTUS().solve(problem)
    # The 2 need one more.  9 can spare 6: below 20 there are 3, and so there are from 30 on; the
    # lower side is lent.  The women are one leaf, and no woman's age is told.
    assert recoding.found.facts == {
        "nodes": 5, "depth": 2, "merged": 1, "borrowed": 3, "joined": 0, "pruned": 0
    }  # fmt: skip
    assert classes_of(problem, recoding) == {("*", "f"): 8, ("*", "m"): 5 + 6}
    spans = {
        tuple(zip(low, high, strict=True))
        for low, high in zip(recoding.low.tolist(), recoding.high.tolist(), strict=True)
    }
    assert spans == {((0, 5), (0, 1)), ((0, 3), (1, 2)), ((0, 5), (1, 2))}
    # Without borrowing the men become a leaf.
    pruned = KACTUS(leftover="prune").solve(problem)
    assert pruned.found.facts["pruned"] == 1
    assert classes_of(problem, pruned) == {("*", "f"): 8, ("*", "m"): 11}


def test_regions_are_written_as_the_tests_allow():
    problem = crafted([10, 20, 30, 40, 50], "fffff", [1, 1, 0, 0, 0], [4, 4, 4, 4, 4], k=4)
    recoding = KACTUS().solve(replace(problem, labels="range"))
    assert classes_of(problem, recoding) == {("[10, 20]", "*"): 8, ("[30, 50]", "*"): 12}


def people(n, seed=3):
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 80, n)
    return pd.DataFrame(
        {
            "age": age,
            "sex": draw.choice(["f", "m"], n),
            "town": draw.choice(list("abcdefgh"), n),
            "pay": np.where(age + draw.normal(0, 8, n) > 50, "much", "little"),
        }
    )


def anonymized(frame, **options):
    return ic.anonymize(
        frame,
        quasi_identifiers={"age": ic.intervals(5, 10, 20), "sex": None, "town": None},
        **{"target": "pay", "k": 5, "algorithm": "kactus", **options},
    )


@pytest.mark.parametrize("leftover", ["borrow", "prune"])
@pytest.mark.parametrize(
    "pay",
    [
        lambda n: ["little"] * n,
        lambda n: [f"row {at}" for at in range(n)],
        lambda n: [None] * n,
        lambda n: [None, "little", "much"] * (n // 3),
    ],
    ids=["one class", "a class per row", "missing", "some missing"],
)
def test_targets_that_teach_nothing(pay, leftover):
    frame = people(300).assign(pay=pay(300))
    release = anonymized(frame, algorithm=KACTUS(leftover=leftover))
    assert release.verdict.passed
    assert release.facts["suppressed"] == 0
    assert Counter(map(str, release.table["pay"])) == Counter(map(str, frame["pay"]))
    if len(set(pay(300))) == 1:
        assert set(release.table["sex"]) == {"*"}
        assert release.facts["classes"] == 1


def test_what_tells_the_classes_apart_is_kept():
    release = anonymized(people(2000))
    assert release.facts["classes"] > 2
    assert set(release.table["age"]) != {"*"}
    cut = release.recoding.tree
    assert cut.column[0] == 0


def test_new_rows_go_through_the_same_tests():
    frame = people(500)
    release = anonymized(frame)
    again = ic.apply_recoding(release.recoding, frame)
    columns = ["age", "sex", "town"]
    assert Counter(map(tuple, again.table[columns].to_numpy())) == Counter(
        map(tuple, release.table[columns].to_numpy())
    )


@settings(max_examples=150)
@given(
    problem=sensitive_problems(carried=("c", "d", "t")),
    leftover=st.sampled_from(["borrow", "prune"]),
)
def test_requirements_on_sensitive_values_hold(problem, leftover):
    recoding = KACTUS(leftover=leftover).solve(problem)
    table = problem.table
    class_of = recoding.assign(table).class_of.tolist()
    assert min(class_of) >= 0  # nobody is suppressed
    rows = np.vstack([table.codes, *table.carried.values()]).T.tolist()
    classes = defaultdict(list)
    for row, own, records in zip(rows, class_of, table.records.tolist(), strict=True):
        classes[own] += [tuple(row)] * records
    assert all(map(holds_in(problem), classes.values()))


def test_several_requirements_hold_and_too_large_ones_are_refused():
    frame = people(100)
    asked = [ic.KAnonymity(7, on=("age",)), ic.KAnonymity(3, on=("sex", "town"))]
    release = anonymized(frame, k=None, requirements=asked)
    assert min(Counter(release.table["age"]).values()) >= 7
    with pytest.raises(UnsatisfiableError):
        anonymized(frame, k=None, requirements=[*asked, ic.KAnonymity(101)])


def test_a_policy_without_a_target_is_refused():
    with pytest.raises(PolicyError, match="kactus"):
        anonymized(people(20).drop(columns="pay"), target=None)


def test_leftover_is_one_of_two():
    with pytest.raises(ParameterError, match="leftover"):
        KACTUS(leftover="swap")
