"""Figures of releases whose labels a search has made: what a reader of the labels would count."""

import numpy as np
import pandas as pd
import pytest

import incrowd as ic
from incrowd.hierarchies import hierarchy_from_rows

FIGURES = ("loss", "iloss_mean", "ncp")
SEARCHES = {
    "k-optimize": ic.KOptimize(work_limit=200_000),
    "genetic": ic.Genetic(population=30, evaluations=600),
}


def both_figures(frame, k, search, columns=None):
    asked = {"quasi_identifiers": columns or dict.fromkeys(frame), "k": k}
    release = ic.anonymize(frame, algorithm=search, **asked)
    read = ic.measure_release(release.table, frame, ic.policy(**asked))["metrics"]
    return release, [[of[name] for name in FIGURES] for of in (release.metrics, read)]


def test_an_open_interval_covers_what_is_suppressed_beyond_it():
    """``>= 20`` covers 22, 33 and the suppressed 90, three of four leaves: 2 / 3 for 6 records.

    Nothing is lost of the sex, and all of the one who is suppressed: (6 x 2/3 + 2) / 24.
    """
    frame = pd.DataFrame({"age": [10] * 5 + [22] * 3 + [33] * 3 + [90], "sex": ["f"] * 11 + ["x"]})
    release, (made, read) = both_figures(frame, 4, "k-optimize")
    assert release.facts["suppressed"] == 1
    assert made[0] == pytest.approx(0.25)
    assert made == pytest.approx(read)


def test_leaves_of_a_hierarchy_that_do_not_occur_are_covered():
    tree = hierarchy_from_rows([(str(age), "*") for age in range(10, 100, 10)])
    frame = pd.DataFrame({"age": ["10", "10", "20", "20", "30", "30"], "sex": list("ffmmmm")})
    _, (made, read) = both_figures(frame, 4, "k-optimize", {"age": tree, "sex": None})
    assert made == pytest.approx(read)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", SEARCHES)
def test_a_release_and_its_reader_count_the_same(name, seed):
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": [*draw.integers(30, 40, 40), 97, 3],
            "pay": [*draw.integers(30, 36, 40), 3, 99],
            "job": [*draw.choice(["cook", "smith", "judge"], 40), "queen", "king"],
        }
    )
    _, (made, read) = both_figures(frame, 4, SEARCHES[name])
    assert made == pytest.approx(read)
