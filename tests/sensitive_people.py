"""Problems with requirements on sensitive values, and whether people meet them, one by one."""

from collections import Counter, defaultdict

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from incrowd.algorithms import Problem
from incrowd.counts import Target, count_tuples
from incrowd.errors import IncrowdError
from incrowd.requirements import AlphaK, BetaLikeness, KAnonymity, LDiversity, TCloseness
from naive import sensitive_values as naive
from strategies import k_anonymities, trees

TEXTS = {"c": ("1", "2", "4"), "d": ("x", "y"), "t": ("yes", "no", None)}
TARGET = Target("t", TEXTS["t"])

_known = st.sampled_from([(), (), ("d",)])
sensitive = st.one_of(
    st.builds(LDiversity, st.integers(2, 3), st.just("c"), known=_known),
    st.builds(
        LDiversity,
        st.sampled_from([1.5, 2, 2.5]),
        st.just("c"),
        variant=st.just("entropy"),
        known=_known,
    ),
    st.builds(
        LDiversity,
        st.integers(2, 3),
        st.just("c"),
        variant=st.just("recursive"),
        c=st.sampled_from([0.5, 1, 2, 3.5]),
        known=_known,
    ),
    st.builds(
        TCloseness,
        st.sampled_from([0.1, 0.25, 0.4, 0.6]),
        st.just("c"),
        distance=st.sampled_from(["equal", "ordered"]),
        known=_known,
    ),
    st.builds(
        AlphaK, st.sampled_from([0.4, 0.5, 0.75]), st.integers(1, 3), st.just("c"), known=_known
    ),
    st.builds(
        BetaLikeness,
        st.sampled_from([0.5, 1, 2]),
        st.just("c"),
        variant=st.sampled_from(["basic", "enhanced"]),
        known=_known,
    ),
)


@st.composite
def sensitive_problems(draw, *, carried=("c", "d"), max_tuples=18):
    """Problems that ask for one or two requirements on sensitive values, and perhaps for sizes."""
    hierarchies = tuple(draw(st.lists(trees(max_height=2), min_size=1, max_size=3)))
    sizes = [tree.n_codes for tree in hierarchies]
    key = [st.integers(0, size - 1) for size in [*sizes, *(len(TEXTS[name]) for name in carried)]]
    rows = draw(st.lists(st.tuples(*key), min_size=1, max_size=max_tuples, unique=True))
    counts = draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    codes = np.array(rows, dtype=np.int32).T
    table, _ = count_tuples(
        tuple(f"column {j}" for j in range(len(sizes))),
        codes[: len(sizes)],
        sizes,
        records=np.array(counts, dtype=np.int64),
        carried=dict(zip(carried, codes[len(sizes) :], strict=True)),
        carried_values={name: TEXTS[name] for name in carried},
    )
    asked = draw(st.lists(sensitive, min_size=1, max_size=2))
    asked += draw(st.sampled_from([[], draw(k_anonymities(table.columns, table.n_records, 1))]))
    target = TARGET if "t" in carried else None
    problem = Problem(table, hierarchies, tuple(asked), np.ones(len(sizes)), target=target)
    try:
        problem.check_reachable()
    except IncrowdError:
        assume(False)
    return problem


def holds_in(problem):
    """Return whether a list of people meets every requirement of a problem.

    A person is a tuple of codes, followed by what the table carries.
    """
    table = problem.table
    place = {name: len(table.columns) + at for at, name in enumerate(table.carried)}
    everyone = Counter()
    if "c" in table.carried_values:
        for code, records in zip(table.carried["c"].tolist(), table.records.tolist(), strict=True):
            everyone[TEXTS["c"][code]] += records

    def one_holds(each, people):
        if isinstance(each, KAnonymity):
            return len(people) >= each.k
        if hasattr(each, "holds"):  # a plug-in of the tests
            return each.holds([person[place[each.column]] for person in people])
        parts = defaultdict(Counter)
        for person in people:
            known = tuple(person[place[name]] for name in each.known)
            parts[known][TEXTS[each.column][person[place[each.column]]]] += 1
        return all(value_twin(each, own, everyone) for own in parts.values())

    return lambda people: all(one_holds(each, people) for each in problem.requirements)


def value_twin(each, own, everyone):
    """Return whether a class with these values holds a requirement on them."""
    if isinstance(each, LDiversity):
        if each.variant == "entropy":
            return naive.entropy(own, l=each.l)
        if each.variant == "recursive":
            return naive.recursive(own, l=each.l, c=each.c)[0]
        return naive.distinct(own, l=each.l)[0]
    if isinstance(each, AlphaK):
        return naive.alpha_k(own, alpha=each.alpha, k=each.k)[0]
    if isinstance(each, BetaLikeness):
        return naive.beta_likeness(own, everyone, beta=each.beta, variant=each.variant)[0]
    distance = {"equal": naive.equal, "ordered": naive.ordered}[each.distance]
    return distance(own, everyone, t=each.t)[0]
