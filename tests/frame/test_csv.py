"""CSV files: read as text, written back as they were."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adult_data import adult_folder
from incrowd.errors import InputError, ParameterError, PolicyError
from incrowd.frame import Replacement, read_csv
from incrowd.frame.csv import CsvSource, csv_from, write_csv
from incrowd.schema.options import InputOptions


def bytes_of(source: CsvSource) -> bytes:
    file = io.BytesIO()
    write_csv(source, file)
    return file.getvalue()


def decoded(source: CsvSource, name: str, **options) -> list[str | None]:
    column = source.encode(name, **options)
    return [None if code < 0 else column.texts[code] for code in column.codes]


@pytest.fixture
def csv(tmp_path):
    def read(data: str | bytes, **options) -> CsvSource:
        path = tmp_path / options.pop("name", "people.csv")
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return read_csv(path, **options)

    return read


def labels(*texts: str | None) -> Replacement:
    """One label per row."""
    distinct = list(dict.fromkeys(texts))
    codes = np.array([distinct.index(text) for text in texts], dtype=np.int32)
    return Replacement(tuple(distinct), codes)


def test_cells_are_text_always(csv):
    source = csv("zip,married,age\n01234,TRUE,39\n1234,true,39.0\n01234,,1e3\n")
    assert source.names == ("zip", "married", "age")
    assert (source.kind, source.n_rows) == ("csv", 3)
    assert decoded(source, "zip") == ["01234", "1234", "01234"]
    assert source.encode("zip").texts == ("01234", "1234")
    assert decoded(source, "married") == ["TRUE", "true", None]
    kinds = [source.encode(name).kind for name in source.names]
    assert kinds == ["number", "boolean", "number"]
    assert decoded(source, "age") == ["39", "39.0", "1e3"]


def test_codes_are_int32_in_order_of_first_appearance(csv):
    column = csv("a;b\nx;1\n;1\ny;1\nx;1\n").encode("a")
    assert column.codes.dtype == np.int32
    assert column.codes.tolist() == [0, -1, 1, 0]
    assert column.texts == ("x", "y")


def test_a_column_is_coded_alike_whether_its_cells_were_looked_up_or_not(csv):
    names = [*(f"n{row}" for row in range(50_000)), *["n7", '"n7"', ""] * 3]
    source = csv("name;a\n" + "".join(f"{name};1\n" for name in names))
    assert not source.columns["name"].distinct
    column = source.encode("name")
    assert column.texts == tuple(f"n{row}" for row in range(50_000))
    assert column.codes[50_000:].tolist() == [7, 7, -1] * 3
    assert not column.uniform
    few = source.take(np.array([50_000, 3, 7]), {}, ["name"]).encode("name")
    assert (few.texts, few.codes.tolist(), few.uniform) == (("n7", "n3"), [0, 1, 0], True)


def test_missing_texts(csv):
    source = csv("a;b\n?;1\n;1\nNA;1\n")
    assert decoded(source, "a") == ["?", None, "NA"]
    assert decoded(source, "a", missing=("", "?")) == [None, None, "NA"]
    assert decoded(source, "a", missing=()) == ["?", "", "NA"]


def test_quoted_and_plain_spellings_are_one_value(csv):
    source = csv('a;b\n39;1\n"39";1\n"";1\n;1\n"say ""x""";1\n')
    assert decoded(source, "a") == ["39", "39", None, None, 'say "x"']


QUOTED = 'na;me;"the ""age""";note\r\nÅsa;"1;2";"two\r\nlines"\r\n"Bo ""B""";;5" pipe\r\n'.replace(
    "na;me", '"na;me"'
)


@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_untouched_bytes_come_back(csv, bom):
    source = csv(bom + QUOTED)
    assert source.names == ("na;me", 'the "age"', "note")
    assert decoded(source, "note") == ["two\r\nlines", '5" pipe']
    assert decoded(source, 'the "age"') == ["1;2", None]
    assert bytes_of(source) == (bom + QUOTED).encode()


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("tail", ["", "\n", "\n\n\n"])
def test_line_endings_and_empty_lines_at_the_end(csv, ending, tail):
    text = "a,b\n1,2\n3,4".replace("\n", ending)
    source = csv(text + tail.replace("\n", ending))
    assert source.n_rows == 2
    assert bytes_of(source) == (text + ending).encode()


