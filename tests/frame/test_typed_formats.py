"""JSON lines and workbooks: read, written, recounted, and refused where they are no flat table."""

import datetime as dt
import json
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from command_line import incrowd, refused
from frame_kinds import rows_of
from incrowd.errors import IncrowdError, OutputError
from incrowd.frame import open_source
from incrowd.frame.formats import format_of
from incrowd.verify.released_files import ReleasedFile
from staging import write_source

openpyxl = pytest.importorskip("openpyxl", reason="extra excel")
SUFFIXES = (".jsonl", ".xlsx")
ASKED = {
    "quasi_identifiers": {"age": ic.intervals(10), "town": ic.suppression()},
    "insensitive": ["paid", "seen", "well"],
    "k": 2,
}


def people():
    days = [dt.datetime(2024, 1, at + 1) for at in range(4)]
    return pa.table(
        {
            "age": [31, 32, 41, 42],
            "town": ["=1+1", "=1+1", None, None],
            "paid": [1.5, float("nan"), -0.25, 1e300],
            "seen": pa.array(days, pa.timestamp("us")),
            "well": [True, None, False, True],
        }
    )


def book(path, *sheets, titles=()):
    made = openpyxl.Workbook()
    made.remove(made.active)
    for at, rows in enumerate(sheets):
        sheet = made.create_sheet(titles[at] if titles else f"sheet {at}")
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def written(table, path):
    write_source(open_source(table), path)
    return open_source(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_out_and_in_again(suffix, tmp_path):
    found = written(people(), tmp_path / f"people{suffix}").to_native()
    assert rows_of(found, ["age", "town", "paid", "well"]) == rows_of(
        people(), ["age", "town", "paid", "well"]
    )
    assert found.column("town").type == pa.string()


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_release_goes_in_and_out(suffix, engine, tmp_path):
    source = people() if engine == "memory" else parquet(people(), tmp_path)
    out = tmp_path / f"released{suffix}"
    policy = ic.policy(**ASKED)
    if engine == "memory":
        source = tmp_path / f"people{suffix}"
        written(people(), source)
    release = ic.anonymize_file(source, out, policy, engine=engine)
    assert release.verdict.passed
    assert ic.verify(out, policy).passed
    assert not ic.verify(out, ic.policy(**{**ASKED, "k": 3})).passed
    assert ic.measure_release(out, source, policy)["released"] == 4
    back = open_source(out).to_native()
    assert rows_of(back, ["age"]) == {("[30, 40)",): 2, ("[40, 50)",): 2}


def parquet(table, folder):
    import pyarrow.parquet as pq

    pq.write_table(table, folder / "p.parquet")
    return folder / "p.parquet"


def test_a_cell_that_begins_like_a_formula_is_text(tmp_path):
    texts = ["=1+1", "+1", "-1", "@x", "#N/A", "=cmd|' /C calc'!A0", "plain"]
    written(pa.table({"=name": texts}), tmp_path / "x.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "x.xlsx").active
    assert [cell.data_type for (cell,) in sheet.iter_rows()] == ["s"] * 8
    assert sheet["A2"].quotePrefix
    assert open_source(tmp_path / "x.xlsx").encode("=name").texts == tuple(texts)


def test_what_json_and_workbooks_have_no_type_for_is_spelled_out(tmp_path):
    odd = pa.table(
        {
            "exact": pa.array([Decimal("1.50")], pa.decimal128(9, 2)),
            "zone": pa.array(
                [dt.datetime(2024, 1, 2, 3, tzinfo=dt.UTC)], pa.timestamp("us", "UTC")
            ),
            "large": pa.array([2**60], pa.int64()),
            "early": pa.array([dt.date(1850, 1, 2)]),
            "late": pa.array([3_663_000], pa.date32()),
            "fine": pa.array([dt.datetime(2024, 1, 2, 3, 4, 5, 6)], pa.timestamp("us")),
        }
    )
    for suffix in SUFFIXES:
        found = written(odd, tmp_path / f"odd{suffix}")
        for name in odd.column_names:
            assert found.encode(name).texts == open_source(odd).encode(name).texts, name


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=60)
@given(st.data())
def test_readers_of_the_recount_agree(suffix, tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("cells")
    letters = st.text(
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"),
        min_size=1,
        max_size=5,
    )
    kinds = [letters, st.integers(-(10**14), 10**14), st.floats(-1e9, 1e9), st.booleans()]
    rows = data.draw(st.integers(1, 5))
    table = pa.table(
        {
            f"c{at}": pa.array(data.draw(st.lists(kind | st.none(), min_size=rows, max_size=rows)))
            for at, kind in enumerate(kinds)
        }
    )
    table = table.append_column("nr", pa.array(range(rows)))
    file = folder / f"x{suffix}"
    source = written(table, file)
    recounted = ReleasedFile(file, None, "keep").distinct_rows(source.names)
    for name in source.names:
        ours, theirs = source.encode(name), recounted.encode(name)
        mine = [None if code < 0 else ours.texts[code] for code in ours.codes]
        other = [None if code < 0 else theirs.texts[code] for code in theirs.codes]
        zero = {"-0": "0"}  # the recount tells it apart
        assert sorted(map(str, mine)) == sorted(str(zero.get(x, x)) for x in other)


NESTED = '{"age": 1, "where": {"town": "S3CRET"}}\n'
JSON_LINES = {
    "nested": (NESTED, "inside"),
    "a list": ('{"age": [1, 2]}\n', "inside"),
    "ragged": ('{"age": 1, "sex": "S3CRET"}\n{"age": 2}\n', "line 2"),
    "more": ('{"age": 1}\n{"age": 2, "sex": "S3CRET"}\n', "line 2"),
    "other": ('{"age": 1}\n{"sex": "S3CRET"}\n', "line 2"),
    "twice": ('{"age": 1, "sex": "f"}\n{"age": "S3CRET", "age": 2}\n', "twice"),
    "no JSON": ('{"age": S3CRET}\n', "no JSON"),
    "NaN": ('{"age": NaN}\n', "no JSON"),
    "no object": ('"S3CRET"\n', "no object"),
    "a list of objects": ('[{"age": "S3CRET"}]\n', "no object"),
    "mixed": ('{"age": 1}\n{"age": "S3CRET"}\n', "several kinds"),
    "huge": ('{"age": 73100000000000000000000}\n', "too large"),
    "without end": ('{"age": 1e999}\n', "too large"),
    "half a character": ('{"age": "S3CRET\\ud800"}\n', "not valid Unicode"),
    "half a name": ('{"age": 1, "S3CRET\\ud800": 1}\n', "not valid Unicode"),
    "twice in the first": ('{"age": "S3CRET", "age": 2}\n', "same name"),
    "no name": ('{"age": 1, "": "S3CRET"}\n', "no name"),
    "empty line": ('{"age": 1}\n\n{"age": 1}\n', "line 2"),
    "nothing": ("", "is empty"),
}


@pytest.mark.parametrize("kind", JSON_LINES)
def test_json_lines_that_are_no_flat_table(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, words = JSON_LINES[kind]
    (tmp_path / "p.jsonl").write_text(text)
    refused(incrowd("inspect", "p.jsonl"), words)
    refused(incrowd("anonymize", "p.jsonl", "--qi", "age", "-k", 1, "-o", "o.csv"), words)
    if kind not in ("huge", "without end", "empty line"):  # the recount need not work with them
        refused(incrowd("verify", "p.jsonl", "--qi", "age", "-k", 1))
    assert [each.name for each in tmp_path.iterdir()] == ["p.jsonl"]


def test_json_lines_may_order_names_as_they_like(tmp_path):
    file = tmp_path / "p.ndjson"
    file.write_text('\ufeff{"age": 1, "sex": "f"}\n{"sex": null, "age": 2.5}\n\n')
    assert open_source(file).to_native().to_pydict() == {"age": [1.0, 2.5], "sex": ["f", None]}
    assert ic.verify(file, ic.policy(quasi_identifiers=["age", "sex"], k=1)).passed


GOOD = [["age", "sex"], [31, "S3CRET"], [32, "S3CRET"]]


def refused_book(words, *flags):
    refused(incrowd("inspect", "p.xlsx", *flags), words)
    refused(incrowd("anonymize", "p.xlsx", *flags, "--qi", "age", "-k", 1, "-o", "o.xlsx"), words)


def test_a_workbook_with_several_sheets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    book("p.xlsx", GOOD, [["age"], [7]], titles=["people", "other"])
    refused_book(
        "2 sheets",
    )
    refused_book("no sheet 'nobody'", "--sheet", "nobody")
    made = incrowd(
        "anonymize", "p.xlsx", "--sheet", "people", "--qi", "age,sex", "-k", 1, "-o", "o.xlsx"
    )
    assert made.code == 0, made.err
    asked = ("--qi", "age,sex", "-k", 1)
    assert incrowd("verify", "p.xlsx", "--sheet", "people", *asked).code == 0
    assert incrowd("inspect", "p.xlsx", "--sheet", "people").code == 0
    assert open_source(ic.workbook("p.xlsx", sheet="other")).names == ("age",)
    refused(incrowd("inspect", "p.csv", "--sheet", "people"), "no workbook")


def test_merged_cells_and_two_rows_of_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    book("p.xlsx", [["who", None], ["age", "sex"], [31, "S3CRET"]])
    refused_book("row 1")
    book("p.xlsx", [["age", "sex"], ["years", "f or m"], [31, "S3CRET"], [32, "S3CRET"]])
    refused_book("two rows of names")
    made = openpyxl.load_workbook(book("p.xlsx", GOOD))
    made.active.merge_cells("A2:A3")
    made.save("p.xlsx")
    refused_book("merged")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([["age"], ["=1+1"]], "formula"),
        ([["age"], [1], ["S3CRET"], [2]], "several kinds"),
        ([["age"], [1], [None], [2]], "row 3"),
        ([["age"], [dt.timedelta(hours=30)], [dt.timedelta(hours=31)]], "other"),
        ([["age"], [dt.timedelta(hours=30)], [dt.timedelta(hours=31)], [dt.time(7)]], "other"),
        ([["age", "age"], [1, 2]], "age"),
        ([["age"]], "no records"),
        ([], "empty"),
    ],
)
def test_workbooks_that_are_no_flat_table(rows, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    book("p.xlsx", rows)
    refused_book(words)


@pytest.mark.parametrize("row", [[31, "f", "S3CRET"], []])
def test_the_recount_refuses_what_the_reader_does(row, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    book("p.xlsx", [["age", "sex"], [31, "f"], row, [31, "f"]])
    refused(incrowd("verify", "p.xlsx", "--qi", "age,sex", "-k", 1), "row 1" if row else "row 3")


def test_what_is_only_formatted_is_no_cell(tmp_path):
    made = openpyxl.load_workbook(book(tmp_path / "p.xlsx", GOOD))
    made.active["XFD1"].number_format = made.active["A900"].number_format = "0.00"
    made.save(tmp_path / "p.xlsx")
    asked = ic.policy(quasi_identifiers=["age", "sex"], k=1)
    assert ic.verify(tmp_path / "p.xlsx", asked).to_json()["records"] == 2
    made.active["XFD1048576"].number_format = "0.00"
    made.save(tmp_path / "p.xlsx")
    found = open_source(tmp_path / "p.xlsx").to_native()
    assert found.to_pydict() == {"age": [31, 32], "sex": ["S3CRET", "S3CRET"]}


def test_no_workbook_at_all(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.xlsx").write_text("S3CRET")
    refused_book("no workbook")
    refused(incrowd("inspect", "nothing.xlsx"), "does not exist")


@pytest.mark.parametrize("text", ["\x01", "a\rb", "x" * 40_000, "_x0041_"])
def test_texts_that_a_workbook_cannot_hold(text, tmp_path):
    with pytest.raises(OutputError, match="cannot"):
        written(pa.table({"a": [text]}), tmp_path / "x.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_numbers_without_end_and_nested_cells(tmp_path):
    for cells in ([float("inf")], [[1]]):
        for suffix in SUFFIXES:
            with pytest.raises(IncrowdError):
                written(pa.table({"a": cells, "b": [1]}), tmp_path / f"x{suffix}")


def test_formats_are_known_by_their_names():
    assert [format_of(name) for name in ("a.jsonl", "a.NDJSON", "a.xlsx", "a.json", "a.xls")] == [
        *("jsonl", "jsonl", "excel", None, None)
    ]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_duckdb_does_not_read_them(suffix, tmp_path):
    written(people(), tmp_path / f"p{suffix}")
    with pytest.raises(IncrowdError, match="read in memory"):
        ic.anonymize(tmp_path / f"p{suffix}", engine="duckdb", **ASKED)


def test_what_is_written_is_json(tmp_path):
    written(people(), tmp_path / "p.jsonl")
    first = json.loads((tmp_path / "p.jsonl").read_text().splitlines()[0])
    assert first == {"age": 31, "town": "=1+1", "paid": 1.5, "seen": "2024-01-01", "well": True}
