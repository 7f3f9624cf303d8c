"""Bad input: exit code 2, what and where, a hint, no file left, and never a cell value."""

from __future__ import annotations

import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import FLAGS, NAMES, POLICY, as_csv, incrowd, make_people, people, refused

ANONYMIZE = ("anonymize", "people.csv", "-o", "out.csv")
WITH_POLICY = (*ANONYMIZE, "-p", "policy.toml")
SEX_FILE = POLICY.replace("{ suppression = true }", '"sex.csv"')


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Stand in a folder with a table and a policy; afterwards nothing may have been added."""
    make_people(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not (tmp_path / "out.csv").exists()
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".incrowd")]


def policy(text):
    with open("policy.toml", "w", encoding="utf-8") as file:
        file.write(text)


def table(content):
    with open("people.csv", "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


# --- k and the suppression limit


@pytest.mark.parametrize("k", ["0", "-3", "2.5", "five", "", "1e3", str(10**30), "nan"])
def test_a_k_that_is_no_whole_number_of_1_or_more(k):
    refused(incrowd(*WITH_POLICY, "--k", k), "k")
    refused(incrowd(*ANONYMIZE, *FLAGS, "--k", k), "k")
    written = f'"{k}"' if k in ("five", "") else k
    policy(POLICY.replace("k_anonymity = 5", f"k_anonymity = {written}"))
    refused(incrowd(*WITH_POLICY), "policy.toml", "requirement 1", "k")


OTHERS = {
    "anonymize": WITH_POLICY,
    "verify": ("verify", "people.csv", "-p", "policy.toml"),
    "measure": ("measure", "people.csv", "--original", "people.csv", "-p", "policy.toml"),
    "compare": ("compare", "people.csv", "--algorithms", "flash", "-p", "policy.toml"),
}


@pytest.mark.parametrize("words", OTHERS.values(), ids=list(OTHERS))
def test_requirements_on_values_that_make_no_sense(words):
    refused(incrowd(*words, "--l-diversity", "disease"), "--l-diversity 3:occupation")
    refused(incrowd(*words, "--l-diversity", "1:disease"), "promises nothing")
    refused(incrowd(*words, "--l-diversity", "3:zip"), "quasi-identifier is generalised")
    refused(incrowd(*words, "--t-closeness", "0.2:diseas"), "did you mean 'disease'")
    refused(incrowd(*words, "--t-closeness", "7:disease"), "between 0 and 1")


def test_more_values_than_there_are():
    asked = ("--l-diversity", "2:disease:entropy", "--l-diversity", "9:disease")
    refused(incrowd(*WITH_POLICY, *asked), "has 3 different values", "largest l")
    refused(incrowd(*WITH_POLICY, "--t-closeness", "0.2:disease:ordered"), "no numbers")


@pytest.mark.parametrize("k", [201, 2**62])
def test_a_k_larger_than_the_table_says_what_is_reachable(k):
    refused(incrowd(*WITH_POLICY, "--k", k), f"k = {k}", "200 records", "largest k")


@pytest.mark.parametrize("limit", ["1.5", "-0.1", "x", "nan", "inf", ""])
def test_a_suppression_limit_that_is_no_share(limit):
    refused(incrowd(*WITH_POLICY, "--suppression-limit", limit), "suppression")
    policy(POLICY.replace("0.05", f'"{limit}"' if limit in ("x", "") else limit))
    refused(incrowd(*WITH_POLICY), "suppression_limit", "between 0 and 1")


# --- the table


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (as_csv([]), "no records"),
        (b"\n\n\n", "no name"),
        (b"name,age,sex,zip,\n1,2,3,4,5\n", "column 5 of 5 has no name"),
        (b"name,age,sex,zip,age\n1,2,3,4,5\n", "same name"),
        (as_csv(people()) + "S3CRET,7310\n", "line 202 has 2 cells"),
        (as_csv(people()) + ",".join(["S3CRET"] * 6) + "\n", "line 202 has 6 cells"),
        (as_csv(people()) + '"S3CRET,1,2,3,4\n', "opens on line 202"),
        (as_csv(people()) + '"S3CRET"S3CRET,1,2,3,4\n', "line 202 has text after"),
        (as_csv(people()) + "S3CRET\0,1,2,3,4\n", "line 202 holds a NUL"),
        (as_csv(people()) + "\nS3CRET,1,2,3,4\n", "line 202 is empty"),
        ((as_csv(people()) + "S3CRETé,1,2,3,4\n").encode("latin-1"), "line 202 is not UTF-8"),
        (as_csv(people()).encode("utf-16"), "UTF-16"),
        (b"PK\x03\x04" + bytes(range(256)), "people.csv"),
    ],
    ids=lambda each: each if isinstance(each, str) and len(each) < 40 else "file",
)
def test_a_csv_file_that_is_none(content, words):
    table(content)
    refused(incrowd(*WITH_POLICY), "people.csv", words)


def test_a_table_without_a_line_of_names():
    """What stands in their place is a record, and is not told."""
    table(as_csv(people()).split("\n", 1)[1])
    refused(incrowd(*WITH_POLICY), "'age'", "first line")
    refused(incrowd(*ANONYMIZE, *FLAGS, "--k", "5"), "'age'", "first line")
    refused(incrowd("verify", "people.csv", "-p", "policy.toml"), "'age'")
    refused(incrowd("hierarchy", "build", "people.csv", "--column", "age"), "'age'")
    (name, *_), *_ = people()
    refused(incrowd("anonymize", "people.csv", "--qi", name[-6:], "--k", "5", "-o", "out.csv"))


def test_a_name_with_a_quote_left_open():
    table('name,age,sex,zip,disease,"note\n' + as_csv(people()) + '"\n1,2,3,4,5,6\n')
    refused(incrowd(*WITH_POLICY), "no role", "characters")


def parquet():
    columns = dict(zip(NAMES, map(list, zip(*people(), strict=True)), strict=True))
    pq.write_table(pa.table(columns), "people.parquet", compression="none")
    with open("people.parquet", "rb") as file:
        return file.read()


@pytest.mark.parametrize("damage", ["cut", "head", "empty", "middle", "tail", "csv"])
def test_a_parquet_file_that_is_broken(damage):
    whole = parquet()
    broken = {
        "cut": whole[:-20],
        "head": whole[:3],
        "empty": b"",
        "middle": whole[:40] + b"\xff" * 400 + whole[440:],
        "tail": whole[:-60] + b"\xff" * 52 + whole[-8:],
        "csv": as_csv(people()).encode(),
    }[damage]
    with open("people.parquet", "wb") as file:
        file.write(broken)
    arguments = ("anonymize", "people.parquet", "-p", "policy.toml", "-o", "out.csv")
    refused(incrowd(*arguments), "people.parquet", "Parquet")


def test_a_table_without_rows_or_with_values_that_have_no_text(folder):
    arguments = ("anonymize", "people.parquet", "-p", "policy.toml", "-o", "out.csv")
    columns = dict.fromkeys(NAMES, pa.array([], pa.string()))
    pq.write_table(pa.table(columns), "people.parquet")
    refused(incrowd(*arguments), "no records")
    rows = [b"S3CRET"] * 9
    columns = {name: pa.array(rows, pa.binary()) for name in NAMES}
    pq.write_table(pa.table(columns), "people.parquet")
    refused(incrowd(*arguments), "'age'", "without a text")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("nothing.csv", "does not exist"),
        ("folder.csv", "is a directory"),
        ("empty", "without Parquet files"),
        (".", "lies in the folder"),
        ("*.parquet", "no file is called like"),
        ("people.xls", "extension"),
        ("people.csv/x.csv", "does not exist"),
        ("", "extension"),
    ],
)
def test_an_input_that_is_no_file(folder, data, words):
    (folder / "folder.csv").mkdir()
    (folder / "empty").mkdir()
    refused(incrowd("anonymize", data, "-p", "policy.toml", "-o", "out.csv"), words)


# --- the policy


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("columns.zip", "columns.zipp", ("'zipp'", "did you mean 'zip'")),
        ('[columns.disease]\nrole = "sensitive"\n', "", ("no role", "'disease'", "other_columns")),
        ('role = "sensitive"', "", ("'disease'", "no role")),
        ('"sensitive"', '"sensitiv"', ("'sensitiv'", "did you mean 'sensitive'")),
        ('"sensitive"', "5", ("role", "'disease'")),
        ('"sensitive"', '"sensitive"\nhierarchie = 1', ("hierarchie", "did you mean")),
        ('"sensitive"', '"insensitive"\nhierarchy = "auto"', ("no meaning",)),
        ('"sensitive"', '"sensitive"\n[columns.age]\nrole = "sensitive"', ("twice", "line 2")),
        ('"identifier"', '"count"\n[columns.x]\nrole="count"', ("'count'", "'name', 'x'")),
        ("[[requirements]]\nk_anonymity = 5", "", ("no requirement",)),
        ("[[requirements]]", "[requirements]", ("double brackets",)),
        ("k_anonymity = 5", 'k_anonymity = 5\non = ["disease"]', ("'disease'", "'sensitive'")),
        ("k_anonymity = 5", 'k_anonymity = 5\non = ["agee"]', ("'agee'", "did you mean 'age'")),
        ("k_anonymity = 5", "k_anonymity = 5\non = []", ("on",)),
        ("k_anonymity = 5", 'k_anonymity = 5\non = "age"', ("on of requirement 1",)),
        ("k_anonymity = 5", "k_anonimity = 5", ("k_anonimity", "did you mean")),
        ('"flash"', '"flahs"', ("'flahs'", "flash")),
        ('"flash"', "7", ("algorithm.name",)),
        ('"flash"', '"datafly"\nsearch = "bounded"', ("'search'", "suppression_limit")),
        ('"flash"', '"flash"\nsped = 5', ("'sped'", "time_limit")),
        ('"flash"', '"flash"\nobjective = "los"', ("'los'", "loss")),
        ('"flash"', '"flash"\nobjective = ["loss"]', ("objective",)),
        ('"flash"', '"flash"\nobjective = 5', ("objective",)),
        ('"flash"', '"flash"\nsearch = "best"', ("search", "'bounded'")),
        ('"flash"', '"flash"\nsearch = ["bounded"]', ("search",)),
        ('"flash"', '"flash"\ntime_limit = -1', ("time_limit",)),
        ('"flash"', '"flash"\ntime_limit = "x"', ("time_limit",)),
        ('"flash"', '"flash"\nnode_limit = 0', ("node_limit",)),
        ('"flash"', '"samarati"\nsearch = "up"', ("search", "'binary'")),
        ('"flash"', '"improved-greedy"\ncloseness = 7', ("closeness",)),
        ("[5, 10, 20]", "[5, 12]", ("intervals", "'age'")),
        ("[5, 10, 20]", "[]", ("'age'",)),
        ("[5, 10, 20]", "[0]", ("'age'",)),
        ("[5, 10, 20]", '["x"]', ("'age'",)),
        ("{ intervals = [5, 10, 20] }", "{ intervall = [5] }", ("'age'", "intervals")),
        ("{ intervals = [5, 10, 20] }", "5", ("'age'",)),
        ("{ masking = true }", "{ intervals = [5] }", ("'zip'", "200 of 200", "not numbers")),
        ("{ masking = true }", '{ dates = ["month"] }', ("'zip'", "200 of 200", "not dates")),
        ('"refuse"', '"keeep"', ("other_columns", "'keep'")),
        ("[algorithm]", '[release]\norder = "random"\n[algorithm]', ("release.order",)),
        ("[algorithm]", '[release]\nsuppressed = "gone"\n[algorithm]', ("release.suppressed",)),
        ("[algorithm]", '[input]\nseparator = ";;"\n[algorithm]', ("input.separator",)),
        ("[algorithm]", '[input]\nencoding = "klingon"\n[algorithm]', ("input.encoding",)),
        ("[algorithm]", "[input]\nmissing = 5\n[algorithm]", ("input.missing",)),
        ("[algorithm]", "[outptu]\nx = 5\n[algorithm]", ("outptu",)),
        ("[algorithm]", "[algorithm", ("TOML", "line 2")),
        ("[algorithm]", "\0", ("TOML",)),
        (POLICY, "", ("no column is a quasi-identifier",)),
        (POLICY, "columns = 5", ("columns",)),
        (POLICY, "x = " + "[" * 5000, ("policy.toml",)),
    ],
    ids=lambda each: each[:30] if isinstance(each, str) else "words",
)
def test_a_policy_that_is_wrong(old, new, words):
    assert old in POLICY
    policy(POLICY.replace(old, new, 1))
    refused(incrowd(*WITH_POLICY), *words)


def test_a_policy_that_is_no_file(folder):
    refused(incrowd(*ANONYMIZE, "-p", "nothing.toml"), "nothing.toml", "No such file")
    refused(incrowd(*ANONYMIZE, "-p", "."), ".: ", "directory")
    (folder / "policy.toml").write_bytes(POLICY.encode("utf-16"))
    refused(incrowd(*WITH_POLICY), "policy.toml", "UTF-8")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("-p", "policy.toml", "--sensitive", "age"), ("'age'", "twice")),
        (("-p", "policy.toml", "--target", "disease"), ("'disease'", "twice")),
        (("--qi", "age", "--sensitive", "age", "--k", "5"), ("'age'", "twice")),
        (("--qi", "age,age", "--k", "5"), ("'age'", "twice")),
        (("--k", "5"), ("neither a policy nor",)),
        (("--qi", " , ", "--k", "5"), ("neither a policy nor",)),
        (FLAGS, ("no requirement",)),
        ((*FLAGS, "--k", "5", "--other-columns", "x"), ("other_columns", "'refuse'")),
        (("--qi", "age", "--k", "5"), ("no role", "'name'", "'sex'")),
        ((*FLAGS, "--k", "5", "-a", "mondrain"), ("'mondrain'", "flash")),
        (("-p", "policy.toml", "--engine", "abacus"), ("'abacus'", "memory")),
        (("-p", "policy.toml", "--threads", "0"), ("--threads",)),
    ],
)
def test_flags_that_contradict(flags, words):
    refused(incrowd(*ANONYMIZE, *flags), *words)


# --- hierarchies


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, ("sex.csv", "does not exist")),
        ("", ("sex.csv", "is empty")),
        ("\n\n", ("sex.csv", "is empty")),
        ("S3CRET-f;S3CRET;*\nS3CRET-m;*\n", ("sex.csv", "line 2 has 2", "line 1 has 3")),
        ("S3CRET-f;S3CRET;x;*\nS3CRET-m;S3CRET;y;*\n", ("not a tree", "lines 1 and 2")),
        ("S3CRET-f;a;*\nS3CRET-m;a;*\nS3CRET-f;b;*\n", ("twice", "lines 1 and 3")),
        ("S3CRET-f;*\nS3CRET-q;*\n", ("covers 1 of 2", "'sex'", "suppress")),
        ("x;*\ny;*\n", ("covers 0 of 2", "'sex'")),
        ("S3CRET-f\nS3CRET-m\n", ("single column",)),
        ("S3CRET-f,*\nS3CRET-m,*\n", ("single column", "','")),
        ('"S3CRET-f;*\nS3CRET-m;*\n', ("line 1",)),
        ("S3CRET-f;S3CRETa\nS3CRETa;S3CRETb\nS3CRETb;S3CRET-f\n", ("circle", "lines 1, 2, 3")),
        ("S3CRET-f;*\nS3CRET-mé;*\n".encode("latin-1"), ("line 2", "not UTF-8")),
    ],
)
def test_a_hierarchy_file_that_is_broken(folder, content, words):
    policy(SEX_FILE)
    if content is not None:
        (folder / "sex.csv").write_bytes(
            content if isinstance(content, bytes) else content.encode()
        )
    refused(incrowd(*WITH_POLICY), *words)


def test_a_hierarchy_file_that_is_a_folder(folder):
    policy(SEX_FILE)
    (folder / "sex.csv").mkdir()
    refused(incrowd(*WITH_POLICY), "sex.csv", "directory")


# --- counts


@pytest.mark.parametrize("count", ["0", "-2", "1.5", "", "S3CRET", str(2**63), "1e30", "NaN"])
def test_counts_that_are_no_counts(count):
    counted = [[*row, "2"] for row in people()]
    counted[7][-1] = count
    table(as_csv(counted, names=[*NAMES, "n"]))
    policy(POLICY + '[columns.n]\nrole = "count"\n')
    refused(incrowd(*WITH_POLICY), "'n'", "1 of 200 rows")


def test_counts_beyond_64_bits():
    table(as_csv([[*row, str(2**60)] for row in people()], names=[*NAMES, "n"]))
    policy(POLICY + '[columns.n]\nrole = "count"\n')
    refused(incrowd(*WITH_POLICY), "'n'", "2^63")


# --- files that nobody may touch


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_files_without_permission(folder):
    (folder / "people.csv").chmod(0)
    refused(incrowd(*WITH_POLICY), "may not be read")
    (folder / "people.csv").chmod(0o600)
    (folder / "closed").mkdir(mode=0o500)
    refused(incrowd(*WITH_POLICY, "-o", "closed/out.csv"), "not writable")
