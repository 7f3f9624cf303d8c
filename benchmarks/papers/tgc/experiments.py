"""The experiments of section 4 of the TGC paper, and of its Figure 5."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from data_sets import DataSet, adult, adult_occupation, normal_numbers
from parts import Part, Run
from runs import quality, with_normalised_errors

import incrowd as ic
from incrowd.algorithms import Algorithm
from incrowd.requirements import Requirement
from results import say
from yardstick import least, timed

TYPE_1 = ("age", "sex", "salary-class")
TYPE_2 = (*TYPE_1, "race", "workclass")
ERRORS = ("A.R.E. type 1", "A.R.E. type 2")
K_MEMBERS_P = "K-Members-p"
ALGORITHMS: Mapping[str, Callable[..., Algorithm]] = {
    "Mondrian": ic.Mondrian,
    "K-Members": ic.KMembers,
    K_MEMBERS_P: ic.KMembersP,
    "TGC-U": ic.TGCU,
    "TGC-B": ic.TGCB,
    "TGC-P": ic.TGCP,
}
PRESETS = ("TGC-U", "TGC-B", "TGC-P")
# One round, and a sample of single records: the algorithm as it is printed, but for its slips.
AS_PRINTED: dict[str, Any] = {"approach": "direct", "sample": "records"}
PRINTED: dict[str, dict[str, Any]] = {
    "default": {},
    "one round": {"approach": "direct"},
    "one round, sampled records": AS_PRINTED,
    "and increment": AS_PRINTED | {"reassign": "increment"},
    "and sum": AS_PRINTED | {"select": "sum"},
    "and both": AS_PRINTED | {"reassign": "increment", "select": "sum"},
}
QUALITY = {"UM": ".3f", "protection": ".3f"}


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How much is run: as much as in the paper, or enough to see that everything works."""

    ks: tuple[int, ...] = (2, 5, 10, 25, 50)
    few_ks: tuple[int, ...] = (5, 10, 25)
    rows: int | None = None
    first_rows: int = 5_000
    normal_rows: int = 8_000
    queries: int = 10_000
    seeds: int = 5
    subspaces: tuple[int, ...] = (1, 2, 5, 10, 20, 50, 100, 200)
    steps: int = 10
    sizes: tuple[int, ...] = (500, 1_000, 2_000, 5_000, 10_000)
    repeats: int = 5


FULL = Scale()
QUICK = Scale(
    ks=(5,),
    few_ks=(5,),
    rows=1_000,
    first_rows=500,
    normal_rows=500,
    queries=200,
    seeds=2,
    subspaces=(1, 5),
    steps=2,
    sizes=(500,),
    repeats=1,
)


def against_k(scale: Scale) -> Iterator[Part]:
    """Figures 6 to 10: utility, query error and protection on Adult."""
    people = _adult(scale)
    runs: list[Run] = []
    for k in scale.ks:
        of_k = []
        for name, build in ALGORITHMS.items():
            say(f"Adult, k={k}, {name}")
            release = people.release(build(), k)
            of_k.append(Run(k, name, quality(release) | _errors(release, scale)))
        runs += with_normalised_errors(of_k, ERRORS, K_MEMBERS_P)
    measures = QUALITY | {"DM": ",", "NCP": ".4f", "classes": ",", "largest class": ","}
    for error in ERRORS:
        measures |= {error: ".3f", f"{error}, normalised": ".2f"}
    yield Part(f"Adult, {people.n:,} rows", "k", measures, runs)


def seeds(scale: Scale) -> Iterator[Part]:
    """How much of the above is chance: the same on Adult with other random seeds."""
    people = _adult(scale)
    measures = QUALITY | dict.fromkeys(ERRORS, ".3f") | {"threshold": ".3f"}
    for k in scale.few_ks:
        runs = []
        for seed in range(scale.seeds):
            say(f"Adult, k={k}, seed={seed}")
            for name in PRESETS:
                release = people.release(ALGORITHMS[name](seed=seed), k)
                runs.append(Run(seed, name, quality(release) | _errors(release, scale)))
        yield Part(f"Adult, k = {k}, other seeds", "seed", measures, runs)


