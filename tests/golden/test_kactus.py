"""kACTUS on Table 1 of Li, Liu, Baig and Wong (2011), k = 10: the paper's Table 1(b)."""

from collections import Counter

import pandas as pd

import incrowd as ic
from incrowd.hierarchies import hierarchy_from_rows

ROWS = [
    ("Male", 60, "yes", 5),
    ("Male", 70, "yes", 5),
    ("Male", 30, "yes", 1),
    ("Female", 70, "no", 1),
    ("Female", 30, "no", 5),
    ("Female", 40, "no", 5),
]
AGES = hierarchy_from_rows(
    [("30", "30-40", "*"), ("40", "30-40", "*"), ("60", "60-70", "*"), ("70", "60-70", "*")]
)


def test_gender_is_kept_and_no_age():
    # Gender tells everything: gain 1, ratio 1.  The best threshold of age, 60, leaves 0.44 of
    # the one bit.  Both leaves hold 11 records, and age is tested nowhere.
    frame = pd.DataFrame(ROWS, columns=["Gender", "Age", "Problem", "n"])
    release = ic.anonymize(
        frame,
        quasi_identifiers={"Gender": ic.suppression(), "Age": AGES},
        target="Problem",
        count="n",
        k=10,
        algorithm="kactus",
    )
    rows = release.table.itertuples(index=False)
    counts = Counter({(gender, age, pays): n for gender, age, pays, n in rows})
    assert counts == {("Male", "*", "yes"): 11, ("Female", "*", "no"): 11}
    assert release.facts["regions"] == 2
    assert release.recoding.found.facts["depth"] == 1
