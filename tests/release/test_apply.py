"""A saved recoding applied to new rows: seen and unseen, verified like any release."""

from __future__ import annotations

import json
from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from command_line import POLICY, as_csv, incrowd, make_people, people, refuse_secrets, refused
from incrowd.errors import IncrowdError, UnsatisfiableError

HIERARCHIES = {"age": ic.intervals(10, 20), "sex": ic.suppression()}
OLD = pl.DataFrame({"age": [31, 35, 38, 42, 45, 49] * 2, "sex": ["f", "f", "f", "m", "m", "m"] * 2})


@pytest.fixture
def recoding(tmp_path):
    release = ic.anonymize(OLD, quasi_identifiers=HIERARCHIES, k=3)
    assert release.facts["levels"] == {"age": 1, "sex": 0}
    release.recoding.save(tmp_path / "recoding.json")
    return tmp_path / "recoding.json"


def applied(recoding, ages, sexes):
    return ic.apply_recoding(recoding, pl.DataFrame({"age": ages, "sex": sexes}))


def test_seen_and_unseen_values_inside_the_intervals(recoding):
    release = applied(recoding, [31.0, 33.0, 39.5, 40.0, 41.0, 49.9], ["f"] * 3 + ["m"] * 3)
    assert Counter(release.table["age"].to_list()) == {"[30, 40)": 3, "[40, 50)": 3}
    assert release.verdict.passed
    assert release.facts["suppressed"] == 0


def test_rows_outside_the_released_classes_are_masked_and_said(recoding):
    ages = [31, 32, 33, 34, 99, 98, None, 41]
    release = applied(recoding, ages, ["f"] * 4 + ["f", "m", "f", "f"])
    assert Counter(release.table.rows()) == {("[30, 40)", "f"): 4, ("*", "*"): 4}
    assert any("4 of the new records lie outside" in note for note in release.notes)


def test_a_text_that_was_never_seen_is_masked(recoding):
    release = applied(recoding, [31] * 3 + [32] * 3, ["f"] * 3 + ["S3CRET", "x", "y"])
    assert Counter(release.table.rows()) == {("[30, 40)", "f"): 3, ("*", "*"): 3}
    refuse_secrets(release.summary() + json.dumps(release.to_json()))


def test_classes_too_small_among_the_new_rows_are_suppressed(recoding):
    release = applied(recoding, [31, 32, 33, 41, 42], ["f"] * 3 + ["m"] * 2)
    assert release.table.rows() == [("[30, 40)", "f")] * 3
    assert (release.facts["suppressed"], release.facts["dropped"]) == (2, 2)


@pytest.mark.parametrize(
    ("ages", "sexes"),
    [([99] * 5, ["f"] * 5), ([31] * 2, ["f"] * 2), ([None] * 5, [None] * 5), ([31], ["x"])],
)
def test_nothing_to_release_is_an_error(recoding, ages, sexes):
    with pytest.raises(UnsatisfiableError, match="every record would have to be suppressed"):
        applied(recoding, pl.Series(ages, dtype=pl.Int64), sexes)


def test_columns_at_level_0_and_unknown_texts_are_never_released_raw(tmp_path):
    data = pl.DataFrame({"sex": ["f", "m"] * 3})
    release = ic.anonymize(data, quasi_identifiers={"sex": ic.suppression()}, k=3)
    assert release.facts["levels"] == {"sex": 0}
    new = pl.DataFrame({"sex": ["f"] * 3 + ["S3CRET"] * 3})
    again = ic.apply_recoding(release.recoding, new)
    assert Counter(again.table["sex"].to_list()) == {"f": 3, "*": 3}


def test_a_recoding_survives_saving(recoding):
    loaded = ic.load_recoding(recoding)
    assert loaded.columns == ("age", "sex")
    assert loaded.explain() == [
        "age: level 1 of 3, 10-wide intervals",
        "sex: level 0 of 1, as it is",
    ]
    one = ic.apply_recoding(loaded, OLD).facts
    assert (one["records"], one["suppressed"], one["classes"]) == (12, 0, 2)


