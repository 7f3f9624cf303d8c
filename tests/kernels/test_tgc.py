"""The kernels of TGC against their twins, which go record by record."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd import kernels
from incrowd.algorithms.base import Problem
from incrowd.counts import FrequencyTable
from kernel_columns import class_columns, shapes_of
from naive import tgc as naive
from strategies import trees

WEIGHTS = [0.0, 0.25, 0.5, 1.0]
IMPORTANCE = [0.0, 0.5, 1.0, 1.75]


def diverse(codes, values, columns, *weights, **more):
    table = kernels.Table(codes, np.ones(codes.shape[1], np.int64))
    return kernels.DiverseTuples(table, values, shapes_of(columns), *weights, **more)


def silent(done):
    pass


@st.composite
def diverse_tuples(draw, max_tuples=7):
    """Tuples over trees, lines and sets, with up to two sensitive columns; and their twin."""
    hierarchies = tuple(draw(st.lists(trees(), min_size=1, max_size=3)))
    n = draw(st.integers(1, max_tuples))
    codes = np.array(
        [
            draw(st.lists(st.integers(0, tree.n_codes - 1), min_size=n, max_size=n))
            for tree in hierarchies
        ],
        dtype=np.int32,
    )
    table = FrequencyTable(tuple(map(str, range(len(codes)))), codes, np.ones(n, dtype=np.int64))
    problem = Problem(
        table,
        hierarchies,
        (),
        np.ones(len(codes)),
        labels=draw(st.sampled_from(["node", "range", "set"])),
        given=tuple(draw(st.booleans()) for _ in hierarchies),
    )
    contributions, values = [], []
    for _ in range(draw(st.integers(0, 2))):
        n_values = draw(st.integers(1, 4))
        contributions.append(draw(contribution_matrices(n_values)))
        values.append(draw(st.lists(st.integers(0, n_values - 1), min_size=n, max_size=n)))
    given = (
        codes,
        np.array(values, dtype=np.int32).reshape(len(values), n),
        class_columns(problem, "diversity", [1.0] * len(codes)),
        np.array([draw(st.sampled_from(WEIGHTS)) for _ in codes]),
        contributions,
        np.array([draw(st.sampled_from(WEIGHTS)) for _ in values]),
        np.array([draw(st.sampled_from(IMPORTANCE)) for _ in codes]),
        np.array([draw(st.sampled_from(IMPORTANCE)) for _ in values]),
    )
    return diverse(*given), naive.Tuples(*given)


@st.composite
def contribution_matrices(draw, n):
    shares = [0.0, 1 / 7, 0.4, 0.6, 6 / 7]
    matrix = np.eye(n)
    for u in range(n):
        for v in range(u):
            matrix[u, v] = matrix[v, u] = draw(st.sampled_from(shares))
    return matrix


def counts_of(draw, n, most=4):
    return np.array(draw(st.lists(st.integers(1, most), min_size=n, max_size=n)), dtype=np.int64)


def expanded(tuple_of, records):
    return np.repeat(tuple_of, records).tolist()


def by_group(parts, groups):
    """Return the tuples of each group of parts, one for each record."""
    tuple_of, of, records = parts
    return [sorted(expanded(tuple_of[of == each], records[of == each])) for each in groups]


def whole(records):
    n = len(records)
    return np.arange(n, dtype=np.int32), np.zeros(n, dtype=np.int32), records


@given(both=diverse_tuples(), data=st.data())
def test_classes_are_those_of_the_record_by_record_algorithm(both, data):
    tuples, twin = both
    records = counts_of(data.draw, len(twin.codes[0]))
    k = data.draw(st.integers(1, int(records.sum())))
    threshold = data.draw(st.sampled_from([0.0, 0.2, 1 / 3, 0.5, 0.8, 1.0, 3.0]))
    random, seed = data.draw(st.booleans()), data.draw(st.integers(0, 2**63 - 1))
    parts, classes = kernels.tgc(tuples, *whole(records), k, threshold, random, seed, 2, silent)
    accepted, rejected = naive.threshold_greedy(
        twin, expanded(whole(records)[0], records), k, threshold, random=random, seed=seed
    )
    assert classes == len(accepted)
    assert by_group(parts, range(classes)) == accepted
    assert by_group(parts, [-1]) == [sorted(rejected)]


@pytest.mark.parametrize("weights", [(0.1, 0.7), (0.7, 0.1), (0.3, 0.6), (1 / 3, 2 / 3)])
@given(data=st.data())
def test_true_ties_go_to_the_first_whatever_rounding_says(weights, data):
    """Against the twin in fractions, which add up without rounding."""
    n = data.draw(st.integers(2, 7))
    codes = np.array([data.draw(st.permutations(range(n))) for _ in range(3)], dtype=np.int32)
    places = np.arange(n) / 10
    columns = [(naive.LINE, n, places, 1.0) for _ in codes]
    values = np.array([data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))], np.int32)
    near = np.array([[1.0, 0.7, 0.1], [0.7, 1.0, 0.4], [0.1, 0.4, 1.0]])
    shares = np.array([0.1, 0.2, 0.7]) * weights[0]
    given = (
        codes, values, columns, shares, [near], np.array([weights[1]]), np.ones(3), np.ones(1)
    )  # fmt: skip
    tuples, twin = diverse(*given), naive.Tuples(*given).in_fractions()
    records = counts_of(data.draw, n, most=2)
    everyone = expanded(whole(records)[0], records)
    threshold = data.draw(st.sampled_from([0.3, 0.5, 0.8]))
    parts, classes = kernels.tgc(tuples, *whole(records), 2, threshold, False, 0, 1, silent)
    accepted, rejected = naive.threshold_greedy(twin, everyone, 2, threshold)
    assert by_group(parts, range(classes)) == accepted
    found = kernels.tgc_subspaces(tuples, records, np.ones(3), 1, np.inf, 0)
    assert by_group(found, range(int(found[1].max()) + 1)) == naive.pre_partition(
        twin, everyone, [1, 1, 1], 1, np.inf, 0
    )
    if not accepted:
        return
    total = data.draw(st.booleans())
    placed = kernels.tgc_reassign(
        tuples, *parts, np.zeros(len(parts[0]), np.int32), classes, total, 0, silent
    )
    members = [[(each, row.count(each)) for each in sorted(set(row))] for row in accepted]
    homeless = [(each, 0) for each in sorted(rejected)]
    assert by_group(placed, range(classes)) == naive.reassign(twin, members, homeless, total=total)


@given(both=diverse_tuples(), data=st.data())
def test_subspaces_are_clustered_on_their_own_whatever_the_threads(both, data):
    tuples, twin = both
    n = len(twin.codes[0])
    subspace_of = np.sort(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    given = (np.arange(n, dtype=np.int32), subspace_of.astype(np.int32), counts_of(data.draw, n))
    results = [
        kernels.tgc(tuples, *given, 2, 0.6, True, 5, threads, silent) for threads in (1, 2, 3)
    ]
    for parts, classes in results[1:]:
        assert classes == results[0][1]
        assert [each.tolist() for each in parts] == [each.tolist() for each in results[0][0]]
    parts, _ = results[0]
    first = 0
    for subspace in sorted(set(subspace_of.tolist())):
        inside = given[1] == subspace
        accepted, rejected = naive.threshold_greedy(
            twin, expanded(given[0][inside], given[2][inside]), 2, 0.6,
            random=True, seed=5, subspace=subspace,
        )  # fmt: skip
        assert by_group(parts, range(first, first + len(accepted))) == accepted
        lost = (parts[1] < 0) & np.isin(parts[0], given[0][inside])
        assert sorted(expanded(parts[0][lost], parts[2][lost])) == sorted(rejected)
        first += len(accepted)


@given(both=diverse_tuples(), data=st.data())
def test_rejected_records_go_where_the_twin_puts_them(both, data):
    tuples, twin = both
    n = len(twin.codes[0])
    records = counts_of(data.draw, n, most=3)
    drawn = data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))
    present = sorted(set(drawn) - {-1})
    if not present:
        drawn, present = [0, *drawn[1:]], [0]
    class_of = np.array([present.index(each) if each >= 0 else -1 for each in drawn], np.int32)
    home = np.array(
        data.draw(st.lists(st.integers(0, len(present)), min_size=n, max_size=n)), np.int32
    )
    total, nearest = data.draw(st.booleans()), data.draw(st.integers(0, 2))
    parts = kernels.tgc_reassign(
        tuples, np.arange(n, dtype=np.int32), class_of, records, home, len(present), total,
        nearest, silent,
    )  # fmt: skip
    classes = [
        [(i, int(records[i])) for i in range(n) if class_of[i] == each]
        for each in range(len(present))
    ]
    rejected = [
        (i, int(home[i])) for i in range(n) if class_of[i] < 0 for _ in range(int(records[i]))
    ]
    expected = naive.reassign(twin, classes, rejected, total=total, nearest=nearest)
    assert by_group(parts, range(len(present))) == expected
    assert parts[2].sum() == records.sum()


@given(both=diverse_tuples(max_tuples=9), data=st.data())
def test_subspaces_are_the_halves_of_stable_sorts(both, data):
    tuples, twin = both
    records = counts_of(data.draw, len(twin.codes[0]))
    widths = np.array([data.draw(st.sampled_from([0.0, 1.0, 7.0])) for _ in twin.codes])
    size = data.draw(st.integers(1, 6))
    most = data.draw(st.sampled_from([0.3171, 0.7171, 1.3171, np.inf]))
    limit = data.draw(st.sampled_from([0, 5, 10, 100]))
    found = kernels.tgc_subspaces(tuples, records, widths, size, most, limit)
    expected = naive.pre_partition(
        twin, expanded(np.arange(len(records)), records), widths, size, most, limit
    )
    assert by_group(found, range(int(found[1].max()) + 1)) == expected
    assert (np.diff(found[1]) >= 0).all()


@given(both=diverse_tuples(), data=st.data())
def test_diversities_are_those_of_the_definitions(both, data):
    tuples, twin = both
    n = len(twin.codes[0])
    drawn = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    class_of = np.unique(drawn, return_inverse=True)[1].astype(np.int32)
    records = counts_of(data.draw, n)
    classes = int(class_of.max()) + 1
    parts = (np.arange(n, dtype=np.int32), class_of, records)
    quasi, sensitive, weighted = kernels.tgc_diversities(tuples, *parts, classes)
    for at, members in enumerate(by_group(parts, range(classes))):
        q, s = naive.quasi(twin, members), naive.sensitive(twin, members)
        assert quasi[at] == pytest.approx(np.dot(twin.column_importance, q))
        assert sensitive[at] == pytest.approx(np.dot(twin.sensitive_importance, s))
        expected = np.dot(twin.column_weights, q) + np.dot(twin.sensitive_weights, s)
        assert weighted[at] == pytest.approx(expected)


COLUMN = (naive.SET, 2, np.array([0.0, 0.5, 1.0]))
GOOD = {
    "codes": np.array([[0, 1]], dtype=np.int32),
    "values": np.array([[0, 0]], dtype=np.int32),
    "columns": [COLUMN],
    "column_weights": np.array([1.0]),
    "contributions": [np.eye(1)],
    "sensitive_weights": np.array([1.0]),
    "column_importance": np.array([1.0]),
    "sensitive_importance": np.array([1.0]),
}


@pytest.mark.parametrize(
    "damaged",
    [
        {"codes": np.array([[0, 2]], dtype=np.int32)},
        {"codes": np.array([[0, 1], [0, 1]], dtype=np.int32)},
        {"values": np.array([[0, 1]], dtype=np.int32)},
        {"values": np.array([[0, -1]], dtype=np.int32)},
        {"values": np.array([[0]], dtype=np.int32)},
        {"values": np.zeros((0, 2), dtype=np.int32)},
        {"column_weights": np.array([-1.0])},
        {"column_weights": np.array([np.nan])},
        {"column_weights": np.array([])},
        {"sensitive_weights": np.array([-1.0])},
        {"sensitive_weights": np.array([])},
        {"column_importance": np.array([-1.0])},
        {"column_importance": np.array([])},
        {"sensitive_importance": np.array([np.nan])},
        {"sensitive_importance": np.array([])},
        {"contributions": [np.ones((1, 2))]},
    ],
)
def test_tuples_that_do_not_fit_together_are_refused(damaged):
    diverse(**GOOD)
    with pytest.raises(ValueError, match="DiverseTuples"):
        diverse(**{**GOOD, **damaged})


def arrays(*columns):
    kinds = (np.int32, np.int32, np.int64)
    return [np.array(each, dtype=kind) for each, kind in zip(columns, kinds, strict=True)]


@pytest.mark.parametrize(
    ("parts", "k"),
    [
        (([0, 2], [0, 0], [1, 1]), 1),
        (([0, -1], [0, 0], [1, 1]), 1),
        (([0, 1], [1, 0], [1, 1]), 1),
        (([0, 1], [-1, 0], [1, 1]), 1),
        (([0, 1], [0, 0], [1, 0]), 1),
        (([0, 1], [0], [1, 1]), 1),
        (([0, 1], [0, 0], [1, 1]), 0),
    ],
)
def test_parts_out_of_range_are_refused(parts, k):
    tuples = diverse(**GOOD)
    with pytest.raises(ValueError, match=r"parts|tgc"):
        kernels.tgc(tuples, *arrays(*parts), k, 0.5, False, 0, 1, silent)


def test_classes_and_homes_that_do_not_exist_are_refused():
    tuples = diverse(**GOOD)
    home = np.zeros(2, dtype=np.int32)
    good = arrays([0, 1], [0, -1], [1, 1])
    kernels.tgc_reassign(tuples, *good, home, 1, True, 0, silent)
    for parts, homes, classes in [
        (good, home, 0),
        (good, home, 2),
        (good, home[:1], 1),
        (good, home + 2, 1),
        (arrays([0, 1], [1, -1], [1, 1]), home, 1),
    ]:
        with pytest.raises(ValueError, match=r"parts|tgc_reassign"):
            kernels.tgc_reassign(tuples, *parts, homes, classes, True, 0, silent)


def test_partitions_that_make_no_sense_are_refused():
    tuples = diverse(**GOOD)
    ones = np.ones(2, dtype=np.int64)
    for records, widths, size in [
        (ones[:1], np.ones(1), 1),
        (-ones, np.ones(1), 1),
        (ones, np.ones(2), 1),
        (ones, np.ones(1), 0),
    ]:
        with pytest.raises(ValueError, match="tgc_subspaces"):
            kernels.tgc_subspaces(tuples, records, widths, size, 1.0, 0)


@pytest.mark.parametrize("threads", [1, 2])
def test_what_the_report_raises_ends_the_search(threads):
    n = 40_000  # about a second, if nobody stopped it
    column = (naive.SET, n, np.linspace(0, 1, n + 1))
    tuples = diverse(
        np.arange(n, dtype=np.int32)[None, :],
        np.zeros((1, n), dtype=np.int32),
        [column],
        np.array([0.5]),
        [np.eye(1)],
        np.array([0.5]),
        np.array([1.0]),
        np.array([1.0]),
    )

    def stop(done):
        raise KeyboardInterrupt

    subspace_of = np.arange(n, dtype=np.int32) // 20_000
    with pytest.raises(KeyboardInterrupt):
        kernels.tgc(
            tuples, np.arange(n, dtype=np.int32), subspace_of, np.ones(n, dtype=np.int64),
            1, 0.5001, False, 0, threads, stop,
        )  # fmt: skip