def test_mixed_line_endings_are_noted(csv):
    source = csv("a,b\n1,2\r\n3,4\r\n")
    assert any("mixed" in note for note in source.notes)
    assert bytes_of(source) == b"a,b\r\n1,2\r\n3,4\r\n"


def test_in_one_column_an_empty_line_is_a_missing_cell(csv):
    source = csv("a\n1\n\n2\n\n")
    assert decoded(source, "a") == ["1", None, "2", None]
    assert bytes_of(source) == b"a\n1\n\n2\n\n"
    assert any("one column" in note for note in source.notes)


def test_rows_are_taken_in_the_given_order(csv):
    source = csv('id;age;zip\n1;"39";01\n2;40;02\n3;41;03\n')
    new = {"age": labels("[35, 45)", "*", None, "*")}
    taken = source.take(np.array([2, 0, 0, 1]), new, ["zip", "age"])
    assert bytes_of(taken) == b"zip;age\n03;[35, 45)\n01;*\n01;\n02;*\n"
    assert bytes_of(source) == b'id;age;zip\n1;"39";01\n2;40;02\n3;41;03\n'
    assert taken.names == ("zip", "age")
    assert taken.encode("zip").texts == ("03", "01", "02")
    assert taken.encode("age").texts == ("[35, 45)", "*")


def test_labels_are_quoted_where_they_must_be(csv):
    source = csv("a,b\n1,2\n1,2\n")
    taken = source.take(np.arange(2), {"a": labels("[1, 2)", 'x"y')}, ["a", "b"])
    assert bytes_of(taken) == b'a,b\n"[1, 2)",2\n"x""y",2\n'


def test_labels_are_quoted_where_every_cell_is(csv):
    source = csv('a,b\n"1","x"\n,"y"\n')
    taken = source.take(np.arange(2), {"a": labels("*", None)}, ["a", "b"])
    assert bytes_of(taken) == b'a,b\n"*","x"\n,"y"\n'


def test_a_taken_table_codes_only_what_it_holds(csv):
    source = csv("a;b\nx;1\ny;1\nz;1\n").take(np.array([2, 0]), {}, ["a"])
    assert source.encode("a").texts == ("z", "x")
    assert source.encode("a").codes.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a;b\n1,5;2,5\n", "';'"),
        ("a,b\n1,2\n", "','"),
        ("a\tb\n1 x\t2\n", "tab"),
        ("a|b\n1|2\n", "'|'"),
        ('"a;x",b\n"1;2;3",2\n', "','"),
        ('a,b\n"x;\n;y",2\n3,4\n', "','"),
        ("name;says\nx;a, b, c\ny;d, e\n", "';'"),
    ],
)
def test_the_separator_is_sniffed_and_told(csv, text, separator):
    assert f"separator {separator} (sniffed)" in csv(text).notes


def test_names_with_a_comma_in_a_file_of_one_column(csv):
    source = csv("last, first\nx\ny\nz\n")
    assert source.names == ("last, first",)


def test_a_ragged_row_does_not_hide_the_separator(csv):
    rows = "".join(f"{i};{i}\n" for i in range(20))
    with pytest.raises(InputError, match="line 22 has 3 cells, the header has 2"):
        csv("a;b\n" + rows + "1;2;3\n")


def test_a_given_separator_is_not_a_note(csv):
    assert csv("a→b\n1→2\n", separator="→").notes == ()
    assert csv("a\tb\n1\t2\n", separator="\\t").names == ("a", "b")
    assert csv("a;b,c\n1;2,3\n", name="x.tsv").names == ("a", "b,c")


@pytest.mark.parametrize("separator", ["", ";;", '"', "\n", "\r", "\0", "\ud800"])
def test_separators_that_cannot_be(csv, separator):
    with pytest.raises(ParameterError, match="single character"):
        csv("a;b\n1;2\n", separator=separator)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le"])