def test_the_command_line_applies_and_verifies(tmp_path):
    make_people(tmp_path)
    data, policy, saved = (tmp_path / each for each in ("people.csv", "policy.toml", "r.json"))
    out, new = tmp_path / "out.csv", tmp_path / "new.csv"
    assert incrowd("anonymize", data, "-p", policy, "-o", out, "--recoding", saved, "-q").code == 0
    new.write_text(as_csv(people(150, seed=9)))
    ran = incrowd("apply", saved, new, "-o", out, "--json", "-")
    assert ran.code == 0, ran.err
    assert ran.json["records"] == 150
    refuse_secrets(ran.err + ran.out)
    assert incrowd("verify", out, "-p", policy).code == 0
    assert out.read_text().startswith("age,sex,zip,disease\n")
    new.write_text("age,sex\n1,2\n")
    refused(incrowd("apply", saved, new, "-o", tmp_path / "x.csv"), "no column", "'name'")
    new.write_text(as_csv([["S3CRET", "731999", "S3CRET", "S3CRET", "S3CRET"]] * 9))
    refused(incrowd("apply", saved, new, "-o", tmp_path / "x.csv"), "suppressed")
    assert not (tmp_path / "x.csv").exists()


def damaged(text):
    saved = json.loads(text)
    yield "truncated", text[: len(text) // 2]
    yield "empty", ""
    yield "list", "[]"
    yield "number", "7"
    yield "deep", "[" * 100_000
    yield "not text", b"\xff\xfe\x00".decode("latin-1")
    for key in saved:
        yield f"no {key}", json.dumps({each: saved[each] for each in saved if each != key})
        for wrong in (None, 5, "x", [], {}, [[]], [{}], {"x": 1}, 10**30, True):
            yield f"{key} {wrong!r}", json.dumps({**saved, key: wrong})
    for key in saved["columns"][0]:
        for wrong in (None, -1, 99, 10**30, "S3CRET", [0], [[]], {}, 1.5):
            columns = [{**saved["columns"][0], key: wrong}, *saved["columns"][1:]]
            yield f"column {key} {wrong!r}", json.dumps({**saved, "columns": columns})
    yield "fewer columns", json.dumps({**saved, "columns": saved["columns"][:1]})
    yield "twice", json.dumps({**saved, "columns": [saved["columns"][0]] * 3})
    for wrong in (
        [[0, 0, 99]],
        [[-1, 0, 0]],
        [[2**40, 0, 0]],
        [[0, 0]],
        [["a", 0, 0]],
        [[0.5, 0, 0]],
    ):
        yield f"released {wrong}", json.dumps({**saved, "released": wrong})
    for key in saved["policy"]:
        rest = {each: saved["policy"][each] for each in saved["policy"] if each != key}
        for policy in (rest, {**rest, key: 5}, {**rest, key: {"x": 1}}, {**rest, key: []}):
            yield f"policy {key}", json.dumps({**saved, "policy": policy})


def test_a_damaged_recoding_is_refused_and_never_quoted(tmp_path):
    """Whatever is wrong with the file: no crash, no value in a message, nothing unverified."""
    make_people(tmp_path, policy=POLICY)
    data, policy, saved = (tmp_path / each for each in ("people.csv", "policy.toml", "r.json"))
    out = tmp_path / "out.csv"
    incrowd("anonymize", data, "-p", policy, "-o", out, "--recoding", saved, "-q")
    out.unlink()
    for label, text in damaged(saved.read_text()):
        (tmp_path / "damaged.json").write_text(text)
        ran = incrowd("apply", tmp_path / "damaged.json", data, "-o", out)
        assert ran.code in (0, 2), (label, ran.err)
        refuse_secrets(ran.err)
        if ran.code == 2:
            assert "Hint:" in ran.err, (label, ran.err)
            assert not out.exists(), label
        else:
            out.unlink()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(-10, 120), st.floats(20, 60)),
            st.sampled_from(["f", "m", "x", "", None]),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_whatever_comes_the_result_is_anonymous(rows):
    release = ic.anonymize(OLD, quasi_identifiers=HIERARCHIES, k=3)
    new = pl.DataFrame(rows, schema={"age": pl.Float64, "sex": pl.String}, orient="row")
    try:
        again = ic.apply_recoding(release.recoding, new)
    except IncrowdError:
        return
    sizes = Counter(again.table.rows())
    assert min(sizes.values()) >= 3
    assert set(sizes) <= {("[30, 40)", "f"), ("[40, 50)", "m"), ("*", "*")}
