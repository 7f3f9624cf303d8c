"""What objects show in a notebook: escaped, and nothing that the release does not hold."""

import re
import sys

import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.errors import ParameterError
from incrowd.html_tables import heading, lines, page, table

EVIL = "<script>alert('CANARY')</script>"
PEOPLE = pa.table(
    {
        EVIL: ["CANARY-a", "CANARY-b"] * 6,
        "age": [f"{20 + at}" for at in range(11)] + ["7310"],
        "dx": ["CANARY-x", "CANARY-y", "CANARY-z"] * 4,
    }
)
POLICY = ic.policy(quasi_identifiers={EVIL: None, "age": None}, sensitive=["dx"], k=6)


def shown_objects():
    release = ic.anonymize(PEOPLE, POLICY, algorithm="mondrian")
    comparison = ic.compare(PEOPLE, POLICY, algorithms="datafly,mondrian")
    return {
        "release": release,
        "policy": POLICY,
        "verdict": release.verdict,
        "recoding": release.recoding,
        "comparison": comparison,
        "hierarchy": release.recoding.hierarchies[1],
    }


OBJECTS = ("release", "policy", "verdict", "recoding", "comparison", "hierarchy")


@pytest.fixture(scope="module")
def found():
    return shown_objects()


@pytest.mark.parametrize("name", OBJECTS)
def test_names_are_shown_as_text_and_cells_not_at_all(name, found):
    html = found[name]._repr_html_()
    assert "<script" not in html
    text = f"{html}{found[name]!r}{found[name]}"
    assert "CANARY-" not in text
    assert "7310" not in text
    tags = set(re.findall(r"</?([a-z]+)", html))
    assert tags <= {"div", "p", "b", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}


def test_names_of_columns_come_through(found):
    assert "&lt;script&gt;" in found["policy"]._repr_html_()


def test_before_and_after_shows_cells_because_it_was_asked_for(found):
    before_and_after = found["release"].compare_to(PEOPLE)
    assert "CANARY-" not in repr(before_and_after)
    html = before_and_after._repr_html_()
    assert "<script" not in html
    assert "<td>CANARY-a</td><td>6</td>" in html
    assert "CANARY-a" in str(before_and_after)
    assert "(2 others)" in html  # ten of twelve ages


def test_pieces_are_escaped():
    for made in (heading("<&>"), lines(["<&>"]), table(["<&>"], [["<&>"]])):
        assert "<&>" not in made
        assert "&lt;&amp;&gt;" in made
    assert page(lines([])) == "<div></div>"


def test_charts_have_what_was_compared(found):
    drawn = found["comparison"].plot("loss").to_dict()
    assert {row["algorithm"] for row in drawn["data"]["values"]} == {"datafly", "mondrian"}
    bars = found["recoding"].plot().to_dict()["data"]["values"]
    assert [row["column"] for row in bars] == list(found["recoding"].columns)
    assert "CANARY-" not in str(drawn) + str(bars)


def test_a_metric_that_was_not_compared_is_refused(found):
    with pytest.raises(ParameterError, match="none of the metrics"):
        found["comparison"].plot("entropy")


def test_a_missing_extra_is_named(found, monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(ParameterError, match=r"\[plot\]"):
        found["recoding"].plot()
