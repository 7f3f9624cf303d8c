"""The synthetic census: its shape, its dependencies, and that it never changes."""

import hashlib
import subprocess
import sys
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.datasets import census
from incrowd.datasets.census import batches, draw, plain
from incrowd.datasets.tables import CENSUS
from incrowd.errors import ParameterError

NINE = [name for name in CENSUS if name != "disease"]
QUASI_IDENTIFIERS = [name for name in NINE if name != "income"]


@pytest.fixture(scope="module")
def million():
    return draw(0, 1_000_000, 0)


def packed(rows, names):
    keys = np.zeros(len(rows["age"]), dtype=np.int64)
    for name in names:
        keys = keys * len(CENSUS[name].values) + rows[name]
    return keys


def mutual_information(left, right):
    joint = np.zeros((int(left.max()) + 1, int(right.max()) + 1))
    np.add.at(joint, (left, right), 1 / len(left))
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log2(joint[seen] / independent[seen])).sum())


def test_domains_have_the_expected_sizes_and_all_values_occur(million):
    sizes = {name: len(np.unique(column)) for name, column in million.items()}
    assert sizes == {
        **{"sex": 2, "age": 74, "ethnicity": 5, "marital_status": 7, "education": 16},
        **{"country": 41, "occupation": 14, "workclass": 8, "income": 2, "disease": 14},
    }
    assert sizes == {name: len(set(column.values)) for name, column in CENSUS.items()}


def test_a_million_people_have_200_to_300_thousand_distinct_tuples(million):
    distinct = len(np.unique(packed(million, QUASI_IDENTIFIERS)))
    assert 200_000 <= distinct <= 300_000


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_thirty_thousand_people_are_mostly_unique_with_some_dense_tuples(seed):
    rows = draw(0, 30_000, seed)
    _, counts = np.unique(packed(rows, NINE), return_counts=True)
    assert 0.45 <= len(counts) / 30_000 <= 0.70
    assert 300 <= (counts >= 5).sum() <= 1_500
    assert (counts >= 10).sum() >= 100


def test_one_country_holds_nine_people_in_ten_and_a_quarter_earn_well(million):
    home = CENSUS["country"].values.index("Canada")
    assert 0.88 <= (million["country"] == home).mean() <= 0.93
    assert 0.20 <= million["income"].mean() <= 0.30


@pytest.mark.parametrize(
    ("parent", "child"), [(p, name) for name, column in CENSUS.items() for p in column.depends_on]
)
def test_every_declared_dependency_is_there(million, parent, child):
    assert mutual_information(million[parent], million[child]) > 0.02


@pytest.mark.parametrize(
    ("left", "right", "bits"),
    [
        ("education", "occupation", 0.3),
        ("age", "marital_status", 0.2),
        ("age", "education", 0.1),
        ("occupation", "workclass", 0.2),
        ("ethnicity", "country", 0.1),
        ("education", "income", 0.08),
        ("age", "disease", 0.1),
    ],
)
def test_strong_dependencies_are_strong(million, left, right, bits):
    assert mutual_information(million[left], million[right]) > bits


def test_what_is_independent_stays_independent(million):
    assert mutual_information(million["sex"], million["country"]) < 0.001
    assert mutual_information(million["sex"], million["age"]) < 0.001


def test_factors_fit_their_columns():
    drawn = set()
    for name, column in CENSUS.items():
        largest = max(column.weights, default=1) * len(column.values)
        assert len(column.weights) in (0, len(column.values))
        for parent, factors in column.depends_on.items():
            assert parent in drawn
            assert {len(row) for row in factors.values()} <= {
                len(column.values),
                len(column.groups),
            }
            largest *= max(map(max, factors.values()))
        assert largest < 2**32, f"the odds of {name} would overflow 64 bits"
        drawn.add(name)


def test_values_need_no_quotes_in_any_file():
    values = [value for column in CENSUS.values() for value in column.values]
    assert not [
        value for value in values if set(value) & set(",;\t\"'\n\r") or value.strip() != value
    ]


