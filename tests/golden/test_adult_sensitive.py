"""Adult with a sensitive occupation: the optima that ARX finds too, and one that it misses."""

import pytest

import incrowd as ic
from adult_data import adult_folder
from incrowd.algorithms.full_domain import Lattice
from incrowd.release.problem import open_run

COLUMNS = (
    *("sex", "age", "race", "marital-status", "education"),
    *("native-country", "workclass", "salary-class"),
)
DISTINCT = ic.LDiversity(3, "occupation")
ENTROPY = ic.LDiversity(3, "occupation", variant="entropy")
RECURSIVE = ic.LDiversity(3, "occupation", variant="recursive", c=4)
CLOSE = ic.TCloseness(0.2, "occupation")


def problem(requirement):
    policy = ic.policy(
        quasi_identifiers={
            name: str(adult_folder() / f"adult_hierarchy_{name}.csv") for name in COLUMNS
        },
        sensitive=["occupation"],
        other_columns="drop",
        requirements=[ic.KAnonymity(5), requirement],
    )
    return open_run(adult_folder() / "adult.csv", policy).problem


# The figures for entropy are ours: ARX 3.9.2 prints 0.215449 and suppresses 1,180 records, because
# its logarithms round a class with counts 2, 2, 2 away, whose entropy is ln 3 exactly.
@pytest.mark.parametrize(
    ("requirement", "loss", "suppressed", "classes", "most_nodes"),
    [
        (DISTINCT, 0.171702, 1400, 387, 100),
        (ENTROPY, 0.215277, 1174, 262, 200),
        (RECURSIVE, 0.209361, 1408, 378, 200),
        (CLOSE, 0.815003, 235, 6, 150),
    ],
    ids=["distinct", "entropy", "recursive", "t equal"],
)
def test_the_optimum_is_the_known_one(requirement, loss, suppressed, classes, most_nodes):
    asked = problem(requirement)
    search = ic.Flash(suppression_limit=0.05, objective="loss_geometric")
    found = search.solve(asked)
    assert found.found.optimal
    assert found.found.checked <= most_nodes
    lattice = Lattice(asked, objective="loss_geometric", suppression_limit=0.05)
    assert lattice.value(found.levels) == pytest.approx(loss, abs=5e-7)
    assignment = found.assign(asked.table)
    assert (assignment.n_suppressed, assignment.n_classes) == (suppressed, classes)


def test_looking_at_every_node_finds_no_better_one():
    asked = problem(ENTROPY)
    every = ic.Exhaustive(suppression_limit=0.05, objective="loss_geometric").solve(asked)
    best = ic.Flash(suppression_limit=0.05, objective="loss_geometric").solve(asked)
    assert every.levels == best.levels
