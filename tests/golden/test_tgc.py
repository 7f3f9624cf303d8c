"""The examples of the paper on TGC, and what it claims on Adult."""

import csv
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from adult_data import adult_folder
from incrowd import kernels
from incrowd.algorithms.clustering.tgc.pre_partitioning import pre_partitioned
from incrowd.algorithms.clustering.tgc.tuples import diverse_tuples
from incrowd.counts import SensitiveColumn
from incrowd.engines import engine_for
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.metrics.contributions import contributions
from incrowd.release.problem import state_problem
from incrowd.schema import policy_from_mapping

FOLDER = Path(__file__).parent / "tgc"
EIGHT = json.loads((FOLDER / "eight_rows.json").read_text("utf-8"))
DISEASES = json.loads((FOLDER / "diseases.json").read_text("utf-8"))
BOTH = (0.5, 0.5)


def problem_of(table, columns, k):
    policy = policy_from_mapping(
        {"columns": columns, "requirements": [{"k_anonymity": k}], "release": {"labels": "range"}}
    )
    return state_problem(engine_for(table), policy, ("sensitive",)).problem


@pytest.fixture(scope="module")
def eight_rows():
    cells = {name: [row[at] for row in EIGHT["rows"]] for at, name in enumerate(EIGHT["columns"])}
    columns = {name: {"role": "quasi-identifier"} for name in EIGHT["columns"][:3]}
    return problem_of(pa.table(cells), {**columns, "salary": {"role": "sensitive"}}, 2)


def tuples_of_rows(problem):
    """Every row of the example is a tuple of its own: which one."""
    columns = zip(problem.hierarchies, zip(*EIGHT["rows"], strict=True), strict=False)
    codes = np.stack([tree.match([*map(str, cells)]) for tree, cells in columns], axis=1)
    return np.array([problem.table.codes.T.tolist().index(row) for row in codes.tolist()])


def in_row_order(problem, weights=BOTH):
    """The tuples as the rows stand."""
    table = problem.table.at(tuples_of_rows(problem))
    return diverse_tuples(replace(problem, table=table), weights, 1.0)


def groups_of(tuple_of, group_of):
    """Return the rows of each group, numbered from 1 as in the paper."""
    return [sorted((tuple_of[group_of == each] + 1).tolist()) for each in range(group_of.max() + 1)]


@pytest.mark.parametrize(
    ("width", "protection", "expected"),
    [("raw", 9.0, "groups"), ("normalised", 9.0, "normalised"), ("raw", 0.99, "protected")],
)
def test_table_3_is_what_pre_partitioning_makes_of_table_2(eight_rows, width, protection, expected):
    found = pre_partitioned(
        eight_rows,
        in_row_order(eight_rows),
        eight_rows.table.records,
        width=width,
        size=2,
        protection=protection,
        largest=10,
    )
    assert groups_of(found.tuple_of, found.class_of) == EIGHT["table_3"][expected]


@pytest.mark.parametrize(("utility", "protection", "threshold"), EIGHT["table_4"]["thresholds"])
def test_table_4_is_what_clustering_makes_of_table_2(eight_rows, utility, protection, threshold):
    tuples = in_row_order(eight_rows, (utility, protection))
    rows = len(EIGHT["rows"])
    one_subspace = np.zeros(rows, dtype=np.int32)
    (tuple_of, class_of, _), classes = kernels.tgc(
        tuples,
        np.arange(rows, dtype=np.int32),
        one_subspace,
        eight_rows.table.records,
        2,
        float(Fraction(threshold)),
        False,
        0,
        1,
        lambda done: None,
    )
    assert classes == 4
    assert groups_of(tuple_of, class_of) == EIGHT["table_4"]["groups"]


@pytest.mark.parametrize("threshold", ["1/12", "0.15"])
def test_table_4_comes_out_of_the_algorithm_too(eight_rows, threshold):
    as_printed = {"order": "canonical", "approach": "direct"}
    parts = ic.TGCU(threshold=float(Fraction(threshold)), **as_printed).solve(eight_rows).parts
    row_of = np.argsort(tuples_of_rows(eight_rows))
    assert groups_of(row_of[parts.tuple_of], parts.class_of) == EIGHT["table_4"]["groups"]
    wider = ic.TGCU(threshold=1 / 6, **as_printed).solve(eight_rows)
    assert wider.parts.n_classes < 4