def slow_census(n, seed):
    """Draw row by row with whole numbers of Python: the obvious twin of `draw`."""
    words = iter(np.random.PCG64(seed).random_raw(n * 5).tolist())
    rows = []
    for _ in range(n):
        halves = [half for word in (next(words) for _ in range(5)) for half in divmod(word, 2**32)]
        person = {}
        for name, at in zip(CENSUS, [1, 0, 3, 2, 5, 4, 7, 6, 9, 8], strict=True):
            odds = list(slow_odds(CENSUS[name], person))
            bounds = [total * 2**32 // sum(odds) for total in accumulate(odds)]
            position = next(i for i, bound in enumerate(bounds) if halves[at] < bound)
            person[name] = CENSUS[name].values[position]
        rows.append({**person, "age": int(person["age"])})
    return rows


def slow_odds(column, person):
    for position, value in enumerate(column.values):
        odds = column.weights[position] if column.weights else 1
        for parent, factors in column.depends_on.items():
            row = factors[slow_key(CENSUS[parent], person[parent], factors)]
            if len(row) == len(column.values):
                odds *= row[position]
            else:
                odds *= row[[value in group for group in column.groups.values()].index(True)]
        yield odds


def slow_key(parent, value, factors):
    if value in factors:
        return value
    if parent.groups:
        return next(group for group, values in parent.groups.items() if value in values)
    return max(start for start in factors if start <= int(value))


@pytest.mark.parametrize("seed", [0, 5])
def test_agrees_with_the_slow_twin(seed):
    assert census(400, seed).to_pylist() == slow_census(400, seed)


def test_the_same_people_on_every_machine_and_in_every_version():
    rows = [",".join(map(str, row.values())) for row in census(5_000, seed=1).to_pylist()]
    digest = hashlib.sha256("\n".join(rows).encode()).hexdigest()
    assert digest == "c0e6aeb186729bb3e7be06748c7f086ad2babd7c0a17b730867f8d9fadccc5cb"


@settings(deadline=None, max_examples=50)
@given(n=st.integers(1, 60), more=st.integers(0, 60), chunk=st.integers(1, 80), seed=st.integers(0))
def test_rows_depend_on_neither_length_nor_chunk(n, more, chunk, seed):
    import pyarrow as pa

    pieces = list(batches(n + more, seed, chunk=chunk))
    assert all(piece.num_rows == chunk for piece in pieces[:-1])
    whole = pa.Table.from_batches(plain(piece) for piece in pieces)
    assert whole.slice(0, n).combine_chunks() == census(n, seed).combine_chunks()


def test_rows_do_not_depend_on_the_steps_they_are_drawn_in():
    longer, shorter = draw(0, 140_000, 3), draw(65_500, 131_100, 3)
    for name in CENSUS:
        np.testing.assert_array_equal(longer[name][65_500:131_100], shorter[name])


def test_another_seed_gives_other_people():
    assert census(100, 0) != census(100, 1)


def test_kinds_hold_the_same_rows():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    expected = census(500, 2).to_pylist()
    in_pandas, in_polars = census(500, 2, kind="pandas"), census(500, 2, kind="polars")
    assert isinstance(in_pandas, pd.DataFrame)
    assert in_pandas.to_dict("records") == expected
    assert isinstance(in_polars, pl.DataFrame)
    assert in_polars.to_dicts() == expected


def test_age_is_a_number_and_the_rest_is_text():
    types = {field.name: str(field.type) for field in census(10).schema}
    assert types == dict.fromkeys(CENSUS, "string") | {"age": "int64"}


def test_numbers_of_numpy_are_numbers():
    assert census(np.int32(3), np.uint8(4)) == census(3, 4)


@pytest.mark.parametrize("n", [0, -1, 2.5, 3.0, True, "ten", None, np.float64(5), [5]])
def test_a_bad_number_of_rows_is_refused(n):
    with pytest.raises(ParameterError, match=r"number of rows(.|\n)*Hint: .*1 or more"):
        census(n)


@pytest.mark.parametrize("seed", [-1, 1.5, False, "seed", None])
def test_a_bad_seed_is_refused(seed):
    with pytest.raises(ParameterError, match="the seed"):
        census(10, seed)


@pytest.mark.parametrize("kind", ["spark", "Pandas", "", None, 3, ["pandas"]])
def test_a_bad_kind_is_refused(kind):
    with pytest.raises(ParameterError, match="Hint: one of pyarrow, pandas, polars"):
        census(10, kind=kind)


def output_of(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_a_missing_library_is_named():
    code = """if True:
        import sys
        from incrowd import datasets, errors
        sys.modules["polars"] = None
        try:
            datasets.census(10, kind="polars")
        except errors.ParameterError as error:
            print(error)
    """
    assert "needs polars, which is not installed" in output_of(code)


def test_importing_the_module_loads_numpy_alone():
    heavy = ("pyarrow", "pandas", "polars", "narwhals", "incrowd.kernels")
    code = f"import sys, incrowd.datasets; print(*set(sys.modules) & set({heavy}))"
    assert output_of(code).strip() == ""
