"""Our recount beside pycanon's: the same figures on clean data, and where pycanon is mistaken."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import incrowd as ic

PYCANON = Path(__file__).parents[2] / "build/peers/pycanon/bin/python"
QUASI = ["age", "sex"]
SCRIPT = """
import json, sys
import pandas as pd
from pycanon import anonymity

given = json.load(sys.stdin)
table = pd.DataFrame(given["columns"], index=given["index"])
quasi, sensitive = given["quasi"], ["dx"]
print(json.dumps({
    "k": int(anonymity.k_anonymity(table, quasi)),
    "l": int(anonymity.l_diversity(table, quasi, sensitive)),
    "t": float(anonymity.t_closeness(table, quasi, sensitive)),
}))
"""

pytestmark = pytest.mark.skipif(
    not PYCANON.exists(), reason="pycanon is not installed: make build/peers/pycanon/.done"
)


def theirs(table, quasi=QUASI):
    """Return what pycanon says of a table, in a process of its own: it pins what it needs."""
    given = {
        "columns": {name: table[name].tolist() for name in table},
        "index": table.index.tolist(),
        "quasi": quasi,
    }
    ran = subprocess.run(
        [PYCANON, "-W", "ignore", "-c", SCRIPT],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout.splitlines()[-1])


def ours(table, quasi=QUASI):
    """Return what the recount says of it: the values reached."""
    asked = [ic.KAnonymity(1), ic.LDiversity(2, "dx"), ic.TCloseness(1, "dx")]
    policy = ic.policy(quasi_identifiers=quasi, sensitive=["dx"], requirements=asked)
    reached = [finding.reached for finding in ic.verify(table, policy).findings]
    return dict(zip("klt", reached, strict=True))


def clean(seed):
    draw = np.random.default_rng(seed)
    n = 60
    return pd.DataFrame(
        {
            "age": draw.choice(["[20, 30)", "[30, 40)", "*"], n),
            "sex": draw.choice(["f", "m"], n),
            "dx": draw.choice(list("abcde"), n),
        }
    )


@pytest.mark.parametrize("seed", range(4))
def test_clean_tables_have_the_same_figures(seed):
    table = clean(seed)
    found = theirs(table)
    assert ours(table) == {"k": found["k"], "l": found["l"], "t": pytest.approx(found["t"])}


def test_a_missing_cell_is_a_class_of_its_own_and_pycanon_does_not_see_it():
    table = pd.DataFrame({"age": ["x", "x", "y", "y", None], "dx": list("ababa")})
    assert ours(table, ["age"])["k"] == 1
    assert theirs(table, ["age"])["k"] == 2


def test_the_order_of_the_index_is_nothing_and_pycanon_goes_by_it():
    table = pd.DataFrame({"age": list("xxyy"), "sex": ["f"] * 4, "dx": list("aabb")})
    shuffled = table.set_axis([0, 2, 1, 3])
    assert ours(table)["l"] == ours(shuffled)["l"] == theirs(table)["l"] == 1
    assert theirs(shuffled)["l"] == 2  # it takes the labels of the index for places of rows