def test_other_encodings_are_written_in_utf8(csv, encoding):
    source = csv("näme;b\nÅsa;2\n".encode(encoding), encoding=encoding)
    assert source.names == ("näme", "b")
    assert decoded(source, "näme") == ["Åsa"]
    assert bytes_of(source) == "näme;b\nÅsa;2\n".encode()
    assert any("UTF-8" in note for note in source.notes)


@pytest.mark.parametrize("encoding", ["utf8", "UTF-8", "utf-8-sig", "ascii"])
def test_names_of_utf8(csv, encoding):
    assert csv("\ufeffä;b\n1;2\n", encoding=encoding).names == ("ä", "b")


@pytest.mark.parametrize("encoding", ["no such", "rot13", "base64", "", "a\0b"])
def test_names_of_no_encoding(csv, encoding):
    with pytest.raises(ParameterError, match="encoding"):
        csv("a;b\n1;2\n", encoding=encoding)


SECRET = "s3cret"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"a;s3cret\n", "no records"),
        (b"a;s3cret", "no records"),
        (b"a;b\n\n\n", "no records"),
        (b"\n\na;b\n1;2\n", "line 1: column 1 of 1 has no name"),
        (b"a;;c\n1;2;3\n", "line 1: column 2 of 3 has no name"),
        (b"s3cret;a;s3cret\n1;2;3\n", "columns 1 and 3 have the same name"),
        (b'a;"a"\n1;2\n', "columns 1 and 2 have the same name"),
        (b"a;b\ns3cret;2\ns3cret\n", "line 3 has 1 cell, the header has 2"),
        (b"a;b\ns3cret;2\ns3cret;2;3\n", "line 3 has 3 cells, the header has 2"),
        (b'a;b\n"s3cret\n\n\n";2\n"x\n', "opens on line 6 is never closed"),
        (b'a;b\n"s3cret"s3cret;2\n', "line 2 has text after a closing quote"),
        (b"a;b\ns3cret\0;2\n", "line 2 holds a NUL byte"),
        (b"a;b\n\xe5s3cret;2\n", "line 2 is not UTF-8"),
        (b"a;b\n\ns3cret;2\n", "line 2 is empty, and records follow"),
        ("a;b\ns3cret;2\n".encode("utf-16"), "byte order mark of UTF-16"),
        ("a;b\ns3cret;2\n".encode("utf-32"), "byte order mark of UTF-16 or UTF-32"),
        (b"\xfe\xff", "byte order mark"),
    ],
)
def test_broken_files_are_told_without_a_cell(csv, data, message):
    with pytest.raises(InputError, match=message) as caught:
        csv(data)
    assert caught.value.hint
    assert SECRET not in str(caught.value)


def test_wide_text_without_its_mark_is_told_from_other_text(csv):
    with pytest.raises(InputError, match="is not utf-16: line 1 cannot be decoded"):
        csv(b"a;b\n1;s3cret\n", encoding="utf-16")


def test_bytes_that_the_encoding_lacks(csv):
    with pytest.raises(InputError, match="line 3 cannot be decoded"):
        csv(b"a;b\n1;2\n\x81;s3cret\n", encoding="cp1252")
    with pytest.raises(InputError, match="cannot be decoded"):
        csv("a;b\n1;2\n".encode("utf-16")[:-1], encoding="utf-16")


def test_paths_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        read_csv(tmp_path / "none.csv")
    with pytest.raises(InputError, match="is a directory"):
        read_csv(tmp_path)
    (tmp_path / "x.csv").write_text("a\n1\n")
    with pytest.raises(InputError, match="does not exist"):
        read_csv(tmp_path / "x.csv" / "y.csv")
    with pytest.raises(InputError, match="cannot be read"):
        read_csv(tmp_path / ("x" * 300 + ".csv"))


def test_a_file_of_another_user(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "s3cret")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(InputError, match="may not be read") as caught:
        read_csv(tmp_path / "x.csv")
    assert SECRET not in str(caught.value)


