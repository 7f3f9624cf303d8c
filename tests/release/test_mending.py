"""Cells that are not what their column holds."""

import pandas as pd
import pytest

import incrowd as ic
from frame_kinds import rows_of
from incrowd.errors import HierarchyError, PolicyError
from incrowd.hierarchies import hierarchy_from_rows

DAYS = [f"19{year}-0{month}-15" for year in range(50, 60) for month in range(1, 6)]


def births(*odd, times=20):
    """A thousand birth dates, and odd cells at the end."""
    return pd.DataFrame({"birth": [*(DAYS * times), *odd], "sex": "f"})


def asked(hierarchy=None, **more):
    return ic.policy(
        quasi_identifiers={"birth": hierarchy, "sex": ic.suppression()}, k=5, order="keep", **more
    )


@pytest.mark.parametrize("hierarchy", [None, "auto", ic.dates("year", "decade")])
def test_malformed_dates_are_named_and_refused(hierarchy, tmp_path):
    path = tmp_path / "births.csv"
    births("15.13.1950", "7310").to_csv(path, index=False)
    with pytest.raises(HierarchyError) as refused:
        ic.anonymize(path, asked(hierarchy))
    assert str(refused.value).startswith(
        "2 of 1,002 records of column 'birth' are not dates: lines 1002, 1003.\nHint: mend them"
    )
    assert refused.value.values == ("15.13.1950", "7310")


def test_rows_of_a_frame_are_counted_from_0():
    with pytest.raises(HierarchyError, match=r"dates: row 1000 \(the first row is 0\)\."):
        ic.anonymize(births("?"), asked())


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("hierarchy", [None, ic.dates("year", "decade"), ic.dates("decade")])
@pytest.mark.parametrize(("unknown", "shown"), [("suppress", "*"), ("missing", "")])
def test_what_becomes_of_them(hierarchy, unknown, shown, engine, tmp_path):
    path = tmp_path / "births.csv"
    births(*["15.13.1950"] * 5, "7310", *["x"] * 4).to_csv(path, index=False)
    order = "keep" if engine == "memory" else "shuffle"
    policy = ic.policy(
        quasi_identifiers={"birth": hierarchy, "sex": ic.suppression()}, k=5, order=order,
        unknown={"birth": unknown},
    )  # fmt: skip
    with ic.anonymize(path, policy, engine=engine) as release:
        rows = rows_of(release.table, ["birth"])
        fate = "are released as *" if unknown == "suppress" else "count as missing"
        assert f"10 records of column 'birth' are not dates, and {fate}." in release.notes
    assert rows.pop((shown if unknown == "suppress" else None,), 0) + rows.pop((shown,), 0) == 10
    assert {cell[:3] for (cell,) in rows} == {"195"}  # the others are dates still


def test_the_only_missing_cell_is_not_written_as_it_was():
    """A malformed cell that counts as missing is blank, however alone it is."""
    release = ic.anonymize(births(*["S3CRET"] * 5), asked(unknown={"birth": "missing"}))
    assert "S3CRET" not in set(release.table["birth"])
    assert release.table["birth"].isna().sum() == 5


def test_numbers_too():
    table = pd.DataFrame({"age": [str(age) for age in range(20, 70)] * 4 + ["n/a", "90+"]})
    policy = ic.policy(quasi_identifiers=["age"], k=2)
    with pytest.raises(HierarchyError, match="2 of 202 records of column 'age' are not numbers"):
        ic.anonymize(table, policy)
    policy = ic.policy(quasi_identifiers=["age"], k=2, unknown={"age": "suppress"})
    assert (ic.anonymize(table, policy).table["age"] == "*").sum() == 2


def test_records_count_and_not_distinct_values():
    """Fifty spellings of a date in 5,000 rows are text only if they are many rows."""
    odd = [f"odd {at}" for at in range(50)]
    with pytest.raises(HierarchyError, match="50 of 5,050 records"):
        ic.anonymize(births(*odd, times=100), asked())


@pytest.mark.parametrize("share", [20, 80])
def test_a_column_of_two_kinds_is_asked_about(share):
    with pytest.raises(PolicyError, match="are dates, and a column is what 99% say") as refused:
        ic.anonymize(births(*["x"] * share), asked())
    assert "unknown = " in refused.value.hint


