"""``incrowd anonymize`` and ``incrowd verify``: all forms of files, and what is told."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter

import pyarrow.parquet as pq
import pytest

from command_line import (
    FLAGS,
    NAMES,
    POLICY,
    as_csv,
    incrowd,
    make_people,
    people,
    refuse_secrets,
    refused,
    spawn,
)

RELEASED = NAMES[1:]
ANONYMIZE = ("anonymize", "people.csv", "-p", "policy.toml")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return make_people(tmp_path)


def rows_of(text, separator=","):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))


# --- the JSON


def test_the_json_has_the_keys_of_the_contract(folder):
    ran = incrowd(*ANONYMIZE, "-o", "out.csv", "--json", "-")
    result = ran.json
    assert ran.code == 0
    refuse_secrets(ran.out + ran.err)
    assert (result["algorithm"], result["search"]) == ("flash", "bounded")
    assert (result["records"], result["released"]) == (200, 200 - result["dropped"])
    assert set(result["levels"]) == {"age", "sex", "zip"}
    assert set(result["seconds"]) == {"read", "count", "search", "apply", "write", "verify"}
    assert result["optimal"] is True
    assert 0 < result["checked"] <= result["nodes"]
    assert result["bound"] == pytest.approx(result["metrics"]["loss"])
    for name in ("loss", "loss_geometric", "precision", "discernibility", "average_class_size"):
        assert isinstance(result["metrics"][name], int | float)
    assert result["peak_memory_mb"] > 0
    assert isinstance(result["version"], str)


def test_the_json_means_what_it_says(folder):
    result = incrowd(*ANONYMIZE, "-o", "out.csv", "--json", "-").json
    rows = [tuple(row) for row in rows_of((folder / "out.csv").read_text())[1:]]
    sizes = Counter(row[:3] for row in rows)
    masked = sizes.pop(("*", "*", "*"), 0)
    assert len(rows) == result["released"]
    assert masked == result["suppressed"] - result["dropped"]
    assert (len(sizes), min(sizes.values())) == (result["classes"], result["smallest_class"])
    squares = sum(size**2 for size in sizes.values())
    assert result["metrics"]["discernibility"] == squares + 200 * result["suppressed"]
    average = 200 / result["classes"] / 5
    assert result["metrics"]["average_class_size"] == pytest.approx(average)
    [requirement] = result["requirements"]
    assert requirement["holds"]
    assert requirement["parameters"] == {"k": 5}
    assert requirement["smallest_class"] == min([*sizes.values(), *([masked] if masked else [])])


def test_json_to_a_file(folder):
    ran = incrowd(*ANONYMIZE, "-o", "out.csv", "--json", "result.json", "--quiet")
    assert (ran.code, ran.raw, ran.err) == (0, b"", "")
    assert json.loads((folder / "result.json").read_text())["records"] == 200


def test_data_on_stdout_is_data_alone(folder):
    ran = incrowd(*ANONYMIZE, "-o", "-", "--json", "result.json")
    assert ran.code == 0
    assert rows_of(ran.out)[0] == RELEASED
    assert len(rows_of(ran.out)) == 201
    assert "200 records" in ran.err
    refuse_secrets(ran.err)
    assert sorted(path.name for path in folder.iterdir()) == [
        *("people.csv", "policy.toml", "result.json")
    ]


def test_a_process_keeps_the_streams_apart(folder):
    ran = spawn(*ANONYMIZE, "-o", "out.csv", "--json", "-", cwd=folder)
    assert ran.code == 0
    assert ran.json["records"] == 200
    assert "5-anonymity holds" in ran.err
    assert "\x1b" not in ran.err  # no colours, no bar
    assert incrowd("verify", "out.csv", "-p", "policy.toml").code == 0


# --- forms of CSV


def written(folder, content, *flags, out="out.csv", name="people.csv"):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    ran = incrowd("anonymize", name, "-p", "policy.toml", "-o", out, *flags)
    assert ran.code == 0, ran.err
    return (folder / out).read_bytes()


def test_untouched_cells_are_the_same_bytes(folder):
    odd = ['"a, b"', '"say ""no"""', "01234", "TRUE", "1e3", '" x "', '"line\nbreak"', "é", ""]
    records = [[*row[:4], odd[at % len(odd)]] for at, row in enumerate(people())]
    released = written(folder, as_csv(records), "--suppression-limit", "0.05").decode()
    before = Counter(row[4] for row in rows_of(as_csv(records)))
    assert Counter(row[3] for row in rows_of(released)) == before
    for cell in odd[:-1]:
        assert released.count(f",{cell}\n") == as_csv(records).count(f",{cell}\n")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_the_dialect_of_the_input_is_kept(folder, separator, ending, bom):
    text = bom + as_csv(people()).replace(",", separator).replace("\n", ending)
    released = written(folder, text).decode()
    assert released.startswith(bom + separator.join(RELEASED) + ending)
    assert released.count(ending) == 201
    assert released.count("\n") == 201
    rows = rows_of(released.removeprefix("\ufeff"), separator)
    assert {len(row) for row in rows} == {4}


