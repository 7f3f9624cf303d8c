"""Seven rows and 24 nodes: every search against a trace worked out by hand.

A node is written as three digits: the levels of school (0 to 3), sex (0 to 1) and hours (0 to 2).
From `anonymity.json`, with k = 4 and nothing suppressed, exactly 012 and all nodes from 100 on
satisfy; with k = 7 those from 110 and from 102 on.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from incrowd.algorithms import (
    OLA,
    Datafly,
    Exhaustive,
    Flash,
    ImprovedGreedy,
    Incognito,
    Problem,
    Samarati,
)
from incrowd.algorithms.full_domain import Lattice
from incrowd.algorithms.full_domain.improved_greedy import anonymity
from incrowd.counts import FrequencyTable
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.requirements import KAnonymity

FOLDER = Path(__file__).parent / "seven_rows"
SIX = 6 / 40  # the limit that allows six records


def problem(k):
    stored = json.loads((FOLDER / "table.json").read_text(encoding="utf-8"))
    columns = tuple(stored["columns"])
    trees = tuple(hierarchy_from_rows(stored["hierarchies"][name]) for name in columns)
    rows = [row["values"] for row in stored["rows"]]
    codes = [tree.match([row[j] for row in rows]) for j, tree in enumerate(trees)]
    counts = np.array([row["count"] for row in stored["rows"]], dtype=np.int64)
    table = FrequencyTable(columns, np.vstack(codes), counts)
    return Problem(table, trees, (KAnonymity(k, on=columns),), np.ones(3))


def node(text):
    return tuple(int(level) for level in text)


def nodes(text):
    return [node(each) for each in text.split()]


@pytest.fixture
def counted(monkeypatch):
    """The nodes that are counted, in order."""
    order = []
    count = Lattice.count

    def watched(lattice, at):
        if at not in lattice._counts:
            order.append(at)
        return count(lattice, at)

    monkeypatch.setattr(Lattice, "count", watched)
    return order


def test_the_anonymity_of_every_node():
    stored = json.loads((FOLDER / "anonymity.json").read_text(encoding="utf-8"))
    lattice = Lattice(problem(2), objective="loss", suppression_limit=0.0)
    assert lattice.widths == (1, 3, 5, 6, 5, 3, 1)
    assert {node(text) for text in stored["anonymity"]} == set(lattice.nodes())
    for text, expected in stored["anonymity"].items():
        sizes = lattice.class_sizes(node(text))
        assert [anonymity(sizes, limit) for limit in stored["suppressible"]] == expected


@pytest.mark.parametrize("k", [2, 4, 7, 13, 40])
@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_a_node_satisfies_if_its_anonymity_is_k_or_more(k, at):
    stored = json.loads((FOLDER / "anonymity.json").read_text(encoding="utf-8"))
    limit = stored["suppressible"][at]
    lattice = Lattice(problem(k), objective="loss", suppression_limit=limit / 40)
    for text, expected in stored["anonymity"].items():
        assert lattice.satisfies(node(text)) == (expected[at] >= k)


def test_datafly(counted):
    # 000: the classes of 2, 2 and 2 hold 6 records, more than k = 4.  School has 3 distinct values,
    # sex and hours 2: school goes up.  100: no class is below 4.
    found = Datafly().solve(problem(4))
    assert found.found.facts["path"] == nodes("000 100")
    assert counted == nodes("000 100")
    assert found.assign(problem(4).table).n_suppressed == 0


def test_datafly_breaks_ties_by_the_first_column(counted):
    # k = 13: 100 has classes of 20, 6, 6 and 8, that is 20 records below 13.  School has 1 distinct
    # value left; sex and hours have 2 each, sex comes first.  110: the class of 12 is suppressed,
    # which is at most k records.
    found = Datafly().solve(problem(13))
    assert found.found.facts["path"] == counted == nodes("000 100 110")
    assert found.assign(problem(13).table).n_suppressed == 12


@pytest.mark.parametrize(
    ("k", "limit", "path", "order"),
    [
        # neighbours 100, 010 and 001 of the bottom have anonymity 6, 2 and 2
        (4, 0.0, "000 100", "000 100 010 001"),
        # six records may go, and the bottom has anonymity 4
        (4, SIX, "000", "000"),
        # neighbours 200, 110 and 101 of 100 have anonymity 6, 12 and 6
        (7, 0.0, "000 100 110", "000 100 010 001 200 110 101"),
    ],
)
def test_improved_greedy(counted, k, limit, path, order):
    found = ImprovedGreedy(suppression_limit=limit).solve(problem(k))
    assert found.found.facts["path"] == nodes(path)
    assert counted == nodes(order)
    assert found.found.checked == len(counted)


LEVEL = {
    0: "000",
    1: "001 010 100",
    2: "002 011 101 110 200",
    3: "012 102 111 201 210 300",
}


def test_samarati_by_binary_search(counted):
    # heights 0 to 6: the middle is 3 (6 nodes, all satisfy), then 1 (3 nodes, 100 does), then 0
    found = Samarati().solve(problem(4))
    assert found.found.facts["minimal_nodes"] == [node("100")]
    assert counted == nodes(f"{LEVEL[3]} {LEVEL[1]} {LEVEL[0]}")
    assert found.found.checked == 10


def test_samarati_by_descent(counted):
    # from the middle down: 3, 2, 1; the bottom is the table itself and known to fail
    found = Samarati(search="descend").solve(problem(4))
    assert found.found.facts["minimal_nodes"] == [node("100")]
    assert counted == nodes(f"{LEVEL[3]} {LEVEL[2]} {LEVEL[1]}")
    assert found.found.checked == 14


def test_samarati_goes_up_again_in_the_binary_search(counted):
    # k = 7: height 3 has 102, 111 ..., height 1 none, so height 2 is next: 110
    found = Samarati().solve(problem(7))
    assert found.found.facts["minimal_nodes"] == [node("110")]
    assert counted == nodes(f"{LEVEL[3]} {LEVEL[1]} {LEVEL[2]}")


@pytest.mark.parametrize("search", ["binary", "descend"])
def test_samarati_with_six_records_to_suppress(search):
    found = Samarati(search=search, suppression_limit=SIX).solve(problem(4))
    assert found.found.facts["minimal_nodes"] == [node("000")]
    assert found.found.facts["height"] == 0


def test_incognito_checks_subset_by_subset():
    # One column: the smallest class of school is 4, of sex 14, of hours 12: 3 checks, all hold.
    # School and sex: 00 fails (2 men in school a); 10 and 01 hold: 3 checks.
    # School and hours: 00 fails (2 of school c at 30); 10 holds, 01 has the same classes as 00
    # and fails; 02 holds: 4 checks.  Sex and hours: 00 holds (20, 6, 6, 8): 1 check.  Together 8.
    # All three: a candidate holds in each pair, so school is 0 only with sex 1 and hours 2.
    # The lowest candidates are 012 and 100, and both hold: 2 checks, the rest is tagged.
    found = Incognito().solve(problem(4)).found
    assert found.facts["checks_by_columns"] == [3, 8, 2]
    assert found.checked == 13
    expected = {at for at in all_nodes() if at == node("012") or at[0] >= 1}
    assert set(found.facts["satisfying"]) == expected


def all_nodes():
    return list(Lattice(problem(4), objective="loss", suppression_limit=0.0).nodes())


def test_ola_halves_sub_lattices(counted):
    # 000-312: the middle level is 3; none of its 6 nodes is above another, all are counted, all
    # satisfy, and each halves downwards.
    # 000-012: the middle level 1 holds 001 and 010, which fail.
    # 001-012: the middle level 2 holds 002 and 011, which fail.  010-012 is tagged by now.
    # 000-102: the middle level 1 holds 001, tagged, and 100, which satisfies and tags all above.
    # Nothing is left untagged: 11 nodes counted.
    found = OLA().solve(problem(4)).found
    assert counted == nodes(f"{LEVEL[3]} 001 010 002 011 100")
    assert found.checked == 11
    assert found.facts["minimal_nodes"] == nodes("012 100")


def test_published_flash_follows_paths(counted):
    # 000 fails.  Level 1 in the order of mean relative height: 100 (1/3), 001 (1/2), 010 (1).
    # From 100 the path goes 200 300 301 302 312, each time to the least generalised; its middle,
    # 300, satisfies; then 100 does.
    # From 001: 101 is tagged; 002 (1) comes before 011 (3/2); then 012.  The middle, 002, fails;
    # 012 satisfies.
    # From 010: 011 is all that is left.  010 fails, 011 fails.
    found = Flash(search="published").solve(problem(4))
    assert found.levels == node("100")
    assert counted == nodes("000 300 100 002 012 010 011")
    assert found.found.checked == 7
    assert found.found.facts == {"phase_one": 7, "phase_two": 0}


def test_published_flash_looks_at_all_satisfying_nodes_if_records_may_go(counted):
    found = Flash(search="published", suppression_limit=SIX).solve(problem(4))
    assert found.levels == node("000")
    assert found.found.facts == {"phase_one": 1, "phase_two": 23}
    assert sorted(counted) == sorted(all_nodes())


@pytest.mark.parametrize("k", [4, 7, 13])
@pytest.mark.parametrize("limit", [0.0, SIX])
def test_flash_and_the_exhaustive_search_agree(k, limit):
    bounded = Flash(suppression_limit=limit).solve(problem(k)).found
    exhaustive = Exhaustive(suppression_limit=limit).solve(problem(k)).found
    assert bounded.bound == pytest.approx(exhaustive.bound, abs=1e-12)
    assert bounded.optimal
    assert exhaustive.optimal
    assert exhaustive.checked == 24
