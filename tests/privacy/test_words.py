"""What objects print and pickle of themselves: names and sizes, never a cell."""

import copy
import functools
import logging
import pickle
import traceback
from dataclasses import is_dataclass

import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.algorithms import ALGORITHMS, build_algorithm
from incrowd.engines import engine_for
from incrowd.errors import IncrowdError, PrivateError, VerificationError
from incrowd.frame import open_source
from incrowd.learn import Anonymizer
from incrowd.release.problem import state_problem
from incrowd.release.run import draft_release

CANARY = "CANARY"
CITIES = ["Bonn"] * 6 + ["Ulm"] * 6 + [f"{CANARY}-city"]
TABLE = pa.table(
    {
        "city": [f"{CANARY}-{each}" for each in CITIES],
        "age": [30, 31, 32, 33, 34, 35, 60, 61, 62, 63, 64, 65, 7310],
        "dx": [f"{CANARY}-dx-{at % 3}" for at in range(13)],
        "class": [f"{CANARY}-class-{at % 2}" for at in range(13)],
        "name": [f"{CANARY}-name-{at}" for at in range(13)],
    }
)
POLICY = ic.policy(
    quasi_identifiers={"city": None, "age": None},
    sensitive=["dx"],
    target="class",
    identifiers=["name"],
    k=3,
)


def reached(start):
    """Yield every object of the package that can be reached from one, closures included."""
    seen, pending = set(), [start]
    while pending:
        each = pending.pop()
        if id(each) in seen or isinstance(each, str | bytes | int | float | type | None):
            continue
        seen.add(id(each))
        if type(each).__module__.startswith("incrowd"):
            yield each
        if isinstance(each, dict):
            pending += [*each.keys(), *each.values()]
        elif isinstance(each, tuple | list | set | frozenset):
            pending += each
        elif isinstance(each, functools.partial):
            pending += [each.func, *each.args, *each.keywords.values()]
        elif hasattr(each, "__closure__"):
            pending += [cell.cell_contents for cell in each.__closure__ or ()]
        if type(each).__module__.startswith("incrowd"):
            pending += vars(each).values() if hasattr(each, "__dict__") else ()


def silent(text):
    return CANARY not in text and "7310" not in text


def release_of(name, table=TABLE):
    parameters = {"suppression_limit": 0.1} if name in ("flash", "datafly") else {}
    return ic.anonymize(table, POLICY, algorithm=build_algorithm(name, parameters))


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_nothing_that_a_release_leads_to_prints_a_cell(name):
    try:
        release = release_of(name)
    except IncrowdError as error:
        pytest.skip(error.message)
    _ = release.metrics, release.outcome.sensitive, release.outcome.target.original
    kinds = set()
    for each in reached(release):
        kinds.add(type(each).__name__)
        if is_dataclass(each):
            assert silent(repr(each)), type(each)
            assert len(repr(each)) < 1000, type(each)
    assert kinds >= {"Release", "Outcome", "Hierarchy", "FrequencyTable", "Assignment", "Policy"}


@pytest.mark.parametrize("frame", ["pandas", "polars", "csv"])
def test_tables_of_every_kind_and_drafts_print_no_cell(frame, tmp_path):
    if frame == "csv":
        data = tmp_path / "t.csv"
        rows = [",".join(map(str, row.values())) for row in TABLE.to_pylist()]
        data.write_text("\n".join([",".join(TABLE.column_names), *rows]), encoding="utf-8")
    else:
        data = TABLE.to_pandas() if frame == "pandas" else __import__("polars").from_arrow(TABLE)
    source = open_source(data)
    draft = draft_release(state_problem(engine_for(source), POLICY), ic.Mondrian())
    found = [each for start in (draft, source.encode("city")) for each in reached(start)]
    assert {"Draft", "Problem", "Encoded", type(source).__name__} <= {
        type(each).__name__ for each in found
    }
    assert all(silent(repr(each)) for each in found if is_dataclass(each))


def test_policies_and_estimators_do_not_spell_out_hierarchies():
    groups = ic.groups({"Rhine": [f"{CANARY}-Bonn"], "South": [f"{CANARY}-Ulm"]})
    ordered = ic.ordered(2, order=[f"{CANARY}-a", f"{CANARY}-b"])
    policy = ic.policy(quasi_identifiers={"city": groups, "b": ordered}, k=2)
    assert silent(repr(policy))
    assert silent(repr(Anonymizer(quasi_identifiers={"city": groups}, k=2)))


def test_the_repr_of_a_release_says_what_it_is():
    assert repr(release_of("mondrian")).startswith("Release(13 of 13 records in ")


@pytest.mark.parametrize("what", ["release", "preview", "outcome"])
def test_what_knows_the_input_is_not_pickled(what):
    release = release_of("mondrian")
    held = {
        "release": release,
        "preview": ic.preview(TABLE, POLICY, algorithm="mondrian"),
        "outcome": release.outcome,
    }[what]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(PrivateError, match="not pickled") as error:
            pickle.dumps(held, protocol)
    assert "`table`" in error.value.hint
    with pytest.raises(TypeError):
        pickle.dumps({"inside": held})


def test_a_release_can_be_copied():
    release = release_of("mondrian", TABLE.to_pandas())
    assert copy.copy(release).metrics == release.metrics
    deep = copy.deepcopy(release)
    assert deep.table.equals(release.table)
    assert deep.table is not release.table
    assert deep.metrics == release.metrics


def error_of(call):
    try:
        call()
    except IncrowdError as error:
        return error, traceback.format_exc()
    raise AssertionError("no error")


def test_an_error_keeps_its_values_to_itself(caplog):
    rows = {"city": {"rows": [[f"{CANARY}-Bonn", "*"]]}}
    error, trace = error_of(lambda: ic.anonymize(TABLE, quasi_identifiers=rows, k=2,
                                                 other_columns="drop"))  # fmt: skip
    assert set(error.values) == {f"{CANARY}-Ulm", f"{CANARY}-{CANARY}-city"}
    logging.getLogger("test").error("failed", exc_info=error)
    logging.getLogger("test").error("%r %s %s", error, error.args, vars(error))
    shown = [str(error), repr(error), str(error.args), str(vars(error)), trace, caplog.text]
    assert all(map(silent, shown))
    assert CANARY.encode() not in pickle.dumps(error)


@pytest.mark.parametrize(
    "error",
    [
        IncrowdError("what", hint="do"),
        PrivateError("what"),
        VerificationError("what", hint="do", verdict={"passed": False}),
    ],
)
def test_a_pickled_error_is_the_same_error(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.hint, tuple(again.values)) == (str(error), error.hint, ())
    assert getattr(again, "verdict", None) == getattr(error, "verdict", None)