def test_quoting_is_kept(folder):
    quoted = [[f'"{cell}"' for cell in row] for row in people()]
    released = written(folder, as_csv(quoted, names=[f'"{name}"' for name in NAMES])).decode()
    for line in released.splitlines():
        cells = line.removeprefix('"').removesuffix('"').split('","')
        assert len(cells) == 4


def test_a_policy_can_say_the_separator_and_the_encoding(folder):
    text = as_csv(people()).replace(",", "#").replace("flu", "grippé")
    (folder / "policy.toml").write_text(POLICY + '[input]\nseparator = "#"\nencoding = "latin-1"\n')
    released = written(folder, text.encode("latin-1")).decode()  # written in UTF-8
    assert "grippé" in released
    assert incrowd("verify", "out.csv", "-p", "policy.toml").code == 0
    measured = incrowd("measure", "out.csv", "--original", "people.csv", "-p", "policy.toml")
    assert measured.code == 0, measured.err


def test_odd_names_of_columns(folder):
    names = ['"the, name"', "âge", '"se""x"', "zip code", "[red]"]
    (folder / "policy.toml").write_text(
        '[columns."the, name"]\nrole = "identifier"\n[columns."âge"]\nrole = "quasi-identifier"\n'
        '[columns.\'se"x\']\nrole = "quasi-identifier"\n[columns."zip code"]\n'
        'role = "quasi-identifier"\n[columns."[red]"]\nrole = "sensitive"\n'
        "[[requirements]]\nk_anonymity = 5\n"
    )
    how = ("-a", "flash", "--json", "r.json")
    released = written(folder, as_csv(people(), names=names), *how).decode()
    assert released.startswith('âge,"se""x",zip code,[red]\n')
    assert set(json.loads((folder / "r.json").read_text())["levels"]) == {"âge", 'se"x', "zip code"}


def test_csv_to_parquet_and_back(folder):
    written(folder, as_csv(people()), out="out.parquet")
    table = pq.read_table(folder / "out.parquet")
    assert table.column_names == RELEASED
    assert table.num_rows == 200
    assert table.schema.metadata is None or b"pandas" not in table.schema.metadata
    assert incrowd("verify", "out.parquet", "-p", "policy.toml").code == 0
    pq.write_table(_parquet(), folder / "people.parquet")
    for out in ("two.csv", "three.parquet"):
        ran = incrowd("anonymize", "people.parquet", "-p", "policy.toml", "-o", out)
        assert ran.code == 0, ran.err
        assert incrowd("verify", out, "-p", "policy.toml").code == 0
    assert rows_of((folder / "two.csv").read_text())[0] == RELEASED
    ran = incrowd("anonymize", "people.parquet", "-p", "policy.toml", "-o", "-")
    assert rows_of(ran.out)[0] == RELEASED


def _parquet():
    import pyarrow as pa

    columns = dict(zip(NAMES, map(list, zip(*people(), strict=True)), strict=True))
    columns["age"] = [int(age) for age in columns["age"]]
    return pa.table(columns).replace_schema_metadata({b"pandas": b"S3CRET"})


# --- flags


def test_short_flags_make_a_policy(folder):
    flags = (*FLAGS, "--k", "7", "--algorithm", "ola", "--suppression-limit", "0.1")
    ran = incrowd("anonymize", "people.csv", *flags, "-o", "out.csv", "--json", "-")
    assert ran.code == 0, ran.err
    assert ran.json["algorithm"] == "ola"
    assert ran.json["smallest_class"] >= 7
    assert incrowd("verify", "out.csv", *FLAGS, "--k", "7").code == 0
    assert incrowd("verify", "out.csv", *FLAGS, "--k", "150").code == 1