def diversity(scale: Scale) -> Iterator[Part]:
    """Figures 11 and 12: c and l of occupation, discrete, on the first rows of Adult."""
    for hierarchy in (True, False):
        people = adult_occupation(scale.first_rows, hierarchy=hierarchy)
        runs = []
        for k in scale.ks:
            say(f"(c, l) at k={k}, hierarchy={hierarchy}")
            for name, build in ALGORITHMS.items():
                release = people.release(build(), k)
                runs.append(Run(k, name, _diversity(release)))
        kind = "with its hierarchy" if hierarchy else "all values equally far apart"
        measures = {"l": ".2f", "c": ".2f", "classes of one value": ".1%", "protection": ".3f"}
        yield Part(f"(c, l) of occupation, {kind}, {people.n:,} rows", "k", measures, runs)


def required(scale: Scale) -> Iterator[Part]:
    """Run TGC-B where diversity, shares or ranges of occupation are required as well."""
    people = adult_occupation(scale.first_rows, hierarchy=True)
    runs = []
    for k in scale.few_ks:
        for name, more in _asked(k).items():
            say(f"required at k={k}: {name}")
            release = people.release(ic.TGCB(), k, *more)
            runs.append(Run(k, name, quality(release) | _diversity(release)))
    measures = QUALITY | {"NCP": ".4f", "classes": ","}
    yield Part(f"TGC-B under requirements, {people.n:,} rows", "k", measures, runs)


def skewness(scale: Scale) -> Iterator[Part]:
    """Figures 13 and 14: utility and protection on normally distributed numbers."""
    numbers = normal_numbers(scale.normal_rows)
    runs = []
    for k in scale.ks:
        say(f"Normal, k={k}")
        runs += [
            Run(k, name, quality(numbers.release(build(), k))) for name, build in ALGORITHMS.items()
        ]
    measures = QUALITY | {"largest class": ","}
    yield Part(f"Normal, {numbers.n:,} rows", "k", measures, runs)


def subspaces(scale: Scale) -> Iterator[Part]:
    """Figures 15 and 16: TGC-B at k = 5 against the size of subspaces."""
    for data in (_adult(scale), normal_numbers(scale.normal_rows)):
        runs = []
        for size in [5 * times for times in scale.subspaces] + [data.n]:
            say(f"{data.name}, s={size}")
            release = data.release(ic.TGCB(partition_size=size), 5)
            runs.append(Run(size, "TGC-B", quality(release)))
        measures = QUALITY | {"NCP": ".4f", "classes": ","}
        yield Part(f"{data.name}, k = 5, against the size of subspaces", "s", measures, runs)


def estimation_range(scale: Scale) -> Iterator[Part]:
    """Figure 17: TGC-B at k = 5 against the range r."""
    numbers = normal_numbers(scale.normal_rows)
    runs = []
    for r in _shares(scale.steps)[1:]:
        say(f"Normal, r={r}")
        release = numbers.release(ic.TGCB(estimation_range=r), 5)
        figures = quality(release, r) | {"protection at r = 1": release.metric("protection")}
        runs.append(Run(r, "TGC-B", figures))
    measures = QUALITY | {"protection at r = 1": ".3f", "classes": ",", "threshold": ".3f"}
    yield Part("Normal, k = 5, against the estimation range", "r", measures, runs)


def weights(scale: Scale) -> Iterator[Part]:
    """Figure 18: TGC at k = 10 against the weight of utility."""
    numbers = normal_numbers(scale.normal_rows)
    runs = []
    for w in _shares(scale.steps):
        say(f"Normal, w_u={w}")
        algorithm = ic.TGC(utility_weight=w, protection_weight=1 - w)
        runs.append(Run(w, "TGC", quality(numbers.release(algorithm, 10))))
    measures = QUALITY | {"classes": ",", "threshold": ".3f"}
    yield Part("Normal, k = 10, against the weights", "w_u", measures, runs)


def sampling(scale: Scale) -> Iterator[Part]:
    """Figure 5: TGC-B at k = 5 under the same thresholds on the whole table and on a sample."""
    people = _adult(scale)
    sample = people.sample(max(round(0.025 * people.n), 100))
    runs = []
    for delta in [round(0.3 + 0.4 * share, 3) for share in _shares(scale.steps)]:
        say(f"Adult, delta={delta}")
        algorithm = ic.TGCB(threshold=delta, partition_size=0, approach="direct")
        runs += [
            Run(delta, name, quality(data.release(algorithm, 5)))
            for name, data in {"whole table": people, "sample": sample}.items()
        ]
    measures = QUALITY | {"NCP": ".4f", "classes": ","}
    yield Part("Adult, k = 5, thresholds on a sample of 2.5%", "delta", measures, runs)