@pytest.mark.parametrize(
    ("cells", "hierarchy", "told", "kept"),
    [
        (["31.12.1950", "03.04.1961"], ic.dates("year"), "dates", {"1950-12-31", "1961-04-03"}),
        (["12,5", "7,25"], ic.intervals(10), "numbers", {"12.5", "7.25"}),
        (["1950-12-31T08:15", "1961-04-03 09:30"], ic.dates("year"), "dates",
         {"1950-12-31T08:15", "1961-04-03 09:30"}),
    ],
)  # fmt: skip
def test_two_per_cent_are_no_less_odd_where_the_others_are_written_in_another_way(
    cells, hierarchy, told, kept, tmp_path
):
    path = tmp_path / "odd.csv"
    table = pd.DataFrame({"birth": [*cells * 147, *["x?", "y?"] * 3], "sex": "f"})
    table.to_csv(path, index=False, sep=";")
    with pytest.raises(PolicyError, match=f"98.0% of the records of column 'birth' are {told}"):
        ic.anonymize(path, asked())
    [stops] = ic.check(path, asked()).that("stops")
    assert stops.found.places == tuple(range(296, 302))
    assert stops.values == ("x?", "y?")
    with pytest.raises(HierarchyError, match=f"6 of 300 records .* are not {told}: lines 296, 297"):
        ic.anonymize(path, asked(hierarchy))
    release = ic.anonymize(path, asked(hierarchy, unknown={"birth": "suppress"}))
    assert set(release.table["birth"].to_pylist()) == kept | {"*"}


def test_a_column_that_is_mostly_text_is_text():
    release = ic.anonymize(births(*["x"] * 600), asked())
    assert set(release.table["birth"]) <= {"*", "x", *DAYS}


def test_two_per_cent_of_a_stated_hierarchy_are_refused():
    with pytest.raises(HierarchyError, match="20 of 1,020 records of column 'birth' are not dates"):
        ic.anonymize(births(*["x"] * 20), asked(ic.dates("year")))


@pytest.mark.parametrize(
    "hierarchy", [ic.dates("month", "year"), ic.intervals(5), ic.masking(), ic.ordered(3)]
)
@pytest.mark.parametrize("unknown", ["suppress", "missing"])
def test_every_builder_does_with_them_what_the_policy_says(hierarchy, unknown):
    good = DAYS if hierarchy == ic.dates("month", "year") else [str(each) for each in range(50)]
    table = pd.DataFrame({"birth": [*(good * 10), *["*odd*"] * 5], "sex": "f"})
    release = ic.anonymize(table, asked(hierarchy, unknown={"birth": unknown}))
    tail = release.table["birth"][500:]
    assert tail.isna().all() if unknown == "missing" else set(tail) == {"*"}


def test_values_that_a_hierarchy_does_not_list_can_be_missing():
    table = pd.DataFrame({"birth": ["a", "b"] * 5 + ["c"] * 5, "sex": "f"})
    rows = hierarchy_from_rows([("a", "*"), ("b", "*")])
    release = ic.anonymize(table, asked(rows, unknown={"birth": "missing"}))
    assert release.table["birth"][10:].isna().all()
    new = ic.apply_recoding(release.recoding, table.replace("c", "d"))
    assert "d" not in set(new.table["birth"])
    assert new.table["birth"].isna().sum() == 5


# columns that are released as they are


@pytest.mark.parametrize("role", ["sensitive", "insensitive", "target"])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(("unknown", "shown"), [("suppress", "*"), ("missing", "")])
def test_columns_without_a_hierarchy(role, unknown, shown, engine, tmp_path):
    path = tmp_path / "costs.csv"
    costs = [*("12.5", "7") * 100, "S3CRET"]
    pd.DataFrame({"sex": "f", "cost": costs}).to_csv(path, index=False)
    given = {role: "cost" if role == "target" else ["cost"]}
    policy = ic.policy(quasi_identifiers=["sex"], k=5, unknown={"cost": unknown}, **given)
    with ic.anonymize(path, policy, engine=engine) as release:
        rows = rows_of(release.table, ["cost"])
        recoding = release.recoding
    assert rows[(None if (shown == "" and (None,) in rows) else shown,)] == 1
    assert ("S3CRET",) not in rows
    # one cell of new rows, of which nobody could say what they are
    pd.DataFrame({"sex": "f", "cost": ["S3CRET"] * 5 + ["1"]}).to_csv(path, index=False)
    with ic.apply_recoding(recoding, path, engine=engine) as again:
        assert ("S3CRET",) not in rows_of(again.table, ["cost"])


