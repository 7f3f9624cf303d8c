"""Cells that spreadsheets run: found, escaped, and read back as they were."""

import csv
import io

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from command_line import incrowd
from incrowd.errors import InputError, OutputError, PolicyError
from incrowd.frame import open_source
from incrowd.frame.formulas import escape, find_formulas, is_formula, unescape
from incrowd.release import anonymize_file

texts = st.text(st.sampled_from("=+-@\t\r'1.e a\"\n,;"), max_size=5)
CELLS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "=cmd|'/c calc'!A0", "\t=1", "\r=1"]
TAME = [" =1", "-5", "+3", "-1.5e3", "a=b", "'quoted'", "[-5, 0)", "< 5"]


@settings(max_examples=500)
@given(text=texts)
def test_what_was_escaped_is_read_back(text):
    assert unescape(escape(text)) == text
    assert not is_formula(escape(text))


@settings(max_examples=500)
@given(left=texts, right=texts)
def test_no_two_cells_are_read_as_one(left, right):
    """A reader that merged cells would merge classes, and find crowds where there are none."""
    try:
        same = unescape(left) == unescape(right)
    except ValueError:  # no cell of an escaped file
        return
    assert same == (left == right)


def test_formulas_by_hand():
    assert all(map(is_formula, CELLS))
    assert not any(map(is_formula, TAME))
    assert [escape(text) for text in TAME] == TAME


@pytest.fixture
def table(tmp_path):
    """A file with formulas in every place: quasi-identifier, kept column, and names."""
    path = tmp_path / "in.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["=q", "s", "'-t"])
        writer.writerows([[cell, cell, "x"] for cell in CELLS + TAME] * 5)
    return path


def described(**options):
    return ic.policy(quasi_identifiers=["=q"], sensitive=["s"], insensitive=["'-t"], k=5, **options)


def rows_of(path):
    return list(csv.reader(io.StringIO(path.read_bytes().decode(), newline="")))


def test_cells_stay_and_are_counted(table, tmp_path):
    out = tmp_path / "out.csv"
    release = anonymize_file(table, out, described())
    header, *rows = rows_of(out)
    assert header == ["=q", "s", "'-t"]
    assert {row[1] for row in rows} == {*CELLS, *TAME}
    n = 2 * 5 * len(CELLS) + 1
    [note] = [each for each in release.notes if "spreadsheet" in each]
    assert f"{n} cells" in note
    assert not any(cell in note for cell in CELLS)


def test_a_table_without_formulas_is_not_noted(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("age,n\n" + "-5,+3\n" * 5)
    release = anonymize_file(path, tmp_path / "out.csv", ic.policy(
        quasi_identifiers=["age"], insensitive=["n"], k=5))  # fmt: skip
    assert not any("spreadsheet" in note for note in release.notes)


def test_escaped_cells_are_run_by_nobody_and_read_back(table, tmp_path):
    out, policy = tmp_path / "out.csv", described(formulas="escape")
    release = anonymize_file(table, out, policy)
    header, *rows = rows_of(out)
    assert header == ["'=q", "s", "''-t"]
    assert not any(map(is_formula, [*header, *(cell for row in rows for cell in row)]))
    assert {row[1] for row in rows} == {"'" + cell for cell in CELLS} | set(TAME)
    read = open_source(out, formulas="escape")
    assert read.names == ("=q", "s", "'-t")
    assert set(read.encode("s").texts) == {*CELLS, *TAME}
    assert ic.verify(out, policy).passed
    measured = ic.measure_release(out, table, policy)
    assert measured["metrics"]["loss"] == release.metrics["loss"] == 0
    assert any("apostrophe" in note for note in release.notes)


def test_new_rows_are_escaped_too(table, tmp_path):
    out, again, saved = (tmp_path / name for name in ("out.csv", "again.csv", "recoding.json"))
    anonymize_file(table, out, described(formulas="escape"), recoding=saved)
    assert '"formulas": "escape"' in saved.read_text()
    ran = incrowd("apply", saved, table, "-o", again, "-q")
    assert ran.code == 0, ran.err
    assert sorted(rows_of(again)) == sorted(rows_of(out))


def test_formulas_are_refused_with_counts(table, tmp_path):
    out = tmp_path / "out.csv"
    said = r"71 cells .*'=q' \(35\), 's' \(35\), the names of 1"
    with pytest.raises(OutputError, match=said) as caught:
        anonymize_file(table, out, described(formulas="refuse"))
    assert "escape" in caught.value.hint
    assert not any(cell in str(caught.value) for cell in CELLS)
    assert list(tmp_path.iterdir()) == [table]


def test_only_csv_files_are_concerned(table, tmp_path):
    out = tmp_path / "out.parquet"
    release = anonymize_file(table, out, described(formulas="refuse"))
    assert not any("spreadsheet" in note for note in release.notes)
    assert set(pl.read_parquet(out)["s"]) == {*CELLS, *TAME}


def test_a_file_that_was_not_escaped_is_not_read_as_if(table, tmp_path):
    """``=x`` and ``'=x`` in one file would become one class of what are two."""
    path = tmp_path / "released.csv"
    path.write_text("q\n" + "=x\n" + "'=x\n" * 4)
    policy = ic.policy(quasi_identifiers=["q"], k=5, formulas="escape")
    with pytest.raises(InputError, match="not escaped"):
        ic.verify(path, policy)


def test_a_frame_is_counted_by_rows():
    frame = pl.DataFrame({"a": ["=1", "=1", "b", None], "-": [-1, -2, 3, 4]})
    found = find_formulas(open_source(frame))
    assert (found.cells, found.headers, found.total) == ({"a": 2}, 1, 3)


def test_flags_and_policies_say_what_becomes_of_formulas(table, tmp_path):
    out = tmp_path / "out.csv"
    flags = ("--qi", "=q", "--sensitive", "s", "--other-columns", "keep", "--k", "5", "-q")
    ran = incrowd("anonymize", table, *flags, "-o", out, "--formulas", "escape")
    assert ran.code == 0, ran.err
    assert incrowd("verify", out, *flags, "--formulas", "escape").code == 0
    measured = incrowd("measure", out, "--original", table, *flags, "--formulas", "escape")
    assert measured.code == 0, measured.err
    assert incrowd("anonymize", table, *flags, "-o", out, "--formulas", "refuse").code == 2
    with pytest.raises(PolicyError, match=r"release\.formulas"):
        described(formulas="run")