def runtime(scale: Scale) -> Iterator[Part]:
    """Figures 19 and 20: time against rows, and of TGC-B against the size of subspaces."""
    people = _adult(scale)
    algorithms: dict[str, Any] = {
        "Mondrian": ic.Mondrian(threads=1),
        "K-Members": ic.KMembers(threads=1),
        "TGC-B, s = 5k": ic.TGCB(threads=1),
        "TGC-B, s = 5k, printed": ic.TGCB(threads=1, **AS_PRINTED),
        "TGC-B, no subspaces, printed": ic.TGCB(threads=1, partition_size=0, **AS_PRINTED),
    }
    runs = []
    for n in scale.sizes:
        say(f"runtime, n={n}")
        runs += [
            Run(n, name, _milliseconds(people.first(n), algorithm, scale.repeats))
            for name, algorithm in algorithms.items()
        ]
    yield Part("Adult, k = 5, milliseconds against rows", "n", {"milliseconds": ".1f"}, runs)
    first = people.first(scale.sizes[-1])
    runs = []
    for size in [5 * times for times in scale.subspaces[1:]] + [first.n]:
        say(f"runtime, s={size}")
        algorithm = ic.TGCB(threads=1, partition_size=size, **AS_PRINTED)
        runs.append(Run(size, "TGC-B", _milliseconds(first, algorithm, scale.repeats)))
    yield Part(
        f"Adult, {first.n:,} rows, k = 5, milliseconds against s",
        "s",
        {"milliseconds": ".1f"},
        runs,
    )


def printed_rules(scale: Scale) -> Iterator[Part]:
    """Run the rules as the paper prints them beside the default ones, on Adult."""
    people = _adult(scale)
    measures = QUALITY | {"NCP": ".4f", "largest class": ",", "threshold": ".3f"}
    for k in scale.few_ks:
        runs = []
        for rules, parameters in PRINTED.items():
            say(f"Adult, k={k}, {rules}")
            runs += [
                Run(rules, name, quality(people.release(ALGORITHMS[name](**parameters), k)))
                for name in PRESETS
            ]
        yield Part(f"Adult, k = {k}, the rules as printed", "rules", measures, runs)


EXPERIMENTS: Mapping[str, Callable[[Scale], Iterator[Part]]] = {
    "against-k": against_k,
    "seeds": seeds,
    "diversity": diversity,
    "required": required,
    "skewness": skewness,
    "subspaces": subspaces,
    "estimation-range": estimation_range,
    "weights": weights,
    "sampling": sampling,
    "runtime": runtime,
    "printed-rules": printed_rules,
}


def _asked(k: int) -> dict[str, tuple[Requirement, ...]]:
    """Return what is required beside k, by name."""
    occupation = "occupation"
    return {
        "k alone": (),
        "(4, 3)-diversity": (ic.LDiversity(3, occupation, variant="recursive", c=4),),
        "(0.5, k)": (ic.AlphaK(0.5, k, occupation),),
        "S-diversity 0.4": (ic.RangeDisclosure(0.4, 1, occupation),),
    }


def _adult(scale: Scale) -> DataSet:
    return adult(scale.rows)


def _shares(steps: int) -> list[float]:
    return [step / steps for step in range(steps + 1)]


def _errors(release: ic.Release, scale: Scale) -> dict[str, float]:
    of = zip(ERRORS, (TYPE_1, TYPE_2), (0.015, 0.005), strict=True)
    return {
        error: ic.query_error(
            release, columns=columns, selectivity=selectivity, n_queries=scale.queries
        )
        for error, columns, selectivity in of
    }


def _diversity(release: ic.Release) -> dict[str, float]:
    found = {
        "l": release.metric("diversity_l"),
        "c": release.metric("diversity_c"),
        "classes of one value": release.metric("homogeneous_classes"),
    }
    by_name = {name: values["occupation"] for name, values in found.items() if values}
    return by_name | {"protection": release.metric("protection")}


def _milliseconds(data: DataSet, algorithm: Algorithm, repeats: int) -> dict[str, float]:
    """Return the CPU time of a search on one thread, from codes and counts to the recoding."""
    problem = data.problem(algorithm, 5)
    runs = [timed(partial(algorithm.solve, problem)) for _ in range(repeats)]
    return {"milliseconds": 1e3 * least(runs).cpu}
