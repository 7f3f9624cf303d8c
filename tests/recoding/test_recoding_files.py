"""Recodings on disk: what is saved comes back, and what is damaged is refused."""

import copy
import json
import stat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.algorithms import Flash, Problem
from incrowd.counts import FrequencyTable
from incrowd.errors import IncrowdError, InputError
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.recoding import Found, GlobalRecoding, load_recoding
from incrowd.requirements import KAnonymity
from strategies import cuts_through, problems

SECRET = "Kyrgyzstan"


@pytest.fixture
def saved(tmp_path):
    """A recoding, saved, and the path it was saved to."""
    tree = hierarchy_from_rows(
        [(SECRET, "Asia", "*"), ("Nepal", "Asia", "*"), ("Malta", "Europe", "*")]
    ).extended(missing=True)
    table = FrequencyTable(
        ("land",), np.array([[0, 1, 2, 3]], np.int32), np.array([2, 1, 4, 1], np.int64)
    )
    problem = Problem(table, (tree,), (KAnonymity(2, on=("land",)),), np.ones(1))
    recoding = Flash(suppression_limit=0.5).solve(problem).in_context({"note": "é"})
    path = tmp_path / "recoding.json"
    recoding.save(path)
    return recoding, path, problem


def test_a_saved_recoding_comes_back(saved):
    recoding, path, problem = saved
    loaded = load_recoding(path)
    assert loaded.to_json() == recoding.to_json()
    assert loaded.levels == recoding.levels
    assert loaded.context == {"note": "é"}
    assert loaded.found == Found(**{**vars(recoding.found), "facts": {}})
    ours, theirs = recoding.assign(problem.table), loaded.assign(problem.table)
    assert (ours.class_of == theirs.class_of).all()
    assert ours.labels == theirs.labels


def test_only_its_owner_can_read_it(saved):
    _, path, _ = saved
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name]


@settings(max_examples=60)
@given(problem=problems(), data=st.data())
def test_round_trip(tmp_path_factory, problem, data):
    cuts = [np.array(data.draw(cuts_through(tree)), dtype=np.int32) for tree in problem.hierarchies]
    recoding = GlobalRecoding.meeting(
        problem.requirements, problem.table, problem.hierarchies, cuts, Found("test", bound=0.25)
    )
    path = tmp_path_factory.mktemp("recoding") / "it.json"
    recoding.save(path)
    loaded = load_recoding(path)
    assert loaded.to_json() == recoding.to_json()
    assert loaded.found == recoding.found
    ours, theirs = recoding.assign(problem.table), loaded.assign(problem.table)
    for name in ("class_of", "records", "low", "high", "label_of", "levels"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name))
    assert ours.labels == theirs.labels


def refused(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(IncrowdError) as raised:
        load_recoding(path)
    assert SECRET not in str(raised.value)
    assert "Traceback" not in str(raised.value)
    return raised.value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "42",
        '"recoding"',
        "{}",
        '{"incrowd_recoding": 2}',
        '{"incrowd_recoding": 1}',
        '{"incrowd_recoding": 1, "kind": "magic"}',
        '{"incrowd_recoding": 1, "kind": ["global"]}',
        '{"incrowd_recoding": 1, "kind": "global"}',
        b"\xff\xfe\x00",
        "[" * 100_000,
    ],
    ids=range(14),
)
def test_other_files_are_refused(tmp_path, text):
    refused(tmp_path / "recoding.json", text)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_recoding(tmp_path / "nowhere.json")


def test_a_truncated_file_is_refused(saved):
    _, path, _ = saved
    text = path.read_text(encoding="utf-8")
    for length in range(0, len(text), max(1, len(text) // 25)):
        refused(path, text[:length])


def first_column(data):
    return data["columns"][0]


def repeat_a_class(data):
    data["released"].append(data["released"][0])


DAMAGES = {
    "no columns": lambda data: data.update(columns=None),
    "a column without a name": lambda data: first_column(data).pop("name"),
    "no hierarchy": lambda data: first_column(data).pop("hierarchy"),
    "a level too high": lambda data: first_column(data).update(levels=3),
    "a negative level": lambda data: first_column(data).update(levels=-1),
    "a huge level": lambda data: first_column(data).update(levels=2**40),
    "half a level": lambda data: first_column(data).update(levels=0.5),
    "a level of text": lambda data: first_column(data).update(levels="one"),
    "too few levels": lambda data: first_column(data).update(levels=[0, 0]),
    "half of a node": lambda data: first_column(data).update(levels=[1, 0, 0, 0]),
    "the root beside leaves": lambda data: first_column(data).update(levels=[2, 2, 2, 0]),
    "a value that does not exist": lambda data: data.update(released=[[99]]),
    "a negative value": lambda data: data.update(released=[[-1]]),
    "a huge value": lambda data: data.update(released=[[2**40]]),
    "a class twice": repeat_a_class,
    "ragged classes": lambda data: data.update(released=[[0], [0, 1]]),
    "classes of text": lambda data: data.update(released=[["a"]]),
    "no classes": lambda data: data.pop("released"),
    "no policy": lambda data: data.pop("policy"),
    "a policy of text": lambda data: data.update(policy="mine"),
    "nothing found": lambda data: data.pop("found"),
    "unknown facts": lambda data: data["found"].update(colour="red"),
    "two columns of one name": lambda data: data.update(
        columns=data["columns"] * 2, released=[[0, 0]]
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused(saved, damage):
    _, path, _ = saved
    data = json.loads(path.read_text(encoding="utf-8"))
    DAMAGES[damage](data)
    refused(path, json.dumps(data))


def places(data, path=()):
    yield path
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from places(data[key], (*path, key))


junk = st.sampled_from(
    [None, True, -1, 0, 2, 7, 2**31, 2**70, 0.5, 1e308, "", "*", [], [[]], {}, [0], [[0, 0]]]
)


@settings(max_examples=300)
@given(data=st.data(), value=junk, remove=st.booleans())
def test_whatever_is_changed_it_is_refused_or_still_a_recoding(
    tmp_path_factory, data, value, remove
):
    tree = hierarchy_from_rows([(SECRET, "Asia", "*"), ("Malta", "Europe", "*")])
    recoding = GlobalRecoding(
        ("land",),
        (tree.extended(missing=True),),
        (np.array([1, 1, 1], np.int32),),
        np.array([[0], [2]], np.int32),
        Found("test"),
        {"columns": {}},
    )
    path = tmp_path_factory.mktemp("fuzz") / "recoding.json"
    recoding.save(path)
    stored = json.loads(path.read_text(encoding="utf-8"))
    *parents, last = data.draw(st.sampled_from([each for each in places(stored) if each]))
    changed = copy.deepcopy(stored)
    holder = changed
    for key in parents:
        holder = holder[key]
    if remove:
        del holder[last]
    else:
        holder[last] = value
    path.write_text(json.dumps(changed), encoding="utf-8")
    loaded, message = None, ""
    try:
        loaded = load_recoding(path)
    except IncrowdError as error:
        message = str(error)
    if loaded is None:
        assert SECRET not in message
        return
    codes = np.arange(loaded.hierarchies[0].n_codes, dtype=np.int32)
    table = FrequencyTable(loaded.columns, codes[None, :], np.ones(len(codes), np.int64))
    assignment = loaded.assign(table)
    assert assignment.n_classes <= len(loaded.released)
    loaded.explain()
    loaded.summary()
    loaded.save(path)
    assert load_recoding(path).to_json() == loaded.to_json()
