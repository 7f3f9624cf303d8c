"""The levels that a policy allows, for every registered algorithm: no label lies outside them."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import said_by
from incrowd.errors import PolicyError, UnsatisfiableError
from release_checks import (
    ALGORITHMS,
    BY_LEVELS,
    COLUMNS,
    LABELS,
    LIMITS,
    QUASI_IDENTIFIERS,
    anonymized,
    built,
    check_requirements,
    fits,
    frames,
    rows_of,
    text_of,
)

HEIGHTS = {"âge": 3, "city": 2, "code": 1}


@st.composite
def some_levels(draw):
    """Lowest and highest levels for some of the columns."""
    chosen = {}
    for name, height in HEIGHTS.items():
        low = draw(st.integers(0, height))
        chosen[name] = (low, draw(st.integers(low, height)))
    return {name: chosen[name] for name in draw(st.sets(st.sampled_from(COLUMNS), min_size=1))}


def tree_of(name, frame):
    """The hierarchy of a column, built once more and without any levels."""
    spec = QUASI_IDENTIFIERS[name]
    texts = [text for text in map(text_of, frame[name]) if text is not None]
    return spec.build(list(dict.fromkeys(texts)), column=name) if hasattr(spec, "build") else spec


def labels_within(name, cell, frame, levels):
    """All that a cell may be released as: the labels above it at the allowed levels."""
    tree, (low, high) = tree_of(name, frame), levels
    top = {tree.levels[-1].labels[0], "*"} if high == HEIGHTS[name] else set()
    if cell is None:
        return top | ({None} if low < HEIGHTS[name] else set())
    code = int(tree.match([cell])[0])
    if code < 0:  # not listed: the root, wherever it may be
        return top
    steps = range(low, min(high, tree.height) + 1)
    return top | {tree.levels[at].labels[tree.levels[at].node_of[code]] for at in steps}


def check_labels(frame, table, levels):
    """Every row of a table is masked, or stays within the levels of each column."""
    before = dict(zip(frame["row"], rows_of(frame), strict=True))
    kept = 0
    for row, after in zip(table["row"], rows_of(table), strict=True):
        if after == ("*",) * len(COLUMNS):
            continue
        kept += 1
        for name, cell, label in zip(COLUMNS, before[row], after, strict=True):
            if name in levels:
                assert label in labels_within(name, cell, frame, levels[name]), name
    return kept


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=24)
@given(frame=frames(min_rows=2), levels=some_levels(), data=st.data())
def test_no_released_label_lies_outside_the_levels(name, frame, levels, data):
    limit, labels = data.draw(st.sampled_from(LIMITS)), data.draw(st.sampled_from(LABELS))
    on = data.draw(st.sampled_from([None, ("âge", "code")]))
    asked = [ic.KAnonymity(data.draw(st.integers(1, 3)), on=on)]
    try:
        release = anonymized(frame, built(name, limit), asked, levels=levels, labels=labels)
    except UnsatisfiableError:
        return
    check_labels(frame, release.table, levels)
    if len(release.table):
        check_requirements(release.table, asked)
    if release.recoding.kind != "local":
        again = ic.apply_recoding(release.recoding, frame)
        check_labels(frame, again.table, levels)


def people(n=120):
    """A table that every algorithm can release within narrow levels."""
    draw = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "âge": draw.integers(0, 20, n).astype(str),
            "city": draw.choice(["Köln", "Ürümqi", "北京"], n),
            "code": draw.choice(["a", "b"], n),
            "illness": draw.choice(["flu", "cold"], n),
            "income": draw.choice(["little", "much"], n),
            "row": np.arange(n),
        }
    )


NARROW = {"âge": (1, 2), "city": (1, 1), "code": (0, 0)}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_finds_a_release_within_narrow_levels(name):
    frame = people(12 if name == "mingen" else 120)
    if name == "mingen":  # twelve records, of which three are alike at the lowest levels
        frame["âge"], frame["city"] = ["1", "2", "11", "12"] * 3, ["Köln", "北京"] * 6
        frame["code"] = "a"
    assert fits(name, frame, COLUMNS)
    release = anonymized(frame, built(name, 0.05), [ic.KAnonymity(3)], levels=NARROW)
    own = said_by(built(name), "honours") == "by suppressing"  # whatever the levels are
    assert check_labels(frame, release.table, NARROW) >= (0.8 if own else 0.95) * len(frame)
    assert set(release.table["code"]) - {"*"} <= set(frame["code"])
    assert release.verdict.passed


@settings(max_examples=25)
@given(
    frame=frames(min_rows=3),
    levels=some_levels(),
    limit=st.sampled_from(LIMITS),
    objective=st.sampled_from(["loss", "loss_geometric", "precision", "entropy", "discernibility"]),
)
def test_the_optimum_within_levels_is_the_best_of_the_nodes_within_them(
    frame, levels, limit, objective
):
    # A value that is not listed is the root at every level, which a single level does not allow.
    frame = frame[frame["city"] != "unheard of"]
    asked = [ic.KAnonymity(2)]
    box = {name: levels.get(name, (0, height)) for name, height in HEIGHTS.items()}

    def cost(name, within):
        algorithm = built(name, limit, objective=objective)
        try:
            release = anonymized(frame, algorithm, asked, levels=within)
        except (UnsatisfiableError, PolicyError):
            return None
        return release.metric(objective), release.facts["optimal"], release

    # a node is what is left if each column may stand at one level only
    nodes = product(*(range(low, high + 1) for low, high in box.values()))
    alone = [
        cost("flash", {n: (at, at) for n, at in zip(box, node, strict=True)}) for node in nodes
    ]
    best = min((found[0] for found in alone if found), default=None, key=float)
    if objective == "precision":
        best = max((found[0] for found in alone if found), default=None)
    for name in ("flash", "exhaustive"):
        found = cost(name, levels)
        assert (found is None) == (best is None)
        if found is not None and found[1]:
            assert found[0] == pytest.approx(best, abs=1e-9)
            within = found[2].facts["levels"]
            assert all(low <= within[n] <= high for n, (low, high) in levels.items())


@pytest.mark.parametrize("name", BY_LEVELS)
def test_levels_in_the_result_are_those_of_the_whole_hierarchy(name):
    release = anonymized(people(), built(name, 0.05), [ic.KAnonymity(3)], levels=NARROW)
    shown = release.facts["levels"]
    assert shown["city"] == 1
    assert 1 <= shown["âge"] <= 2
    assert shown["code"] == 0


def test_a_saved_recoding_keeps_its_levels(tmp_path):
    frame = people()
    for name in ("flash", "mondrian", "tds"):
        release = anonymized(frame, built(name, 0.05), [ic.KAnonymity(3)], levels=NARROW)
        release.recoding.save(tmp_path / "recoding.json")
        again = ic.load_recoding(tmp_path / "recoding.json")
        assert [each.allowed for each in again.hierarchies] == list(NARROW.values())
        table = ic.apply_recoding(again, frame).table
        assert check_labels(frame, table, NARROW) >= 0.9 * len(frame)


@pytest.mark.parametrize("name", ["flash", "mondrian", "k-members", "tds"])
def test_what_the_highest_level_cannot_hold_is_refused(name):
    frame = people(12)
    frame["code"] = [f"person {row}" for row in range(12)]
    with pytest.raises(UnsatisfiableError) as caught:
        anonymized(frame, built(name), [ic.KAnonymity(2)], levels={"code": (0, 0)})
    assert "highest" in str(caught.value)
    assert "person" not in str(caught.value)