def test_a_stated_refusal_of_other_columns():
    table = pd.DataFrame({"sex": "f", "cost": [*("12.5", "7") * 100, "S3CRET"]})
    policy = ic.policy(quasi_identifiers=["sex"], sensitive=["cost"], k=5)
    assert ic.anonymize(table, policy)  # not said: its cells stay
    policy = ic.policy(quasi_identifiers=["sex"], sensitive=["cost"], k=5,
                       unknown={"cost": "refuse"})  # fmt: skip
    with pytest.raises(HierarchyError, match="1 of 201 records of column 'cost' are not numbers"):
        ic.anonymize(table, policy)


# how numbers and dates are written


def test_days_first_are_recognised_and_kept_in_the_recoding():
    days = [f"{day}.{month}.19{year}" for day in (3, 31) for month in (1, 12) for year in (50, 61)]
    table = pd.DataFrame({"birth": days * 5, "sex": "f"})
    release = ic.anonymize(table, asked(ic.dates("year", "decade")))
    assert "the dates of column 'birth' are read day-first." in release.notes
    assert set(release.table["birth"]) == {f"{y}-{m}-{d}" for y in (1950, 1961)
                                           for m in ("01", "12") for d in ("03", "31")}  # fmt: skip
    # new rows have no day above 12, and are read as the first ones were
    new = ic.apply_recoding(release.recoding, table[table["birth"].str.startswith("3.")])
    assert {each[:4] for each in new.table["birth"]} == {"1950", "1961"}
    assert "1950-12-03" in set(new.table["birth"])


@pytest.mark.parametrize("cells", [["03.04.2020", "5/6/2021"], ["01-02-2003"]])
def test_dates_that_can_be_read_in_two_ways_are_asked_about(cells):
    table = pd.DataFrame({"birth": cells * 10, "sex": "f"})
    with pytest.raises(PolicyError, match="can be read in 2 ways") as refused:
        ic.anonymize(table, asked())
    assert 'dates = "day-first" or dates = "month-first"' in refused.value.hint
    release = ic.anonymize(table, asked(cleaning={"birth": {"dates": "month-first"}}))
    assert all(each.startswith("20") for each in release.table["birth"])


def test_decimal_commas():
    table = pd.DataFrame({"birth": ["12,5", "7,25", "1.200,5"] * 10, "sex": "f"})
    release = ic.anonymize(table, asked(ic.intervals(10, 100)))
    assert set(release.table["birth"]) == {"12.5", "7.25", "1200.5"}
    table = pd.DataFrame({"birth": ["1,234", "5,678"] * 10, "sex": "f"})
    with pytest.raises(PolicyError, match="numbers of column 'birth' can be read in 2 ways"):
        ic.anonymize(table, asked())
    release = ic.anonymize(table, asked(cleaning={"birth": {"decimal": "."}}))
    assert set(release.table["birth"]) == {"1234", "5678"}


# a kind that is stated


def test_a_stated_kind_is_what_a_column_holds():
    table = births(*["x"] * 80)
    release = ic.anonymize(table, asked(kinds={"birth": "date"}, unknown={"birth": "suppress"}))
    assert set(release.table["birth"][1000:]) == {"*"}
    with pytest.raises(HierarchyError, match="80 of 1,080 records of column 'birth' are not dates"):
        ic.anonymize(table, asked(kinds={"birth": "date"}))
    release = ic.anonymize(table, asked(kinds={"birth": "text"}))
    assert len(set(release.table["birth"])) in (1, len(DAYS) + 1)


def test_a_kind_beside_a_hierarchy_is_refused():
    with pytest.raises(PolicyError, match="a kind and a hierarchy 'dates'"):
        asked(ic.dates("year"), kinds={"birth": "date"})