@pytest.mark.parametrize(("other", "left"), [("drop", ["age"]), ("keep", NAMES)])
def test_columns_without_a_role(folder, other, left):
    flags = ("--qi", "age", "--k", "5", "--other-columns", other)
    ran = incrowd("anonymize", "people.csv", *flags, "-o", "-", "-q")
    assert (ran.code, rows_of(ran.out)[0]) == (0, left)


def test_flags_change_a_policy(folder):
    ran = incrowd(*ANONYMIZE, "--k", "20", "-a", "samarati", "-o", "out.csv", "--json", "-")
    assert ran.json["algorithm"] != "flash"
    refused(incrowd(*ANONYMIZE, "-a", "datafly", "-k", "0", "-o", "x.csv"), "k")
    assert ran.json["requirements"][0]["parameters"] == {"k": 20}


def test_several_requirements_and_implied_ones_are_told(folder):
    more = '[[requirements]]\nk_anonymity = 20\non = ["sex"]\n'
    more += '[[requirements]]\nk_anonymity = 3\non = ["zip"]\n'
    (folder / "policy.toml").write_text(POLICY.replace("[algorithm]", more + "[algorithm]"))
    ran = incrowd(*ANONYMIZE, "-o", "out.csv", "--json", "-")
    assert ran.code == 0, ran.err
    assert [each["holds"] for each in ran.json["requirements"]] == [True] * 3
    assert "3-anonymity on zip is implied by 5-anonymity" in ran.err
    refused(incrowd(*ANONYMIZE, "--k", "9", "-o", "x.csv"), "3 k_anonymity requirements")


@pytest.mark.parametrize("name", ["datafly", "samarati", "incognito", "ola", "exhaustive", "auto"])
def test_every_algorithm_makes_a_verified_release(folder, name):
    ran = incrowd(*ANONYMIZE, "-a", name, "-o", "out.csv", "--json", "-")
    assert ran.code == 0, ran.err
    assert incrowd("verify", "out.csv", "-p", "policy.toml").code == 0
    refuse_secrets(ran.err + ran.out)


def test_two_runs_differ_in_the_order_of_rows_alone(folder):
    one = incrowd(*ANONYMIZE, "-o", "-", "-q").out.splitlines()
    two = incrowd(*ANONYMIZE, "-o", "-", "-q").out.splitlines()
    assert one != two
    assert sorted(one) == sorted(two)


# --- verify


def test_verify_passes_our_release_and_fails_the_original(folder):
    assert incrowd(*ANONYMIZE, "-o", "out.csv").code == 0
    ran = incrowd("verify", "out.csv", "-p", "policy.toml", "--json", "-")
    assert (ran.code, ran.json["passed"]) == (0, True)
    assert "passed: 200 records" in ran.err
    refused(incrowd("verify", "people.csv", "-p", "policy.toml"), "'name'", code=1)
    without = [row[1:] for row in people()]
    (folder / "raw.csv").write_text(as_csv(without, names=RELEASED))
    ran = incrowd("verify", "raw.csv", "-p", "policy.toml", "--json", "-")
    assert (ran.code, ran.json["passed"]) == (1, False)
    assert "is broken by" in ran.err
    refuse_secrets(ran.err + ran.out)


def test_verify_sees_one_changed_cell(folder):
    assert incrowd(*ANONYMIZE, "-o", "out.csv").code == 0
    text = (folder / "out.csv").read_text()
    lines = text.splitlines()
    cells = rows_of(lines[7])[0]
    lines[7] = ",".join(["731033", *cells[1:]])
    (folder / "out.csv").write_text("\n".join(lines) + "\n")
    ran = incrowd("verify", "out.csv", "-p", "policy.toml")
    assert ran.code == 1
    assert "broken" in ran.err
    refuse_secrets(ran.err)


def test_verify_refuses_what_it_cannot_judge(folder):
    for content, words in ((b"", "empty"), (b"age,sex\n1,2\n", "'zip'"), (b"\xff\n", "UTF-8")):
        (folder / "other.csv").write_bytes(content)
        refused(incrowd("verify", "other.csv", "-p", "policy.toml"), words)
    refused(incrowd("verify", "nothing.csv", "-p", "policy.toml"), "does not exist")