@pytest.mark.parametrize("table", ["table_3", "table_4"])
def test_utility_and_protection_of_both_tables(eight_rows, table):
    groups = EIGHT[table]["groups"]
    class_of = np.empty(len(EIGHT["rows"]), dtype=np.int32)
    for at, rows in enumerate(groups):
        class_of[np.array(rows) - 1] = at
    quasi, sensitive, _ = kernels.tgc_diversities(
        in_row_order(eight_rows),
        np.arange(len(class_of), dtype=np.int32),
        class_of,
        eight_rows.table.records,
        len(groups),
    )
    assert quasi.mean() == pytest.approx(EIGHT[table]["utility"])
    assert sensitive.mean() == pytest.approx(EIGHT[table]["protection"])


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("group", DISEASES["groups"])
def test_s_diversity_of_diseases(group, at):
    tree = hierarchy_from_rows([tuple(row) for row in DISEASES["hierarchy"]])
    column = SensitiveColumn("disease", tree.leaves, tree)
    shared = contributions(column, DISEASES["ranges"][at])
    members = tree.match(DISEASES["groups"][group])
    n = len(members)
    tuples = kernels.DiverseTuples(
        kernels.Table(np.zeros((0, n), dtype=np.int32), np.ones(n, dtype=np.int64)),
        members[None, :],
        kernels.Shapes(),
        np.zeros(0),
        [shared],
        np.ones(1),
        np.zeros(0),
        np.ones(1),
    )
    _, found, _ = kernels.tgc_diversities(
        tuples,
        np.arange(n, dtype=np.int32),
        np.zeros(n, dtype=np.int32),
        np.ones(n, dtype=np.int64),
        1,
    )
    assert found[0] == pytest.approx(DISEASES["s_diversity"][group][at])


def test_the_examples_are_the_known_ones():
    known = json.loads((FOLDER / "examples.json").read_text("utf-8"))
    assert EIGHT["rows"] == known["table2"]["rows"]
    assert EIGHT["table_3"]["groups"] == known["algorithm2_table3"]["expected_groups"]
    assert EIGHT["table_4"]["groups"] == known["algorithm1_table4"]["expected_groups"]
    for group, expected in DISEASES["s_diversity"].items():
        assert expected == [
            known["s_diversity"]["expected"][f"{group},r={at}"] for at in DISEASES["ranges"]
        ]


@pytest.fixture(scope="module")
def adult():
    """Adult as in the paper: two sensitive columns, occupations as numbers in leaf order."""
    folder = adult_folder()
    with open(folder / "adult.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    trees = {name: str((folder / f"adult_hierarchy_{name}.csv").resolve()) for name in rows[0]}
    leaves = ic.read_hierarchy(trees["occupation"]).leaves
    cells = {name: [row[name] for row in rows] for name in rows[0] if name != "education"}
    cells["occupation"] = [leaves.index(text) for text in cells["occupation"]]
    columns = {"age": {"role": "quasi-identifier"}}
    for name in ("sex", "race", "workclass", "native-country", "salary-class"):
        columns[name] = {"role": "quasi-identifier", "hierarchy": trees[name]}
    columns["marital-status"] = {"role": "sensitive", "hierarchy": trees["marital-status"]}
    columns["occupation"] = {"role": "sensitive"}
    return pa.table(cells), columns


@pytest.mark.parametrize("k", [5, 10, 25])
def test_what_is_weighed_is_what_is_gained_on_adult(adult, k):
    problem = problem_of(*adult, k)
    tuples = diverse_tuples(problem, BOTH, 1.0)
    utility, protection = [], []
    for algorithm in (ic.TGCU, ic.TGCB, ic.TGCP):
        released = algorithm().solve(problem).assign(problem.table, problem.hierarchies)
        assert released.class_sizes.min() >= k
        quasi, sensitive, _ = kernels.tgc_diversities(
            tuples, released.tuple_of, released.class_of, released.records, released.n_classes
        )
        utility.append(quasi.mean())
        protection.append(sensitive.mean())
    assert utility == sorted(utility)
    assert protection == sorted(protection, reverse=True)
    assert len(set(utility)) == len(set(protection)) == 3
