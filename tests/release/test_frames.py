"""`anonymize` on frames of every kind: the same kind comes out, verified, without an index."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import incrowd as ic
from command_line import people

NAMES = ("name", "age", "sex", "zip", "education", "race", "disease", "salary-class", "note")


def columns(n: int = 240) -> dict[str, list]:
    """Return a table as in the README: some ages are missing."""
    found = {name: [] for name in NAMES}
    for number, (name, age, sex, zip_code, disease) in enumerate(people(n)):
        found["name"].append(name)
        found["age"].append(None if number % 40 == 0 else int(age) - 731000)
        found["sex"].append(sex[-1])
        found["zip"].append("12" + zip_code[-3:])
        found["education"].append(["9th", "10th", "BSc", "MSc"][number % 4])
        found["race"].append(["White", "Black", "Other", "White"][number // 4 % 4])
        found["disease"].append(disease)
        found["salary-class"].append(number % 3 == 0)
        found["note"].append(float(number))
    return found


def pandas_with_an_odd_index(data):
    frame = pd.DataFrame(data).astype({"age": "Int64", "sex": "category"})
    return frame.set_axis([number % 7 for number in range(len(frame))])


KINDS = {
    "pandas": pandas_with_an_odd_index,
    "pandas nullable": lambda data: pd.DataFrame(data).convert_dtypes(),
    "pandas arrow": lambda data: pd.DataFrame(data).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "lazy polars": lambda data: pl.DataFrame(data).lazy(),
}


def as_rows(table):
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    if isinstance(table, pd.DataFrame):
        table = table.astype(object).where(table.notna(), None)
        return list(table.itertuples(index=False, name=None))
    return list(zip(*(list(table[name].to_pylist() if isinstance(table, pa.Table)
                           else table[name].to_list())
                      for name in names_of(table)), strict=True))  # fmt: skip


def names_of(table):
    if isinstance(table, pl.LazyFrame):
        return table.collect_schema().names()
    return list(table.column_names if isinstance(table, pa.Table) else table.columns)


@pytest.fixture(scope="module")
def education(tmp_path_factory):
    path = tmp_path_factory.mktemp("hierarchies") / "education.csv"
    path.write_text("9th;school;*\n10th;school;*\nBSc;college;*\nMSc;college;*\nPhD;college;*\n")
    return path


def anonymized(data, education, **more):
    described = {
        "quasi_identifiers": {
            "age": ic.intervals(5, 10, 20),
            "sex": ic.suppression(),
            "zip": ic.masking(),
            "education": str(education),
            "race": ic.groups({"other": ["Black", "Other"]}),
        },
        "sensitive": ["disease"],
        "target": "salary-class",
        "other_columns": "drop",
        "requirements": [ic.KAnonymity(5)],
        "algorithm": ic.Flash(suppression_limit=0.05, objective="loss"),
    }
    return ic.anonymize(data, **{**described, **more})


@pytest.mark.parametrize("kind", KINDS)
def test_the_example_of_the_readme(kind, education):
    data = KINDS[kind](columns())
    before = as_rows(data)
    release = anonymized(data, education)
    table = release.table
    assert type(table) is type(data)
    assert names_of(table) == [
        *("age", "sex", "zip", "education", "race", "disease", "salary-class")
    ]
    rows = as_rows(table)
    sizes = Counter(row[:5] for row in rows)
    assert min(sizes.values()) >= 5
    masked = sizes.pop(("*",) * 5, 0)
    assert release.facts["suppressed"] == masked + release.facts["dropped"]
    assert (len(sizes), min(sizes.values())) == (
        release.facts["classes"],
        release.facts["smallest_class"],
    )
    # the rest of each record is as it was
    assert Counter(row[5:] for row in rows) <= Counter(row[6:8] for row in before)
    assert as_rows(data) == before


def test_all_kinds_of_frames_have_the_same_release(education):
    releases = [anonymized(make(columns()), education) for make in KINDS.values()]
    assert len({tuple(each.facts["levels"].items()) for each in releases}) == 1
    assert len({frozenset(Counter(as_rows(each.table)).items()) for each in releases}) == 1


def test_rows_are_shuffled_and_no_index_survives(education):
    data = pandas_with_an_odd_index(columns())
    data.attrs["source"] = "S3CRET"
    tables = [anonymized(data, education, other_columns="keep").table for _ in range(3)]
    for table in tables:
        assert list(table.index) == list(range(len(table)))
        assert table.attrs == {}
        assert not table["note"].is_monotonic_increasing
    assert tables[0]["note"].tolist() != tables[1]["note"].tolist()
    sizes = [Counter(table[["age", "sex", "zip"]].value_counts().tolist()) for table in tables]
    assert sizes[0] == sizes[1] == sizes[2]


def test_order_keep_leaves_the_rows_and_says_so(education):
    release = anonymized(
        pl.DataFrame(columns()), education, other_columns="keep", order="keep", suppressed="mask"
    )
    assert release.table["note"].is_sorted()
    assert any("experiments" in note for note in release.notes)


@pytest.mark.parametrize("dtype", ["int64", "int8", "Int64", "float64", "int64[pyarrow]"])
def test_a_column_at_level_0_keeps_its_type(dtype):
    data = pd.DataFrame({"age": [30, 30, 40, 40], "sex": ["f", "m", "f", "m"]})
    data["age"] = data["age"].astype(dtype)
    release = ic.anonymize(
        data,
        quasi_identifiers={"age": ic.intervals(5), "sex": ic.suppression()},
        k=2,
        algorithm=ic.Flash(suppression_limit=0),
    )
    assert release.facts["levels"] == {"age": 0, "sex": 1}
    assert release.table["age"].dtype == data["age"].dtype
    assert sorted(release.table["age"].tolist()) == [30, 30, 40, 40]


def test_a_masked_cell_makes_a_column_text():
    data = pl.DataFrame({"age": [30] * 5 + [40] * 5 + [1, 99]})
    described = {"quasi_identifiers": {"age": ic.intervals(5)}, "k": 2}
    release = ic.anonymize(data, **described, algorithm=ic.Flash(suppression_limit=0.2))
    assert release.facts["levels"] == {"age": 0}
    assert Counter(release.table["age"].to_list()) == {"30": 5, "40": 5, "*": 2}


def test_categories_of_dropped_records_are_gone():
    data = pd.DataFrame(
        {
            "age": [30] * 5 + [40] * 5 + [1],
            "note": pd.Categorical(["a"] * 10 + ["S3CRET"], categories=["a", "b", "S3CRET"]),
        }
    )
    release = ic.anonymize(
        data,
        quasi_identifiers={"age": ic.intervals(5)},
        insensitive="note",
        k=2,
        suppressed="drop",
        algorithm=ic.Flash(suppression_limit=0.1),
    )
    assert release.facts["dropped"] == 1
    assert list(release.table["note"].cat.categories) == ["a"]


@pytest.mark.parametrize(
    "equal",
    [
        [Decimal("1.5"), Decimal("1.50")],
        [0.0, -0.0],
        [1, 1.0],
        [
            datetime(2020, 1, 1, 12, tzinfo=UTC),
            datetime(2020, 1, 1, 13, tzinfo=timezone(timedelta(hours=1))),
        ],
    ],
    ids=str,
)
def test_equal_objects_that_can_be_told_apart_are_no_crowd(equal):
    data = pd.DataFrame({"age": pd.Series(equal * 3, dtype=object)})
    release = ic.anonymize(data, quasi_identifiers={"age": ic.suppression()}, k=4)
    assert len({repr(each) for each in release.table["age"]}) == 1
    with pytest.raises(ic.IncrowdError, match=r"read alike|does not hold"):
        ic.verify(data, ic.policy(quasi_identifiers=["age"], k=4)).raise_if_failed()


def test_arrow_types_that_arrow_cannot_reorder():
    rows = {"age": [30, 40] * 3, "note": pa.array(["a", None] * 3, pa.string_view())}
    described = {"quasi_identifiers": {"age": ic.intervals(5)}, "other_columns": "keep", "k": 3}
    table = ic.anonymize(pa.table(rows), **described).table
    assert table.schema.field("note").type == pa.string_view()
    assert Counter(table["note"].to_pylist()) == {"a": 3, None: 3}
    runs = pa.RunEndEncodedArray.from_arrays([3, 6], ["S3CRET", "b"])
    with pytest.raises(ic.IncrowdError, match="'note' of type run_end_encoded") as caught:
        ic.anonymize(pa.table({**rows, "note": runs}), **described)
    assert "S3CRET" not in str(caught.value)


def test_the_frame_that_came_in_is_untouched(education):
    data = pandas_with_an_odd_index(columns())
    copy = data.copy(deep=True)
    anonymized(data, education)
    pd.testing.assert_frame_equal(data, copy)


@pytest.mark.parametrize("wrong", [None, 5, [1, 2], {"a": [1]}, np.zeros((2, 2)), object()])
def test_other_objects_are_no_tables(wrong):
    with pytest.raises(ic.IncrowdError, match="is no table"):
        ic.anonymize(wrong, quasi_identifiers=["a"], k=2)
