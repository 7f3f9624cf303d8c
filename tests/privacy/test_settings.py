"""Every setting that is accepted changes something, gets a note, or is refused."""

import inspect

import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

import incrowd as ic
from command_line import incrowd, make_people
from incrowd.algorithms import ALGORITHMS, build_algorithm, parameters_of
from incrowd.compare import compare
from incrowd.errors import IncrowdError, ParameterError, PolicyError
from incrowd.release import with_runtime_options
from incrowd.schema import policy_from_mapping
from incrowd.schema.reading import COLUMN_KEYS, INPUT_KEYS, POLICY_KEYS, RELEASE_KEYS

LINES = ["age;city;dx;who;n", "20;Bonn;grün; a;1", "20;Bonn;cold;1,5;1", "22;Ulm;grün;3.4.2020;1",
         "22;Ulm;cold;d;1", "80;?;grün;e;1", "81;Bonn;cold;f;1"]  # fmt: skip
TREE = "Bonn,N,*\nUlm,S,*\n?,N,*\n"
BASE = {
    "other_columns": "drop",
    "columns": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 50]}},
        "city": {"role": "quasi-identifier", "hierarchy": "city.csv"},
        "dx": {"role": "sensitive"},
    },
    "requirements": [{"k_anonymity": 2}],
    "algorithm": {"name": "flash", "suppression_limit": 0.0},
    "input": {"hierarchy_separator": ","},
    "release": {"order": "keep"},
}


def changed(*path_and_value):
    """Return the policy with one setting changed."""
    *path, last, value = path_and_value
    mapping = __import__("copy").deepcopy(BASE)
    place = mapping
    for key in path:
        place = place[key]
    place[last] = value
    return mapping


def kept(name, **rules):
    """Return the policy with one more column that is released as it is, but for some rules."""
    return changed("columns", name, {"role": "insensitive", **rules})


FLAT = {  # two records are suppressed, and can hide in each other's crowd
    "columns": {
        name: {"role": "quasi-identifier", "hierarchy": {"suppression": True}}
        for name in ("age", "city")
    },
    "algorithm": {"name": "flash", "suppression_limit": 0.4},
}
# By key of a policy: another value of it, and an algorithm or setting that it needs.
OTHERS = {
    "other_columns": changed("other_columns", "keep"),
    "requirements": changed("requirements", [{"k_anonymity": 3}]),
    "algorithm": changed("algorithm", {"name": "mondrian"}),
    "columns": changed("columns", {"age": {"role": "quasi-identifier"}}),
    "columns.role": changed("columns", "dx", "role", "identifier"),
    "columns.hierarchy": changed("columns", "age", "hierarchy", {"suppression": True}),
    "columns.weight": changed("columns", "age", "weight", 9),
    "columns.unknown": changed("columns", "city", {**BASE["columns"]["city"], "unknown": "suppress",
                                                   "hierarchy": "half.csv"}),
    "columns.domain": {**changed("columns", "age", {"role": "quasi-identifier", "domain": [0, 99]}),
                       "algorithm": {"name": "k-optimize"}},
    "columns.levels": changed("columns", "age", "levels", [2, 3]),
    "columns.kind": changed("columns", "age", {"role": "quasi-identifier", "kind": "text"}),
    "columns.trim": kept("who", trim=True),
    "columns.remove": kept("who", remove=["a"]),
    "columns.case": kept("who", case="upper"),
    "columns.decimal": kept("who", decimal=","),
    "columns.dates": kept("who", dates="month-first"),
    "columns.pad": kept("n", pad=3),
    "columns.clean": kept("dx", clean={"flu": ["cold"]}),
    "input.separator": changed("input", "separator", ","),
    "input.missing": changed("input", "missing", ["", "?"]),
    "input.encoding": changed("input", "encoding", "latin-1"),
    "input.hierarchy_separator": changed("input", "hierarchy_separator", ";"),
    "release.order": changed("release", "order", "shuffle"),
    "release.suppressed": {**changed("release", "suppressed", "drop"), **FLAT},
    "release.labels": {**changed("release", "labels", "range"), "algorithm": {"name": "mondrian"}},
}  # fmt: skip
BESIDE = {  # what the same policy says without the setting, where that is not BASE
    "columns.unknown": changed("columns", "city", {"role": "quasi-identifier",
                                                   "hierarchy": "half.csv"}),
    "columns.domain": {**changed("columns", "age", {"role": "quasi-identifier"}),
                       "algorithm": {"name": "k-optimize"}},
    "columns.kind": changed("columns", "age", {"role": "quasi-identifier"}),
    **{f"columns.{key}": kept("who") for key in ("trim", "remove", "case", "decimal", "dates")},
    "columns.pad": kept("n"),
    "columns.clean": kept("dx"),
    "input.missing": changed("columns", "city", {"role": "quasi-identifier"}),
    "release.suppressed": {**BASE, **FLAT},
    "release.labels": changed("algorithm", {"name": "mondrian"}),
}  # fmt: skip
OTHERS["input.missing"]["columns"]["city"] = {"role": "quasi-identifier"}


