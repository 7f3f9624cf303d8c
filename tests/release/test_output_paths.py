"""Where a release goes is checked once, before the work begins."""

import pytest

import incrowd as ic
from command_line import incrowd, make_people
from incrowd.errors import OutputError
from incrowd.frame import files, pending
from incrowd.schema import load_policy


@pytest.fixture
def people(tmp_path, monkeypatch):
    make_people(tmp_path)
    monkeypatch.chdir(tmp_path)
    return load_policy("policy.toml")


@pytest.fixture
def checked(monkeypatch):
    seen, check = [], pending.check_target
    for module in (pending, files):
        monkeypatch.setattr(
            module, "check_target", lambda p, **o: (seen.append(str(p)), check(p, **o))[1]
        )
    return seen


def test_each_path_is_checked_once(people, checked):
    ic.anonymize_file("people.csv", "o.csv", people, recoding="r.json", result="j.json")
    assert checked == ["o.csv", "r.json", "j.json"]
    checked.clear()
    assert incrowd("apply", "r.json", "people.csv", "-o", "n.csv", "--json", "k.json").code == 0
    assert checked == ["n.csv", "k.json"]


@pytest.mark.parametrize(
    ("output", "others", "said"),
    [
        ("o.abacus", {}, "no extension"),
        ("none/o.csv", {}, "does not exist"),
        ("people.csv", {}, "is an input"),
        ("o.csv", {"recoding": "o.csv"}, "same place"),
        ("-", {"result": "-"}, "same place"),
        ("o.csv", {"recoding": "policy.toml"}, "is an input"),
    ],
)
def test_a_wrong_path_is_told_before_the_table_is_read(people, monkeypatch, output, others, said):
    def fail(*given, **options):
        raise AssertionError("the table was read")

    monkeypatch.setattr("incrowd.release.publish.open_run", fail)
    with pytest.raises(OutputError, match=said):
        ic.anonymize_file("people.csv", output, people, keep=["policy.toml"], **others)
