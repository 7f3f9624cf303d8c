"""What becomes of columns that a few records keep from being refined: a note, and two ways out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import TDR, TDS
from incrowd.algorithms.subtree.tdr.tails import tail_of
from incrowd.errors import ParameterError
from refined_people import check_against_people, problems

RANDOM = np.random.default_rng(0)


def numbers(n=4000):
    level = RANDOM.normal(size=n).round(3)
    ill = np.where(level + RANDOM.normal(size=n) > 0, "yes", "no")
    return pd.DataFrame({"level": level, "ill": ill})


def released(frame, algorithm, tree=None, **options):
    return ic.anonymize(
        frame, quasi_identifiers={"level": tree}, target="ill", algorithm=algorithm,
        **({"k": 10} | options),
    )  # fmt: skip


@pytest.mark.parametrize("algorithm", [TDR, TDS])
def test_outer_intervals_block_the_first_step_and_may_be_suppressed(algorithm):
    frame, tree = numbers(), ic.intervals(1)
    release = released(frame, algorithm(), tree)
    assert release.facts["cuts"] == {"level": ["*"]}
    (note,) = (each for each in release.notes if "released as its root" in each)
    assert "suppression_limit" in note
    past = released(frame, algorithm(suppression_limit=0.01), tree)
    assert 0 < past.facts["suppressed"] <= 40
    assert len(past.facts["cuts"]["level"]) > 4
    assert not any("released as its root" in each for each in past.notes)
    too_little = released(frame, algorithm(suppression_limit=0.0003), tree)
    assert too_little.facts["cuts"] == {"level": ["*"]}


@pytest.mark.parametrize("algorithm", [TDR, TDS])
def test_a_cut_that_parts_off_few_is_passed_over_if_asked(algorithm):
    """Three people of the rare class at the end: the cut there tells most, and shows three."""
    level = [1] * 3 + [2] * 100 + [3] * 100
    ill = ["yes"] * 4 + ["no"] * 99 + ["yes"] * 9 + ["no"] * 91
    frame = pd.DataFrame({"level": level, "ill": ill})
    release = released(frame, algorithm(), k=5)
    assert release.facts["cuts"] == {"level": ["*"]}
    (note,) = (each for each in release.notes if "released as its root" in each)
    assert "parts off 3 of 203" in note
    assert "min_child = 50" in note
    past = released(frame, algorithm(min_child=5), k=5)
    assert len(past.facts["cuts"]["level"]) > 1
    assert past.facts["suppressed"] == 0
    assert not any("released as its root" in each for each in past.notes)


@pytest.mark.parametrize(("k", "named"), [(60, "min_child = 60 tries"), (150, None)])
def test_no_cut_is_named_that_the_table_cannot_have(k, named):
    """Of 203 people no 600 are on either side of a cut, and for k = 150 nothing can be cut."""
    level = [1] * 3 + [2] * 100 + [3] * 100
    ill = ["yes"] * 4 + ["no"] * 99 + ["yes"] * 9 + ["no"] * 91
    release = released(pd.DataFrame({"level": level, "ill": ill}), TDR(), k=k)
    (note,) = (each for each in release.notes if "parts off 3 of 203" in each)
    assert named in note if named else "min_child" not in note
    if named:
        assert len(released(pd.DataFrame({"level": level, "ill": ill}), TDR(min_child=k), k=k)
                   .facts["cuts"]["level"]) > 1  # fmt: skip


def test_missing_cells_may_be_in_the_way_of_intervals():
    level = [1.0] * 20 + [2.0] * 20 + [None] * 2
    frame = pd.DataFrame({"level": level, "ill": ["yes"] * 20 + ["no"] * 22})
    release = released(frame, TDR(), k=5)
    assert any("2 records that are no numbers" in each for each in release.notes)
    past = released(frame, TDR(suppression_limit=0.05), k=5)
    assert set(past.table["level"].dropna()) == {"< 2", ">= 2"}
    assert past.facts["suppressed"] == 2


def test_a_column_that_tells_nothing_is_not_spoken_of():
    frame = numbers().assign(ill="no")
    assert not any("as its root" in each for each in released(frame, TDR(), ic.intervals(1)).notes)


@settings(max_examples=80)
@given(problem=problems(), limit=st.sampled_from([0.0, 0.05, 0.2, 0.5, 1.0]))
def test_no_more_is_suppressed_than_the_limit_says(problem, limit):
    for algorithm, disclose in ((TDR(suppression_limit=limit), "score"), (TDS(), None)):
        algorithm = replace(algorithm, suppression_limit=limit)
        recoding = algorithm.solve(problem)
        fell = recoding.assign(problem.table, problem.hierarchies).n_suppressed
        assert fell <= limit * problem.table.n_records
        if not fell and limit == 0.0:
            check_against_people(problem, algorithm, disclose)


@settings(max_examples=50)
@given(problem=problems(), most=st.integers(0, 40))
def test_a_tail_is_what_is_in_the_way_and_there_is_room_for(problem, most):
    covered = np.flatnonzero(problem.is_covered).tolist()
    trees = [False] * len(covered)
    tail = tail_of(problem, covered, trees, most)
    gone = int(problem.table.records[tail].sum())
    assert gone <= most
    if tail.all():
        return
    left = replace(problem, table=problem.table.at(np.flatnonzero(~tail)))
    assert not tail_of(left, covered, trees, most - gone).any()
    if most >= problem.table.n_records:  # then nothing is in the way any more
        for j in covered:
            least = max(each.minimum_size for each in left.requirements if j in left.covered(each))
            nodes = left.hierarchies[j].nodes
            codes, records = left.table.codes[j], left.table.records
            sizes = [
                int(records[(low <= codes) & (codes < high)].sum())
                for low, high in zip(nodes.low.tolist(), nodes.high.tolist(), strict=True)
            ]
            assert all(
                sizes[at] == 0 or sizes[at] >= least or sizes[above] < least
                for at, above in enumerate(nodes.parent.tolist())
            )


def test_iack_says_when_nobody_would_be_left():
    n = 2000
    frame = numbers(n).assign(noise=RANDOM.normal(size=n).round(4))
    columns = ["level", "noise"]

    def asked(algorithm):
        return ic.anonymize(frame, quasi_identifiers=columns, target="ill", k=10,
                            algorithm=algorithm)  # fmt: skip

    for algorithm, way_out in ((ic.IACk(), "leftover ="), (ic.IACc(), 'algorithm "iack"')):
        release = asked(algorithm)
        assert release.facts["classes"] == 1
        (note,) = (each for each in release.notes if "every record would be suppressed" in each)
        assert way_out in note
    past = asked(ic.IACk(leftover="generalise"))
    assert past.facts["classes"] > 1
    assert not any("every record would be" in each for each in past.notes)


@pytest.mark.parametrize("algorithm", [TDR, TDS])
@pytest.mark.parametrize(
    "parameters",
    [{"min_child": 0}, {"min_child": 1.5}, {"min_child": True}, {"suppression_limit": 2},
     {"suppression_limit": -0.1}, {"suppression_limit": "1%"}],
)  # fmt: skip
def test_parameters_are_checked(algorithm, parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        algorithm(**parameters)
