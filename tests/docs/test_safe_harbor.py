"""The policy of the Safe Harbor page, on a table that has every class of identifier in it."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.datasets import discharges
from incrowd.schema import Column

PAGE = Path(__file__).parents[2] / "docs" / "safe-harbor.md"
N = 2400


def policy_of_the_page(folder, *, dirty=False):
    clean_one, dirty_one = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    policy = dirty_one if dirty else clean_one
    path = folder / "safe-harbor.toml"
    path.write_text(policy, "utf-8")
    return ic.load_policy(path)


def patients():
    """A table with all eighteen classes; what may not leave is spelled as nothing else is."""
    draw = np.random.default_rng(15)
    parts = [draw.integers(*ends, N).tolist() for ends in ((21, 24), (1, 13), (1, 29))]
    dates = [f"20{year:02}-{month:02}-{day:02}" for year, month, day in zip(*parts, strict=True)]
    numbered = {
        name: [f"{name.upper()}-{row:05}" for row in range(N)]
        for name in ("name", "street", "city", "fax", "ssn", "record_number", "plan_number",
                     "account", "license", "plate", "device", "fingerprint", "photo", "notes")
    }  # fmt: skip
    return numbered | {
        "zip": [f"{three}{two:02}" for three, two in zip(
            draw.choice(["036", "101", "102", "606"], N), draw.integers(0, 99, N),
            strict=True)],
        "state": draw.choice(["IL", "NY"], N).tolist(),
        "birth_date": dates,
        "age": draw.integers(78, 102, N).tolist(),
        "admitted": dates,
        "discharged": dates,
        "sex": draw.choice(["f", "m"], N).tolist(),
        "phone": [f"555-01{row:05}" for row in range(N)],
        "email": [f"p{row}@example.org" for row in range(N)],
        "homepage": [f"https://example.org/{row}" for row in range(N)],
        "ip": [f"10.0.{row // 250}.{row % 250}" for row in range(N)],
        "patient": [f"PATIENT-{row // 2:05}" for row in range(N)],
        "diagnosis": draw.choice(["flu", "gout", "cold"], N).tolist(),
    }  # fmt: skip


@pytest.mark.parametrize("algorithm", ["auto", "mondrian", "local-search", "bug"])
def test_nothing_of_the_eighteen_classes_leaves(tmp_path, algorithm):
    policy = policy_of_the_page(tmp_path)
    if algorithm == "bug":  # which keeps what tells a target apart
        columns = tuple(
            Column("diagnosis", "target") if each.name == "diagnosis" else each
            for each in policy.columns
        )
        policy = replace(policy, columns=columns)
    release = ic.anonymize(pa.table(patients()), policy, algorithm=algorithm)
    table = release.table.to_pydict()
    assert set(table) == {"zip", "state", "age", "admitted", "discharged", "sex", "diagnosis"}
    texts = {name: set(map(str, column)) for name, column in table.items()}
    assert texts["zip"] <= {"000", "101*", "606*", "*"}
    assert texts["age"] <= {"*", "90+"} | {
        f"[{low}, {min(low + width, 90)})" for width in (5, 10, 20) for low in range(0, 90, width)
    }
    for name in ("admitted", "discharged"):
        assert texts[name] <= {"*", "2020s", "2021", "2022", "2023"}
    assert any(texts[name] != {"*"} for name in ("zip", "age", "admitted"))
    everything = "\n".join(text for column in texts.values() for text in column)
    for pattern in (r"\d{4}-\d{2}", r"[A-Z]{3,}-\d", r"@", r"://", r"\d+\.\d+\.", r"\d{5}", "555"):
        assert not re.search(pattern, everything)


def test_each_class_is_named_on_the_page(tmp_path):
    kept = {"zip", "state", "age", "admitted", "discharged", "sex", "diagnosis"}
    policy = policy_of_the_page(tmp_path)
    gone = {each.name for each in policy.columns} - kept
    assert gone | kept == set(patients()) - {"notes"}  # which other_columns = "drop" takes care of
    assert {policy.column(name).role for name in gone} == {"identifier", "entity"}


@pytest.mark.parametrize("algorithm", ["flash", "mondrian", "local-search"])
def test_nothing_of_them_leaves_the_officers_file(tmp_path, algorithm):
    made = discharges(5_000)
    policy = policy_of_the_page(tmp_path, dirty=True)
    release = ic.anonymize(made.table, policy, algorithm=algorithm)
    table = release.table.to_pydict()
    assert set(table) == {"sex", "postcode", "admission_date", "ward", "diagnosis", "stay", "cost"}
    texts = {name: set(map(str, column)) for name, column in table.items()}
    whole = {text for name in ("patient_id", "name", "birth_date", "postcode", "admission_date")
             for text in made.table[name].to_pylist()}  # fmt: skip
    assert not whole & {text for column in texts.values() for text in column}
    assert all(re.fullmatch(r"\d{3}\*?|\*|None", text) for text in texts["postcode"])
    assert not any(text.startswith("043") for text in texts["postcode"])
    assert texts["admission_date"] <= {"2020s", "2022", "2023", "2024", "2025", "*", "None", ""}
    for column in ("postcode", "admission_date"):
        assert texts[column] != {"*"}
