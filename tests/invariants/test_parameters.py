"""Every parameter of every algorithm changes what is found, what is told, or is refused."""

import json
import random
import typing
from functools import cache

import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.algorithms import ALGORITHMS, build_algorithm, parameters_of
from incrowd.errors import IncrowdError

# How many threads there are never matters to a decision: tests/privacy/test_settings.py
PARAMETERS = [
    (name, parameter)
    for name in sorted(ALGORITHMS)
    for parameter in parameters_of(ALGORITHMS[name])
    if parameter != "threads"
]
OTHERS = {  # values to try of parameters that are no choice among words
    "bucket_size": [10],
    "combinations": [1],
    "crossover": [0.0],
    "delta_c": [1e-6],
    "delta_d": [1e-6],
    "estimation_range": [0.0, 0.2],
    "evaluations": [1],
    "exact_reassignment_limit": [0],
    "fraction": [1e-6],
    "largest_subspace": [5],
    "max_iterations": [2],
    "max_states": [1],
    "min_child": [40],
    "mutation": [0.0],
    "node_limit": [1],
    "objective": ["ncp", "height", "precision"],
    "partition_size": [0],
    "population": [4],
    "protection_threshold": [0.01],
    "protection_weight": [0.9],
    "ratings": [{"age": 3, "hours": 1}],
    "recode_above": [0.0, 1.0],
    "rounds": [1],
    "sample_share": [1.0],
    "seed": [1, 2, 3],
    "suppression_limit": [0.0, 0.02, 0.3],
    "threshold": [0.05],
    "time_limit": [1e-9],
    "utility_weight": [0.1],
    "work_limit": [1],
}
BESIDE = {  # what a parameter needs to have a meaning
    ("bucket_size", None): {"search": "bucketed"},
    ("protection_weight", None): {"utility_weight": 0.1},
    ("utility_weight", None): {"protection_weight": 0.9},
    ("sample_share", None): {"sample": "records"},
    ("crossover", None): {"evaluations": 300},
    ("mutation", None): {"evaluations": 300},
    ("objective", "improved-greedy"): {"closeness": "violations"},
    ("suppression_limit", "improved-greedy"): {"closeness": "violations"},
    ("estimation_range", "tgc-u"): {"protection_threshold": 0.5},
    ("largest_subspace", None): {"protection_threshold": 0.01},
}
VOLATILE = ("seconds", "peak_memory_mb")


def values_of(name, parameter):
    """Return values of a parameter to try; a new one that is no word has to be told in OTHERS."""
    kind = typing.get_type_hints(ALGORITHMS[name])[parameter]
    if typing.get_origin(kind) is typing.Literal:
        default = parameters_of(ALGORITHMS[name])[parameter]
        return [each for each in typing.get_args(kind) if each != default]
    return OTHERS[parameter]


@cache
def policy(*, trees):
    columns = {
        "age": ic.intervals(10, 20, 40),
        "hours": ic.intervals(20, 40),
        "job": ic.groups({"office": ["clerk", "lawyer"], "hands": ["smith", "baker", "diver"]}),
        "sex": None,
    }
    return ic.policy(
        quasi_identifiers=columns if trees else list(columns),
        sensitive="pay",
        target="class",
        requirements=[ic.KAnonymity(4), ic.KAnonymity(8, on=["age", "sex"])],
    )


@cache
def people(rows):
    """Return couples: of both sexes, else alike, so that sex tells nothing of the class."""
    draw = random.Random(3)
    couples = []
    for _ in range(rows // 2):
        age, hours = min(max(int(draw.gauss(40, 14)), 18), 80), 5 * draw.randint(0, 12)
        [job] = draw.choices(["clerk", "lawyer", "smith", "baker", "diver"], [30, 20, 30, 30, 1])
        told = {"age": age, "hours": hours, "job": job}
        told["class"] = str((age + hours > 65) ^ (draw.random() < 0.15))
        couples += [{**told, "sex": sex, "pay": draw.randint(1, 12)} for sex in "fm"]
    return pa.Table.from_pylist(couples)


def found(name, parameters, *, trees):
    """Return all that a release says of itself and of its search, or why there is none."""
    rows = 12 if name == "mingen" else 400
    chosen = policy(trees=trees)
    try:
        algorithm = build_algorithm(name, parameters)
        release = ic.anonymize(people(rows), chosen, algorithm=algorithm)
    except IncrowdError as error:
        return error.message
    told = {key: value for key, value in release.to_json().items() if key not in VOLATILE}
    facts = release.recoding.found.facts
    return json.dumps([told, facts, release.recoding.to_json()], default=str)


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
@pytest.mark.filterwarnings("ignore::incrowd.errors.LongSearchWarning")
def test_a_parameter_does_something(name, parameter):
    beside = BESIDE.get((parameter, name), BESIDE.get((parameter, None), {}))
    for trees in (True, False):
        usual = found(name, beside, trees=trees)
        for value in values_of(name, parameter):
            if found(name, {**beside, parameter: value}, trees=trees) != usual:
                return
    pytest.fail(f"{parameter} of {name} does nothing")
