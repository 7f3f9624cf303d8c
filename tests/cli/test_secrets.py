"""Damaged files: never an internal error, never a cell value in a message, nothing unverified."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from command_line import NAMES, POLICY, as_csv, incrowd, people, refuse_secrets

QUICK = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
TABLE = as_csv(people(30)).encode()
RULES = POLICY.encode()
TREE = b"S3CRET-f;S3CRET-any;*\nS3CRET-m;S3CRET-any;*\n"
SPECIAL = [
    b'"',
    b",",
    b";",
    b"\n",
    b"\r",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"",
    b"*",
    b"7310",
    b"-",
]


@st.composite
def damaged(draw, whole):
    """Replace, insert or remove a few pieces of a file."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(whole)))
        stop = draw(st.integers(start, min(len(whole), start + draw(st.sampled_from([0, 1, 40])))))
        piece = draw(st.sampled_from(SPECIAL) | st.binary(max_size=4))
        whole = whole[:start] + piece + whole[stop:]
    return whole


def check(table=TABLE, policy=RULES, tree=TREE, command="anonymize"):
    """Run a command on the files, and hold it to what must be true whatever they are."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file, content in (("people.csv", table), ("policy.toml", policy), ("sex.csv", tree)):
            (folder / file).write_bytes(content)
        arguments = {
            "anonymize": ("anonymize", folder / "people.csv", "-o", folder / "out.csv"),
            "verify": ("verify", folder / "people.csv"),
        }[command]
        ran = incrowd(*arguments, "-p", folder / "policy.toml", "--json", folder / "out.json")
        made = {path.name for path in folder.iterdir()} - {"people.csv", "policy.toml", "sex.csv"}
    assert ran.code in (0, 1, 2), ran.err
    assert ran.raw == b""
    if ran.code == 0:
        assert "out.json" in made
    elif command == "anonymize":
        assert made == set()
        assert "Hint:" in ran.err
    assert not [each for each in made if each.startswith(".")]
    return ran


@QUICK
@given(damaged(TABLE))
def test_a_damaged_table(table):
    ran = check(table=table)
    header = table.split(b"\n")[0]
    if b"S3CRET" not in header and b"7310" not in header:  # names of columns may be told
        refuse_secrets(ran.err)


@QUICK
@given(damaged(TABLE.replace(b"name,", b"", 1)))
def test_a_damaged_release(table):
    ran = check(table=table, command="verify")
    header = table.split(b"\n")[0]
    if b"S3CRET" not in header and b"7310" not in header:
        refuse_secrets(ran.err)


@QUICK
@given(damaged(RULES.replace(b"{ suppression = true }", b'"sex.csv"')))
def test_a_damaged_policy(policy):
    refuse_secrets(check(policy=policy.replace(b"7310", b"x")).err)


@QUICK
@given(damaged(TREE))
def test_a_damaged_hierarchy(tree):
    policy = RULES.replace(b"{ suppression = true }", b'"sex.csv"')
    refuse_secrets(check(policy=policy, tree=tree).err)


@QUICK
@given(damaged(TABLE), damaged(RULES))
def test_everything_damaged(table, policy):
    check(table=table, policy=policy)


HIERARCHIES = [
    '"auto"',
    "{ intervals = [5, 10] }",
    "{ suppression = true }",
    "{ masking = true }",
    "{ ordered = 3 }",
    '{ dates = ["month", "year"] }',
    '{ groups = { x = ["S3CRET-f", "S3CRET-g"] } }',
]
CELLS = st.sampled_from(
    ["", "731022", "731022.0", "S3CRET", "S3CRET-f", "7310-02-29", "2020-02-29", "nan", "*", " "]
)


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.lists(CELLS, min_size=5, max_size=5), min_size=1, max_size=25),
    st.lists(st.sampled_from(HIERARCHIES), min_size=3, max_size=3),
    st.integers(1, 6),
    st.sampled_from(["refuse", "suppress"]),
    st.sampled_from(["flash", "datafly", "samarati", "ola", "incognito", "improved-greedy"]),
)
def test_any_cells_under_any_hierarchies(records, hierarchies, k, unknown, algorithm):
    columns = "".join(
        f'[columns.{name}]\nrole = "quasi-identifier"\nhierarchy = {hierarchy}\n'
        f'unknown = "{unknown}"\n'
        for name, hierarchy in zip(("age", "sex", "zip"), hierarchies, strict=True)
    )
    policy = (
        f'[columns.name]\nrole = "identifier"\n{columns}[columns.disease]\nrole = "sensitive"\n'
        f'[[requirements]]\nk_anonymity = {k}\n[algorithm]\nname = "{algorithm}"\n'
        "suppression_limit = 0.3\n"
    )
    ran = check(table=as_csv(records, names=NAMES).encode(), policy=policy.encode())
    assert ran.code != 1, ran.err  # our own releases pass the recount
    refuse_secrets(ran.err)


def test_an_internal_error_quotes_nothing(tmp_path, monkeypatch):
    """Whatever breaks, its message is kept back: it may hold a cell."""

    def fail(*arguments, **options):
        raise RuntimeError("cannot handle the cell 'S3CRET'")

    monkeypatch.setattr("incrowd.release.anonymize_file", fail)
    (tmp_path / "people.csv").write_bytes(TABLE)
    (tmp_path / "policy.toml").write_bytes(RULES)
    rest = ("-p", tmp_path / "policy.toml", "-o", tmp_path / "out.csv")
    ran = incrowd("anonymize", tmp_path / "people.csv", *rest)
    assert ran.code == 3
    assert "internal error: RuntimeError" in ran.err
    assert "Hint:" in ran.err
    refuse_secrets(ran.err)
    monkeypatch.setenv("INCROWD_DEBUG", "1")
    with pytest.raises(RuntimeError):
        incrowd("anonymize", tmp_path / "people.csv", *rest)
