"""Files that hold facts of the input are readable by their owner alone."""

import stat

import pytest

from command_line import incrowd, make_people


@pytest.fixture
def folder(tmp_path, monkeypatch):
    make_people(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


POLICY = ("-p", "policy.toml", "-q")
PRIVATE = {
    "recoding.json": ("anonymize", "people.csv", *POLICY, "-o", "out.csv", "--recoding"),
    "result.json": ("anonymize", "people.csv", *POLICY, "-o", "out.csv", "--json"),
    "run.json": ("compare", "people.csv", *POLICY, "--algorithms", "flash", "--json"),
    "table.json": ("compare", "people.csv", *POLICY, "--algorithms", "flash", "-o"),
    "age.csv": ("hierarchy", "build", "people.csv", "--column", "age", "-o"),
}


@pytest.mark.parametrize("before", [None, 0o644])
@pytest.mark.parametrize("name", PRIVATE)
def test_its_mode_is_0600_whatever_it_replaces(folder, name, before):
    if before is not None:
        (folder / name).touch(before)
    ran = incrowd(*PRIVATE[name], name)
    assert ran.code == 0, ran.err
    assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600


def test_a_file_without_names_is_not_quoted_when_it_is_verified(folder):
    (folder / "no-names.csv").write_text("CANARY-1,CANARY-2\nx,y\nx,y\n", encoding="utf-8")
    for other in ("refuse", "drop", "keep"):
        ran = incrowd("verify", "no-names.csv", "--qi", "age", "--k", "2", "--other-columns", other)
        assert ran.code == 2
        assert "first line" in ran.err
        assert "CANARY" not in ran.err


def test_few_known_names_are_no_line_of_names(folder):
    (folder / "no-names.csv").write_text("CANARY-1,f\nx,y\nx,y\n", encoding="utf-8")
    ran = incrowd("anonymize", "no-names.csv", "--qi", "age,zip,f", "--k", "2", "-o", "out.csv")
    assert ran.code == 2
    assert "first line" in ran.err
    assert "CANARY" not in ran.err


def test_inspect_warns_of_names_that_are_numbers(folder):
    (folder / "years.csv").write_text("2019,place\n36,x\n37,y\n", encoding="utf-8")
    ran = incrowd("inspect", "years.csv")
    assert "1 of 2 columns are called like a number" in ran.err
    (folder / "no-names.csv").write_text("34,f,flu\n36,m,flu\n", encoding="utf-8")
    ran = incrowd("inspect", "no-names.csv")
    assert ran.code == 2
    assert "the first line seems to be a record: 2 of the 3 names" in ran.err
