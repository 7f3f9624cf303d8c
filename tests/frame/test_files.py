"""Files in by their extension, files out whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import resource
import stat
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from incrowd.errors import InputError, OutputError
from incrowd.frame import check_target, files, open_source, stage
from staging import write_source

CSV = b'\xef\xbb\xbfa;"b;c"\r\n01;"x"\r\n;y\r\n'


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(CSV)
    return path


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.parquet"
    pq.write_table(
        pa.table({"a": [1, 2, None], "b": ["x,y", None, 'z"'], "c": [0.5, 2.0, None]}), path
    )
    return path


@contextmanager
def file_size_limit(size: int):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_formats_by_extension(people, table, tmp_path):
    assert open_source(people).kind == "csv"
    assert open_source(os.fspath(table)).kind == "parquet"
    (tmp_path / "X.TSV").write_text("a\tb\n1\t2\n")
    assert open_source(tmp_path / "X.TSV").names == ("a", "b")
    (tmp_path / "x.PQ").write_bytes(table.read_bytes())
    assert open_source(tmp_path / "x.PQ").kind == "parquet"


@pytest.mark.parametrize("name", ["x.xls", "x", "x.parquet.gz", "-", ""])
def test_unknown_extensions(name, people):
    with pytest.raises(InputError, match="extension") as caught:
        open_source(name)
    assert ".parquet" in str(caught.value)
    with pytest.raises(OutputError, match=r"extension|folder"):
        write_source(open_source(people), people.parent / (name if name != "-" else "minus"))


def test_an_open_source_is_taken_as_it_is(people):
    source = open_source(people)
    assert open_source(source) is source


def test_options_reach_the_reader(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes("a,b;c\nä,1;2\n".encode("latin-1"))
    source = open_source(path, separator=",", encoding="latin-1")
    assert source.names == ("a", "b;c")


def test_csv_to_csv_is_spelled_alike(people, tmp_path):
    write_source(open_source(people), tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_bytes() == CSV


def test_csv_to_parquet(people, tmp_path):
    write_source(open_source(people), tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.to_pydict() == {"a": ["01", None], "b;c": ["x", "y"]}
    assert set(found.schema.types) == {pa.string()}


def test_parquet_to_csv(table, tmp_path):
    write_source(open_source(table), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == 'a,b,c\n1,"x,y",0.5\n2,,2\n,"z""",\n'
    write_source(open_source(table), tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_text() == 'a\tb\tc\n1\tx,y\t0.5\n2\t\t2\n\t"z"""\t\n'


def test_parquet_to_parquet_keeps_types(table, tmp_path):
    write_source(open_source(table), tmp_path / "out.pq")
    assert pq.read_table(tmp_path / "out.pq").equals(pq.read_table(table))


def test_parquet_shows_nothing_of_records_left_out(tmp_path):
    column = pa.array(["a", "s3cret-value", "b"] * 10).dictionary_encode()
    pq.write_table(pa.table({"x": column}), tmp_path / "in.parquet")
    source = open_source(tmp_path / "in.parquet")
    rows = np.array([i for i in range(30) if i % 3 != 1])
    write_source(source.take(rows, {}, ["x"]), tmp_path / "out.parquet")
    assert b"s3cret-value" in (tmp_path / "in.parquet").read_bytes()
    assert b"s3cret-value" not in (tmp_path / "out.parquet").read_bytes()


def test_pandas_to_files(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1, 2], "m": pd.Series([1, "s3cret"], dtype=object)})
    frame.index = [7, 7]
    write_source(open_source(frame[["a"]]), tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").to_pydict() == {"a": [1, 2]}
    write_source(open_source(frame), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "a,m\n1,1\n2,s3cret\n"
    with pytest.raises(InputError, match="column 'm'") as caught:
        write_source(open_source(frame), tmp_path / "mixed.parquet")
    assert "s3cret" not in str(caught.value)
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "out.parquet"]


def test_folders_named_like_partitions_add_no_column(table, tmp_path):
    folder = tmp_path / "year=2020"
    folder.mkdir()
    (folder / "x.parquet").write_bytes(table.read_bytes())
    assert open_source(folder / "x.parquet").names == ("a", "b", "c")


def test_parquet_files_that_cannot_be_read(table, tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        open_source(tmp_path / "none.parquet")
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(InputError, match="is a directory"):
        open_source(tmp_path / "folder.parquet")
    pq.write_table(pa.table({"a": pa.array([], pa.int8())}), tmp_path / "empty.parquet")
    with pytest.raises(InputError, match="no records"):
        open_source(tmp_path / "empty.parquet")
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "twice.parquet")
    with pytest.raises(InputError, match="several columns"):
        open_source(tmp_path / "twice.parquet")


def test_truncated_parquet(table):
    data = table.read_bytes()
    for size in (0, 3, 4, len(data) // 2, len(data) - 9, len(data) - 1):
        table.write_bytes(data[:size])
        with pytest.raises(InputError, match="not a Parquet file, or is truncated") as caught:
            open_source(table)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(where=st.floats(0, 1, exclude_max=True), value=st.integers(0, 255))
def test_spoiled_parquet_is_read_or_refused(table, where, value):
    data = bytearray(table.read_bytes())
    data[int(where * len(data))] = value
    path = table.with_name("spoiled.parquet")
    path.write_bytes(data)
    try:
        source = open_source(path)
    except InputError:
        return
    assert source.n_rows > 0


def test_nothing_appears_before_it_is_published(people, tmp_path):
    target = tmp_path / "out.csv"
    pending = stage(open_source(people), target)
    assert not target.exists()
    assert pending.path.parent == target.parent
    assert pending.path.suffix == ".csv"
    assert stat.S_IMODE(pending.path.stat().st_mode) == 0o600
    assert open_source(pending.path).n_rows == 2
    pending.publish()
    assert target.read_bytes() == CSV
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "people.csv"]


def test_what_is_not_published_is_removed(people, tmp_path):
    with stage(open_source(people), tmp_path / "out.csv") as pending:
        assert pending.path.exists()
    stage(open_source(people), tmp_path / "out.csv").discard()

    def fail_to_verify():
        with stage(open_source(people), tmp_path / "out.csv"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_to_verify()
    assert os.listdir(tmp_path) == ["people.csv"]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_follows_the_umask(people, tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        write_source(open_source(people), tmp_path / "out.csv")
        assert os.umask(umask) == umask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == mode


def test_a_replaced_file_keeps_its_permissions(people, tmp_path):
    target = tmp_path / "out.csv"
    target.write_text("old")
    target.chmod(0o640)
    write_source(open_source(people), target)
    assert target.read_bytes() == CSV
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_link_is_written_through(people, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link.csv").symlink_to(tmp_path / "real" / "out.csv")
    write_source(open_source(people), tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real" / "out.csv").read_bytes() == CSV


def test_the_input_is_never_overwritten(people, tmp_path):
    (tmp_path / "soft.csv").symlink_to(people)
    (tmp_path / "hard.csv").hardlink_to(people)
    (tmp_path / "folder").mkdir()
    for same in ("people.csv", "soft.csv", "hard.csv", "folder/../people.csv"):
        with pytest.raises(OutputError, match="is an input"):
            write_source(open_source(people), tmp_path / same, inputs=(people,))
    assert people.read_bytes() == CSV


def test_paths_that_cannot_be_written(people, tmp_path):
    source = open_source(people)
    with pytest.raises(OutputError, match=r"folder of .* does not exist"):
        write_source(source, tmp_path / "none" / "out.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(OutputError, match="is a folder"):
        write_source(source, tmp_path / "folder.csv")
    with pytest.raises(OutputError, match="no ordinary file"):
        check_target("/dev/null")
    with pytest.raises(OutputError, match="does not exist"):
        check_target(people / "out.csv")
    with pytest.raises(OutputError, match="cannot be written"):
        write_source(source, tmp_path / ("x" * 252 + ".csv"))
    assert sorted(os.listdir(tmp_path)) == ["folder.csv", "people.csv"]


def test_a_folder_that_is_not_writable(people, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OutputError, match="is not writable"):
        write_source(open_source(people), tmp_path / "out.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_of_mode_0500(people, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(OutputError, match="is not writable"):
        write_source(open_source(people), tmp_path / "closed" / "out.csv")


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_a_file_that_grows_too_large(tmp_path, name):
    source = open_source(pa.table({"x": [f"{i * 7919}" for i in range(50_000)]}))
    with file_size_limit(20_000), pytest.raises(OutputError, match="larger than allowed"):
        write_source(source, tmp_path / name)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_a_full_disk(tmp_path, name):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", os.fspath(disk)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        source = open_source(pa.table({"x": [f"{i * 7919}" for i in range(50_000)]}))
        (disk / name).write_bytes(b"old")
        with pytest.raises(OutputError, match="disk is full"):
            write_source(source, disk / name)
        assert os.listdir(disk) == [name]
        assert (disk / name).read_bytes() == b"old"
    finally:
        subprocess.run(["umount", os.fspath(disk)], check=True)


@pytest.mark.parametrize(
    ("code", "message"), [(errno.ENOSPC, "disk is full"), (errno.EROFS, "read-only")]
)
def test_the_system_says_no(people, tmp_path, monkeypatch, code, message):
    def refuse(*_):
        raise OSError(code, "s3cret")

    monkeypatch.setattr(files, "write_csv", refuse)
    with pytest.raises(OutputError, match=message) as caught:
        write_source(open_source(people), tmp_path / "out.csv")
    assert "s3cret" not in str(caught.value)
    assert os.listdir(tmp_path) == ["people.csv"]


def test_a_failed_rename_leaves_nothing(people, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EPERM, "no")

    pending = stage(open_source(people), tmp_path / "out.csv")
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OutputError, match="does not allow it"):
        pending.publish()
    assert os.listdir(tmp_path) == ["people.csv"]


def test_an_interrupt_while_writing_leaves_nothing(people, tmp_path, monkeypatch):
    def interrupt(source, file):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "write_csv", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_source(open_source(people), tmp_path / "out.csv")
    assert os.listdir(tmp_path) == ["people.csv"]


def test_standard_output(people, tmp_path, monkeypatch):
    printed = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed))
    pending = stage(open_source(people), "-")
    assert stat.S_IMODE(pending.path.stat().st_mode) == 0o600
    assert pending.path.parent != tmp_path
    assert printed.getvalue() == b""
    pending.publish()
    assert printed.getvalue() == CSV
    assert not pending.path.exists()


def test_a_reader_that_goes_away(people, monkeypatch):
    class Gone(io.RawIOBase):
        def writable(self):
            return True

        def write(self, _):
            raise BrokenPipeError(errno.EPIPE, "gone")

    class Stdout:
        buffer = Gone()

    pending = stage(open_source(people), "-")
    monkeypatch.setattr(sys, "stdout", Stdout())
    with pytest.raises(OutputError, match="standard output cannot be written"):
        pending.publish()
    assert not pending.path.exists()
