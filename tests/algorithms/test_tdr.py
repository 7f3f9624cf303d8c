"""TDR and TDS against people who refine by hand, and what they promise beyond the papers."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import TDR, TDS, Problem
from incrowd.counts import FrequencyTable, Target
from incrowd.errors import ParameterError, PolicyError, UnsatisfiableError
from incrowd.hierarchies import hierarchy_from_rows, intervals
from incrowd.requirements import KAnonymity
from naive import sensitive_values as naive
from naive import tdr as naive_tdr
from refined_people import check_against_people, people, problems, steps_of

CRITERIA = ("score", "infogain")


AVERAGES = ("containing", "all")


BENEFICIAL = ("gain", "classes")


@pytest.mark.kernel
@settings(max_examples=150)
@given(problem=problems(), data=st.data())
def test_tdr_refines_as_people_would(problem, data):
    criterion, disclose = (data.draw(st.sampled_from(CRITERIA)) for _ in range(2))
    average = data.draw(st.sampled_from(AVERAGES))
    beneficial = data.draw(st.sampled_from(BENEFICIAL))
    min_child = data.draw(st.sampled_from([1, 1, 2, 4]))
    algorithm = TDR(
        criterion=criterion,
        disclose=disclose,
        average=average,
        beneficial=beneficial,
        min_child=min_child,
    )
    recoding = check_against_people(problem, algorithm, disclose)
    assert recoding.assign(problem.table).n_suppressed == 0


@settings(max_examples=60)
@given(problem=problems(), data=st.data(), average=st.sampled_from(AVERAGES))
def test_it_goes_on_from_the_highest_levels_where_they_hold(problem, data, average):
    limited = [
        tree.within(0, data.draw(st.integers(0, tree.height))) if given else tree
        for tree, given in zip(problem.hierarchies, problem.given, strict=True)
    ]
    # a cell that is not listed is the root at every level, and falls
    assume(not any(tree.has_unknown and tree.highest < tree.height for tree in limited))
    problem = replace(problem, hierarchies=tuple(limited))
    twin = naive_tdr.Twin(problem, "score", "score", average)
    twin.begin_within()
    assume(all(twin.smallest(columns) >= k for columns, k in twin.asked))
    expected = twin.run()
    recoding = TDR(average=average).solve(problem)
    assert recoding.assign(problem.table).n_suppressed == 0
    found = steps_of(recoding, problem)
    begun = len(found) - len(expected)
    assert all(limited[j].highest < limited[j].height for j, *_ in found[:begun])
    assert [step[:2] for step in found[begun:]] == [(step[0], len(step[1])) for step in expected]
    for step, other in zip(found[begun:], expected, strict=True):
        assert step[2:] == pytest.approx(other[2:], rel=1e-9, abs=1e-11)


PROMISES = {
    "distinct": (ic.LDiversity(2, "c"), lambda own, all_: naive.distinct(own, l=2)[0]),
    "alpha": (ic.AlphaK(0.7, 2, "c"), lambda own, all_: naive.alpha_k(own, alpha=0.7, k=2)[0]),
    "equal": (ic.TCloseness(0.2, "c"), lambda own, all_: naive.equal(own, all_, t=0.2)[0]),
    "basic": (
        ic.BetaLikeness(0.5, "c"),
        lambda own, all_: naive.beta_likeness(own, all_, beta=0.5)[0],
    ),
}


@pytest.mark.kernel
@settings(max_examples=150)
@given(problem=problems(), data=st.data())
def test_no_refinement_breaks_a_promise(problem, data):
    criterion, disclose = (data.draw(st.sampled_from(CRITERIA)) for _ in range(2))
    promised, holds = PROMISES[data.draw(st.sampled_from(sorted(PROMISES)))]
    on = tuple(data.draw(st.lists(st.sampled_from(problem.columns), min_size=1, unique=True)))
    promised = replace(promised, on=on).resolved(problem.columns)
    problem = replace(problem, requirements=(*problem.requirements, promised))
    try:
        problem.check_reachable()
    except UnsatisfiableError:
        assume(False)
    carried, records = problem.table.carried["c"], problem.table.records
    everyone = Counter(np.repeat(carried, records).tolist())
    columns = [problem.columns.index(name) for name in on]
    promises = [(columns, lambda own: holds(own, everyone))]
    algorithm = TDR(criterion=criterion, disclose=disclose)
    recoding = check_against_people(problem, algorithm, disclose, promises)
    assert recoding.assign(problem.table).n_suppressed == 0


@pytest.mark.parametrize("algorithm", [TDR, TDS])
def test_what_tells_nothing_is_refined_if_the_paper_is_followed(algorithm):
    """The first step tells nothing: a and c are all of one class, b and d of the other."""
    frame = pd.DataFrame(
        [(each, "yes" if each in "ac" else "no") for each in "abcd" for _ in range(10)],
        columns=["x", "class"],
    )

    def shown(**rule):
        release = ic.anonymize(
            frame,
            quasi_identifiers={"x": ic.groups({"g1": ["a", "b"], "g2": ["c", "d"]})},
            target="class",
            k=5,
            algorithm=algorithm(**rule),
        )
        trace = release.recoding.found.facts["trace"]
        return set(release.table["x"]), [step["info_gain"] for step in trace]

    assert shown() == ({"*"}, [])
    assert shown(beneficial="classes") == ({"a", "b", "c", "d"}, [0.0, 1.0, 1.0])
    with pytest.raises(ParameterError, match="beneficial"):
        algorithm(beneficial="always")


@settings(max_examples=40)
@given(problem=problems(), data=st.data())
def test_the_order_of_tuples_and_the_names_of_classes_change_nothing(problem, data):
    table = problem.table
    order = data.draw(st.permutations(range(table.n_tuples)))
    names = np.array(data.draw(st.permutations(range(problem.target.n_classes))), np.int32)
    shuffled = FrequencyTable(
        table.columns,
        np.ascontiguousarray(table.codes[:, order]),
        table.records[order],
        {"c": names[table.carried["c"]][order]},
    )
    other = Problem(
        shuffled,
        problem.hierarchies,
        problem.requirements,
        problem.weights,
        given=problem.given,
        target=problem.target,
        domains=problem.domains,
    )
    for algorithm in (TDR(), TDS()):
        one, two = algorithm.solve(problem), algorithm.solve(other)
        assert one.found == two.found  # every figure to its last bit
        assert [cut.tolist() for cut in one.cuts] == [cut.tolist() for cut in two.cuts]


TWO_TOWNS = people(
    [(20, "Bonn", "low"), (30, "Bonn", "low"), (40, "Kiel", "high"), (50, "Kiel", "high")] * 3
)


def released(frame, quasi_identifiers, algorithm, k=2, **options):
    return ic.anonymize(
        frame,
        quasi_identifiers=quasi_identifiers,
        target="pay",
        k=k,
        order="keep",
        other_columns="drop",
        algorithm=algorithm,
        **options,
    )


def test_a_column_discloses_values_and_shows_the_root_for_the_rest():
    cities = ["Bonn"] * 6 + ["Kiel"] * 6 + ["Trier", "Worms"] * 3
    frame = pd.DataFrame({"city": cities, "pay": ["low"] * 6 + ["high"] * 6 + ["low", "high"] * 3})
    release = released(frame, ["city"], TDR(), k=4)
    assert Counter(release.table["city"]) == {"Bonn": 6, "Kiel": 6, "*": 6}
    facts = release.recoding.found.facts
    assert [step["children"] for step in facts["trace"]] == [["Bonn", "*"], ["Kiel", "*"]]
    assert facts["suppressed"] == {"city": ["Trier", "Worms"]}
    assert release.facts["cuts"]["city"] == ["Bonn", "Kiel", "*"]
    assert released(frame, ["city"], TDS(), k=4).facts["cuts"] == {"city": ["*"]}
    assert Counter(released(frame, ["city"], TDS(), k=3).table["city"]) == Counter(cities)


def test_intervals_grow_where_classes_part():
    release = released(TWO_TOWNS, ["age"], TDR())
    assert Counter(release.table["age"]) == {"< 40": 6, ">= 40": 6}
    assert release.recoding.found.facts["intervals"] == {"age": ["< 40", ">= 40"]}
    assert release.recoding.found.facts["trace"] == [
        {
            "column": "age",
            "value": "*",
            "children": ["< 40", ">= 40"],
            "info_gain": 1.0,
            "anony_loss": 6.0,
            "score": 1 / 7,
        }
    ]


def test_intervals_end_at_the_domain(tmp_path):
    path = tmp_path / "policy.toml"
    path.write_text(
        'other_columns = "drop"\n'
        'columns.age = { role = "quasi-identifier", domain = [0, 120] }\n'
        'columns.pay.role = "target"\n'
        "requirements = [{ k_anonymity = 2 }]\n"
    )
    release = ic.anonymize(TWO_TOWNS, path, algorithm="tdr")
    assert Counter(release.table["age"]) == {"[0, 40)": 6, "[40, 120]": 6}
    assert release.recoding.found.facts["intervals"] == {"age": ["[0, 40)", "[40, 120]"]}


def test_missing_cells_leave_with_the_first_cut():
    frame = pd.DataFrame({"age": [20, 40, None] * 4, "pay": ["low", "high", "high"] * 4})
    release = released(frame, ["age"], TDR())
    assert release.table["age"].isna().sum() == 4
    assert release.recoding.found.facts["trace"][0]["children"] == ["< 40", ">= 40", None]
    one = frame.assign(age=[20, 20, None] * 4, pay=["low", "low", "high"] * 4)
    release = released(one, ["age"], TDR())
    assert release.table["age"].isna().sum() == 4
    assert set(release.table["age"].dropna()) == {"*"}


def test_a_missing_cell_can_be_disclosed():
    frame = pd.DataFrame({"city": ["Bonn", "Kiel", None] * 4, "pay": ["low", "low", "high"] * 4})
    release = released(frame, ["city"], TDR())
    assert release.recoding.found.facts["trace"][0]["children"] == [None, "*"]
    assert release.table["city"].isna().sum() == 4


def test_what_is_not_listed_is_shown_as_the_root_beside_the_children():
    tree = hierarchy_from_rows([("Bonn", "DE", "*"), ("Kiel", "DE", "*"), ("Lyon", "FR", "*")])
    cities = ["Bonn", "Kiel", "Lyon", "Lyon", "Oslo", "Rome"] * 2
    frame = pd.DataFrame({"city": cities, "pay": ["a", "a", "b", "b", "c", "c"] * 2})
    release = released(frame, {"city": tree}, TDR(), k=4, unknown={"city": "suppress"})
    # a node of one leaf is that leaf
    assert Counter(release.table["city"]) == {"DE": 4, "Lyon": 4, "*": 4}
    assert release.recoding.found.facts["trace"][0]["children"] == ["DE", "Lyon", "*"]


def test_a_chain_of_single_children_does_not_end_the_search():
    rows = [("x", "A", "North", "*"), ("y", "B", "North", "*"), ("z", "C", "South", "*")]
    tree = hierarchy_from_rows(rows)
    frame = pd.DataFrame({"place": ["x", "y"] * 4, "pay": ["low", "high"] * 4})
    release = released(frame, {"place": tree}, TDR())
    assert set(release.table["place"]) == {"x", "y"}
    again = ic.apply_recoding(release.recoding, pd.DataFrame({"place": ["z", "x"] * 4, "pay": 1}))
    assert again.facts["suppressed"] == 4  # z is a class that was never released


def test_columns_outside_every_requirement_stay_as_they_are():
    requirements = [ic.KAnonymity(6, on=("city",))]
    for algorithm, kiel in ((TDR(), "*"), (TDS(), "Kiel")):
        release = ic.anonymize(
            TWO_TOWNS,
            quasi_identifiers=["age", "city"],
            target="pay",
            requirements=requirements,
            order="keep",
            algorithm=algorithm,
        )
        assert release.table["age"].tolist() == TWO_TOWNS["age"].tolist()
        assert release.table["city"].tolist() == ["Bonn", "Bonn", kiel, kiel] * 3


def test_requirements_have_anonymities_of_their_own():
    frame = pd.DataFrame(
        {
            "age": [20, 20, 20, 40, 40, 40, 40, 40],
            "sex": list("ffmmmfmm"),
            "pay": ["low"] * 3 + ["high"] * 5,
        }
    )
    by_k = {}
    for k in (3, 4):
        requirements = [ic.KAnonymity(k, on=("age",)), ic.KAnonymity(3, on=("sex",))]
        release = ic.anonymize(
            frame,
            quasi_identifiers=["age", "sex"],
            target="pay",
            requirements=requirements,
            algorithm=TDR(),
        )
        by_k[k] = release.recoding.found.facts["trace"]
    assert [step["column"] for step in by_k[3]] == ["age", "sex"]
    assert [step["column"] for step in by_k[4]] == ["sex"]
    assert [step["anony_loss"] for step in by_k[3]] == [5.0, 5.0]


@pytest.mark.parametrize("algorithm", [TDR(), TDS()], ids=["tdr", "tds"])
@pytest.mark.parametrize(
    "pay", [["x"] * 12, [None] * 12, list(range(12)), ["x", None] * 6], ids=str
)
def test_targets_of_any_number_of_classes(algorithm, pay):
    frame = TWO_TOWNS.assign(pay=pd.Series(pay, dtype=object))
    release = released(frame, ["age", "city"], algorithm, k=3)
    trace = release.recoding.found.facts["trace"]
    if len(set(pay)) == 1:
        assert trace == []  # nothing tells one class from itself
        assert set(release.table["age"]) == set(release.table["city"]) == {"*"}
    else:
        assert trace
        assert all(step["score"] > 0 for step in trace)


@pytest.mark.parametrize("algorithm", [TDR(), TDS()], ids=["tdr", "tds"])
def test_a_target_is_needed(algorithm):
    with pytest.raises(PolicyError, match="names no target"):
        ic.anonymize(TWO_TOWNS, quasi_identifiers=["age"], k=2, other_columns="drop",
                     algorithm=algorithm)  # fmt: skip


@pytest.mark.parametrize("algorithm", [TDR(), TDS()], ids=["tdr", "tds"])
def test_requirements_beyond_the_table_are_refused(algorithm):
    requirements = [ic.KAnonymity(2, on=("age",)), ic.KAnonymity(13, on=("city",))]
    with pytest.raises(UnsatisfiableError, match="the table has 12 records"):
        ic.anonymize(TWO_TOWNS, quasi_identifiers=["age", "city"], target="pay",
                     requirements=requirements, algorithm=algorithm)  # fmt: skip


@pytest.mark.parametrize("name", ["criterion", "disclose", "average"])
@pytest.mark.parametrize("value", ["best", "", None, 1])
def test_parameters_that_make_no_sense(name, value):
    with pytest.raises(ParameterError, match=name):
        TDR(**{name: value})
    if name != "disclose":
        with pytest.raises(ParameterError, match=name):
            TDS(**{name: value})


def test_of_equal_scores_the_first_column_and_value_win():
    twice = TWO_TOWNS.assign(town=TWO_TOWNS["city"])
    for columns in (["city", "town"], ["town", "city"]):
        release = released(twice.drop(columns="age"), columns, TDR())
        trace = release.recoding.found.facts["trace"]
        assert trace[0]["column"] == columns[0]
        assert trace[0]["children"] == ["Bonn", "*"]


def test_of_equal_splits_the_smallest_wins():
    frame = pd.DataFrame({"age": [1, 2, 3, 4] * 3, "pay": ["a", "b", "b", "a"] * 3})
    trace = released(frame, ["age"], TDR()).recoding.found.facts["trace"]
    assert trace[0]["children"] == ["< 2", ">= 2"]


def test_only_what_is_most_telling_is_tried_if_asked():
    """The best value is not allowed, so the column stays suppressed, where scores disclose more."""
    cities = ["Bonn"] * 3 + ["Kiel"] * 8 + ["Lyon"] * 9
    pay = ["high"] * 3 + ["low"] * 7 + ["high"] + ["low"] * 9
    frame = pd.DataFrame({"city": cities, "pay": pay})
    by_score = released(frame, ["city"], TDR(), k=4)
    by_gain = released(frame, ["city"], TDR(disclose="infogain"), k=4)
    assert set(by_score.table["city"]) == {"Lyon", "*"}
    assert set(by_gain.table["city"]) == {"*"}


def test_a_decision_can_be_saved_and_applied_to_new_rows(tmp_path):
    release = released(TWO_TOWNS, ["age", "city"], TDR(), k=3)
    release.recoding.save(tmp_path / "recoding.json")
    loaded = ic.load_recoding(tmp_path / "recoding.json")
    assert loaded.to_json() == release.recoding.to_json()
    facts = release.recoding.found.facts
    assert json.loads(json.dumps(facts)) == facts
    new = people([(25, "Bonn", "low"), (99, "Ulm", "high"), (41, "Kiel", "high")] * 4)
    again = ic.apply_recoding(loaded, new)
    assert set(zip(again.table["age"], again.table["city"], strict=True)) == set(
        zip(release.table["age"], release.table["city"], strict=True)
    )


def test_progress_is_reported_and_can_stop_the_search():
    class Stopped(Exception):
        pass

    class Impatient:
        def start(self, task, *, total=None, detail=""):
            self.task = task

        def update(self, done, *, best=None, bound=None):
            raise Stopped

        def finish(self):
            pass

    n = 30_000
    draw = np.random.default_rng(3)
    values = [str(each) for each in range(n)]
    tree = intervals(n * 2).build(values, column="number")
    table = FrequencyTable(
        ("number",),
        np.arange(n, dtype=np.int32)[None],
        np.ones(n, np.int64),
        {"c": draw.integers(0, 2, n).astype(np.int32)},
    )
    problem = Problem(
        table,
        (tree,),
        (KAnonymity(1, on=("number",)),),
        np.ones(1),
        given=(False,),
        target=Target("c", ("a", "b")),
        domains=(None,),
    )
    progress = Impatient()
    with pytest.raises(Stopped):
        TDR().solve(problem, progress)
    assert progress.task == "tdr"


def limited_people():
    draw = np.random.default_rng(9)
    age = draw.integers(20, 60, 900)
    return pd.DataFrame(
        {
            "age": age.astype(str),
            "zip": [f"1{each:02}" for each in draw.integers(0, 40, 900)],
            "job": draw.choice(list("abcdef"), 900),
            "income": np.where(age + draw.integers(0, 30, 900) > 55, "much", "little"),
        }
    )


def within(levels, algorithm, frame=None):
    return ic.anonymize(
        limited_people() if frame is None else frame,
        quasi_identifiers={
            "age": ic.intervals(5, 10, 20),
            "zip": ic.masking(),
            "job": ic.suppression(),
        },
        target="income",
        k=5,
        levels=levels,
        algorithm=algorithm,
    )


@pytest.mark.parametrize("algorithm", ["tds", "tdr"])
class TestLevels:
    def test_the_search_begins_at_the_highest_levels(self, algorithm):
        release = within({"zip": (0, 1)}, algorithm)
        assert release.facts["suppressed"] == 0
        assert {each[:2] for each in release.table["zip"]} == {"10", "11", "12", "13"}
        first = release.recoding.found.facts["trace"][0]
        assert first["column"] == "zip"  # it tells nothing of the target, and is no choice
        assert len(set(release.table["age"])) > 2  # the others are refined as far as they can be

    def test_what_cannot_be_held_there_is_suppressed_before(self, algorithm):
        frame = limited_people()
        frame.loc[:3, "zip"] = "900"
        with pytest.raises(UnsatisfiableError, match="4 of 900 records"):
            within({"zip": (0, 1)}, algorithm, frame)
        search = {"tds": TDS, "tdr": TDR}[algorithm](suppression_limit=0.01)
        release = within({"zip": (0, 1)}, search, frame)
        assert release.facts["suppressed"] == 4
        assert {each[:2] for each in release.table["zip"]} <= {"10", "11", "12", "13", "*"}
        assert len(set(release.table["age"])) > 2

    def test_a_highest_level_that_is_no_limit_changes_nothing(self, algorithm):
        free, limited = within({}, algorithm), within({"age": (0, 4)}, algorithm)
        assert free.recoding.found.facts["trace"] == limited.recoding.found.facts["trace"]
