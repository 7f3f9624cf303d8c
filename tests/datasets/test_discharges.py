"""The officer's file: the same every time, and as dirty as it says."""

import hashlib
from collections import Counter

import pytest

from incrowd.datasets import discharges, write_discharges
from incrowd.errors import ParameterError


def test_it_is_as_dirty_as_it_says():
    made = discharges()
    assert made.table.num_rows == 50_000
    faults = Counter((each.column, each.kind) for each in made.faults)
    assert faults == {
        ("birth_date", "malformed"): 68,
        ("birth_date", "impossible"): 9,
        ("admission_date", "malformed"): 22,
        ("stay", "impossible"): 75,
        ("sex", "spelling"): 501,
        ("postcode", "spelling"): 796,
        ("diagnosis", "spelling"): 800,
    }
    costs = Counter(made.table["cost"].to_pylist())
    assert sum(each == 1 for each in costs.values()) / 50_000 == pytest.approx(0.91, abs=0.005)
    stays = Counter(made.table["patient_id"].to_pylist())
    assert sum(each > 1 for each in stays.values()) > 10_000


def test_it_is_the_same_on_every_machine(tmp_path):
    faults = write_discharges(tmp_path / "d.csv", 500, seed=3)
    data = (tmp_path / "d.csv").read_bytes()
    assert hashlib.sha256(data).hexdigest()[:16] == "caecc43b90ac3563"
    assert faults == discharges(500, seed=3).faults


def test_faults_stand_on_their_lines(tmp_path):
    faults = write_discharges(tmp_path / "d.csv", 2000)
    lines = (tmp_path / "d.csv").read_text("utf-8").splitlines()
    names = lines[0].split(",")
    for fault in faults:
        cell = lines[fault.line - 1].split(",")[names.index(fault.column)]
        if fault.column == "stay":
            assert cell in ("-1", "999")
        elif fault.column == "sex":
            assert cell in ("f", "w")


@pytest.mark.parametrize("rows", [0, -1, 1.5, "many"])
def test_a_number_of_rows_that_makes_no_sense(rows):
    with pytest.raises(ParameterError, match="number of rows"):
        discharges(rows)


def test_one_row():
    assert discharges(1, kind="pandas").table.shape == (1, 10)
