"""TDR and TDS over tuples that are elsewhere: the same steps, and few tuples looked at."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import TDR, TDS
from incrowd.algorithms.elsewhere import TooManyTuplesError, solved_elsewhere
from incrowd.datasets import census, census_hierarchies
from incrowd.engines import engine_for
from incrowd.errors import ParameterError
from incrowd.release.problem import state_problem
from refined_people import problems
from tuples_here import check_metrics, elsewhere, in_order, shown

CHOICES = {
    "criterion": ("score", "infogain"),
    "average": ("containing", "all"),
    "beneficial": ("gain", "classes"),
    "min_child": (1, 2, 4),
}


def check_same(algorithm, problem, most):
    """Hold a search over tuples elsewhere to the one over the tuples themselves."""
    problem = in_order(problem)
    stated, tuples = elsewhere(problem, most)
    wanted = algorithm.solve(problem)
    found, counted = solved_elsewhere(algorithm, stated, tuples)
    assert found.to_text() == wanted.to_text()
    assert found.found.facts == wanted.found.facts
    assert shown(found.assign(counted.table)) == shown(wanted.assign(problem.table))
    check_metrics(problem, wanted, counted.table)
    assert counted.table.n_tuples <= most
    return tuples


@pytest.mark.kernel
@settings(max_examples=200)
@given(problem=problems(), data=st.data())
def test_every_step_is_the_same(problem, data):
    chosen = {name: data.draw(st.sampled_from(each)) for name, each in CHOICES.items()}
    algorithm = data.draw(st.sampled_from([TDR(**chosen), TDS(**chosen)]))
    check_same(algorithm, problem, problem.table.n_tuples)


@pytest.fixture(scope="module")
def people():
    """A census of which hardly two people are alike."""
    table = census(6_000, seed=3)
    wage = 1_000 + 37 * np.arange(6_000) % 4_001
    return table.append_column("wage", [wage]).append_column("size", [wage % 97])


def stated(people, *requirements):
    """Return the problem of the census: two columns of numbers are cut into intervals."""
    hierarchies = census_hierarchies()
    named = ("education", "marital_status", "country")
    policy = ic.policy(
        quasi_identifiers={
            "age": None, "wage": None, **{name: {"rows": hierarchies[name]} for name in named},
        },
        sensitive=["disease"], target="income", other_columns="drop",
        requirements=[ic.KAnonymity(2), *requirements],
    )  # fmt: skip
    return state_problem(engine_for(people), policy, ["target"]).problem


@pytest.mark.parametrize("algorithm", [TDR(), TDS(), TDR(beneficial="classes", min_child=5)])
@pytest.mark.parametrize(
    "asked", [(), (ic.LDiversity(3, "disease"),), (ic.TCloseness(0.3, "disease"),)]
)
def test_few_tuples_are_looked_at(people, algorithm, asked):
    problem = stated(people, *asked)
    assert problem.table.n_tuples > 5_900
    tuples = check_same(algorithm, problem, 2_100)
    assert len(tuples.asked) > 1  # it was counted anew
    assert max(tuples.asked) > 2_100  # and looked less far ahead where that would be too many


def test_too_many_tuples_are_refused(people):
    problem, tuples = elsewhere(stated(people), 30)
    with pytest.raises(TooManyTuplesError):
        solved_elsewhere(TDR(), problem, tuples)


def test_what_needs_the_tuples_is_refused(people):
    problem, tuples = elsewhere(stated(people), 2_500)
    with pytest.raises(ParameterError, match="suppression_limit") as caught:
        solved_elsewhere(TDR(suppression_limit=0.1), problem, tuples)
    assert "collect_limit" in caught.value.hint