def test_an_unknown_column(csv):
    source = csv("a;b\n1;2\n")
    with pytest.raises(InputError, match="no column 'c'"):
        source.encode("c")
    with pytest.raises(InputError, match="no column 'c'"):
        source.take(np.arange(1), {}, ["c"])


def test_counts(csv):
    source = csv('n;x\n3;a\n"2.0";b\n+1;c\n')
    assert source.numbers("n").tolist() == [3, 2, 1]
    assert source.numbers("n").dtype == np.int64


def test_wrong_counts_are_counted(csv):
    source = csv("n;x\n3;a\n0;b\n-1;c\n2.5;d\n-2.5;d\n;e\nmany;f\nmany;f\n1e30;g\n")
    with pytest.raises(InputError) as caught:
        source.numbers("n")
    text = str(caught.value)
    assert "8 of 9 rows" in text
    assert "1 missing, 1 zero, 2 negative, 1 fractional, 2 not a number, 1 too large" in text
    assert "many" not in text


def test_counts_that_overflow_together(csv):
    with pytest.raises(InputError, match="add up to more than"):
        csv("n;x\n9223372036854775807;a\n1;b\n").numbers("n")


def test_as_an_arrow_table(csv):
    table = csv("a;b\n01;x\n;y\n").take(np.arange(2), {}, ["a", "b"]).to_native()
    assert table.to_pydict() == {"a": ["01", None], "b": ["x", "y"]}


def test_a_csv_source_stays_itself(csv):
    source = csv("a;b\n1;2\n")
    assert csv_from(source) is source


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@given(
    rows=st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=8),
    separator=st.sampled_from([";", ",", "\t", "|", "ß"]),
    bom=st.booleans(),
)
def test_what_is_written_is_read_back(tmp_path_factory, rows, separator, bom):
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    path.write_text("\ufeff" * bom + f"a{separator}b\n" + f"1{separator}2\n" * len(rows))
    source = read_csv(path, separator=separator)
    columns = {
        name: labels(*cells) for name, cells in zip("ab", zip(*rows, strict=True), strict=True)
    }
    written = bytes_of(source.take(np.arange(len(rows)), columns, ["a", "b"]))
    path.write_bytes(written)
    again = read_csv(path, separator=separator)
    assert [decoded(again, name, missing=()) for name in "ab"] == [
        list(cells) for cells in zip(*rows, strict=True)
    ]
    assert bytes_of(again) == written


@given(data=st.binary(max_size=60))
def test_any_bytes_are_a_table_or_an_input_error(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(data)
    try:
        source = read_csv(path)
    except InputError:
        return
    assert source.n_rows > 0
    path.write_bytes(bytes_of(source))
    again = read_csv(path, separator=source.separator)
    assert (again.names, again.n_rows) == (source.names, source.n_rows)


def test_reading_and_writing_csv_imports_no_dataframe_library(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a;b\n1;2\n")
    script = (
        "import sys; from incrowd.frame import open_source, stage\n"
        f"source = open_source({os.fspath(path)!r}); source.encode('a'); source.numbers('a')\n"
        f"stage(source, {os.fspath(tmp_path / 'y.csv')!r}).publish()\n"
        "print({'pyarrow', 'pandas', 'polars', 'narwhals'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("set()", "")


def test_adult_comes_back_byte_for_byte():
    path = adult_folder() / "adult.csv"
    source = read_csv(path)
    assert source.n_rows == 30162
    assert bytes_of(source) == path.read_bytes()


def test_quotes_tell_no_values_apart(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a,b\n39,x\n"39",x\n', encoding="utf-8")
    column = read_csv(path).encode("a")
    assert (column.texts, column.merged) == (("39",), False)


@pytest.mark.parametrize("codec", ["idna", "punycode", "unicode_escape", "undefined", "rot13"])
def test_codecs_that_are_no_encodings_of_tables_are_refused(tmp_path, codec):
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * 40)
    with pytest.raises(ParameterError, match="text encoding"):
        read_csv(tmp_path / "t.csv", encoding=codec)
    with pytest.raises(PolicyError, match="no text encoding"):
        InputOptions(encoding=codec)
