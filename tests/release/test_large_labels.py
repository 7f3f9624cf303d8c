"""Labels that would fill the memory are refused before they are written."""

import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.engines.memory.applying import MemoryCounted
from incrowd.errors import PolicyError
from incrowd.release import run

NUMBERS = [1_000_000 + at for at in range(20_000)]


def spend_nothing(counted, plan):
    raise AssertionError("the labels were written")


def asked(**others):
    given = {"quasi_identifiers": ["number"], "k": 5_000, "labels": "set"}
    return given | {"algorithm": "mondrian"} | others


def test_sets_that_would_take_gigabytes_are_refused(monkeypatch):
    """160 kB of numbers in four classes: each set is 45 kB long and is written 5,000 times."""
    monkeypatch.setattr(MemoryCounted, "apply", spend_nothing)
    with pytest.raises(PolicyError) as caught:
        ic.anonymize(pa.table({"number": NUMBERS}), **asked())
    said = str(caught.value)
    assert "'number' would take" in said
    assert "256 MB" in said
    assert "Hint:" in said
    assert "100000" not in said
    assert caught.value.exit_code == 2


def test_as_nodes_the_same_classes_are_released():
    release = ic.anonymize(pa.table({"number": NUMBERS}), **asked(labels="range"))
    assert release.verdict.passed


def test_what_is_learned_from_is_no_larger():
    with pytest.raises(PolicyError, match="would take"):
        ic.Anonymizer(**asked()).fit_transform(pa.table({"number": NUMBERS}))


@pytest.mark.parametrize(
    ("largest", "long", "refused"), [(10, 10, True), (10**4, 10, False), (10, 100, False)]
)
def test_both_the_size_and_the_length_must_be_large(monkeypatch, largest, long, refused):
    monkeypatch.setattr(run, "LARGEST_LABELS", largest)
    monkeypatch.setattr(run, "LONG_LABELS", long)
    table = pa.table({"number": [*range(10, 20)] * 2})  # two sets of five, written ten times
    if not refused:
        assert ic.anonymize(table, **asked(k=10)).verdict.passed
        return
    with pytest.raises(PolicyError, match=r"column 'number' would take 0 MB, 20 bytes a row"):
        ic.anonymize(table, **asked(k=10))


def test_cells_that_are_released_as_they_were_are_never_too_long(monkeypatch):
    monkeypatch.setattr(run, "LARGEST_LABELS", 10)
    monkeypatch.setattr(run, "LONG_LABELS", 10)
    table = pa.table({"text": ["a text of many words"] * 10})
    assert ic.anonymize(table, quasi_identifiers=["text"], k=2).verdict.passed


def test_rows_of_a_compressed_table_are_counted_not_records(monkeypatch):
    monkeypatch.setattr(run, "LARGEST_LABELS", 100)
    monkeypatch.setattr(run, "LONG_LABELS", 10)
    table = pa.table({"number": [10, 11, 12, 13], "n": [9, 9, 9, 9]})
    release = ic.anonymize(table, **asked(k=20, count="n"))  # four labels of 16 bytes
    assert release.verdict.passed