def result_of(mapping, folder):
    """Return all that a release says and shows, or what is wrong."""
    (folder / "t.csv").write_text("\n".join([*LINES, ""]), encoding="utf-8")
    (folder / "city.csv").write_text(TREE, encoding="utf-8")
    (folder / "half.csv").write_text("Bonn,N,*\nUlm,S,*\n", encoding="utf-8")
    try:
        release = ic.anonymize(folder / "t.csv", policy_from_mapping(mapping, folder=folder))
    except IncrowdError as error:
        return error.message
    return release.table.to_pylist(), release.facts, release.metrics, release.notes


@pytest.mark.parametrize("key", OTHERS)
def test_every_key_of_a_policy_does_something(key, tmp_path):
    before = result_of(BESIDE.get(key, BASE), tmp_path)
    after = result_of(OTHERS[key], tmp_path)
    assert before != after


def test_no_key_of_a_policy_is_forgotten_here():
    known = {*POLICY_KEYS} - {"input", "release"}
    known |= {f"columns.{key}" for key in COLUMN_KEYS}
    known |= {f"input.{key}" for key in INPUT_KEYS}
    # `formulas` is about CSV files, not frames: see tests/frame/test_formulas.py
    known |= {f"release.{key}" for key in RELEASE_KEYS if key != "formulas"}
    assert set(OTHERS) == known


@pytest.mark.parametrize("option", ["seed", "threads", "time_limit"])
@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_a_runtime_option_is_taken_or_refused(name, option):
    algorithm = build_algorithm(name, {})
    if option in parameters_of(type(algorithm)):
        assert getattr(with_runtime_options(algorithm, **{option: 2}), option) == 2
    else:
        with pytest.raises(ParameterError, match=f"--{option.replace('_', '-')} does nothing"):
            with_runtime_options(algorithm, **{option: 2})


@pytest.mark.parametrize(
    ("option", "value"),
    [("classifiers", ["svm"]), ("folds", 3), ("protocol", "release"), ("star", "missing"),
     ("intervals", "midpoint"), ("features", ["age"]), ("sample", 9)],
)  # fmt: skip
def test_what_describes_classifiers_needs_some(option, value):
    assert option in inspect.signature(compare).parameters
    table = pa.table({"age": [1, 1, 2, 2]})
    with pytest.raises(ParameterError, match=f"{option} does nothing"):
        ic.compare(table, ic.policy(quasi_identifiers=["age"], k=2), algorithms="flash",
                   **{option: value})  # fmt: skip


def test_a_separator_of_a_table_that_is_no_csv_file_gets_a_note(tmp_path):
    table = pa.table({"age": [1, 1, 2, 2]})
    write_table(table, tmp_path / "t.parquet")
    for data in (table, tmp_path / "t.parquet"):
        release = ic.anonymize(data, quasi_identifiers=["age"], k=2, separator=";")
        assert any("those of CSV files" in note for note in release.notes)
        notes = ic.anonymize(data, quasi_identifiers=["age"], k=2).notes
        assert not any("CSV" in note for note in notes)


@pytest.mark.parametrize("column", ["city", "day"])
def test_a_domain_of_what_is_no_number_is_refused(column):
    table = pa.table({"city": ["Bonn", "Ulm"] * 2, "day": ["2024-01-31", "2024-02-29"] * 2})
    described = {"quasi_identifiers": [column], "k": 2, "other_columns": "drop"}
    assert ic.anonymize(table, **described).facts["classes"] == 2
    with pytest.raises(PolicyError, match="not all of its values are numbers"):
        ic.anonymize(table, **described, domains={column: (0, 1)})


@pytest.mark.parametrize("formulas", ["escape", "refuse"])
def test_formulas_of_a_table_that_is_no_csv_file_get_a_note(formulas, tmp_path):
    table = pa.table({"city": ["=1+1", "=1+1", "Ulm", "Ulm"]})
    write_table(table, tmp_path / "t.parquet")
    for asked, told in (("keep", False), (formulas, True)):
        policy = ic.policy(quasi_identifiers=["city"], k=2, formulas=asked)
        notes = [ic.anonymize(table, policy).notes]
        notes.append(ic.anonymize_file(tmp_path / "t.parquet", tmp_path / "o.pq", policy).notes)
        assert [any("is about CSV files" in each for each in said) for said in notes] == [told] * 2


def test_a_domain_of_a_sensitive_column_is_refused():
    with pytest.raises(PolicyError, match="domain has no meaning"):
        policy_from_mapping(changed("columns", "dx", "domain", [0, 1]))


@pytest.mark.parametrize("engine", ["abacus", "Memory", ""])
def test_only_the_engines_that_exist_are_taken(engine, tmp_path, monkeypatch):
    make_people(tmp_path)
    monkeypatch.chdir(tmp_path)
    ran = incrowd("anonymize", "people.csv", "-p", "policy.toml", "-o", "o.csv", "--engine", engine)
    assert ran.code == 2
    assert "auto, memory, duckdb, spark or database" in ran.err
