"""Problems that are hard on TGC: columns of words and one sensitive column."""

import numpy as np

from incrowd.algorithms import TGC, Problem
from incrowd.counts import FrequencyTable, SensitiveColumn
from incrowd.hierarchies import suppression
from incrowd.requirements import KAnonymity


def classes_of(parts):
    """Return the tuples of each class, one for each record."""
    found = [[] for _ in range(parts.n_classes)]
    for tuple_, at, records in zip(parts.tuple_of, parts.class_of, parts.records, strict=True):
        found[at] += [int(tuple_)] * int(records)
    return [sorted(members) for members in found]


def plain(codes, values, k, *, given=True, labels="node"):
    """A problem over columns of words, with one sensitive column."""
    codes = np.array(codes, dtype=np.int32)
    names = tuple(f"q{j}" for j in range(len(codes)))
    trees_ = tuple(
        suppression().build([f"v{at:05d}" for at in range(int(each.max()) + 1)], column=name)
        for name, each in zip(names, codes, strict=True)
    )
    texts = tuple(f"s{at}" for at in range(max(values) + 1))
    table = FrequencyTable(
        names,
        codes,
        np.ones(codes.shape[1], dtype=np.int64),
        {"s": np.array(values, dtype=np.int32)},
        {"s": texts},
    )
    return Problem(
        table, trees_, (KAnonymity(k, on=names),), np.ones(len(codes)), labels,
        (given,) * len(codes), (SensitiveColumn("s", texts),),
    )  # fmt: skip


RNG = np.random.default_rng(7)


HOSTILE = {
    "all equal but for the secret": plain([[0] * 60, [0] * 60], list(range(60)), 5),
    "one secret": plain([RNG.integers(0, 4, 60)] * 2, [0] * 60, 5),
    "all distinct": plain([np.arange(97)], list(range(97)), 5),
    "one column constant": plain([[0] * 50, np.arange(50)], [at % 3 for at in range(50)], 4),
    "n = k": plain([np.arange(7)], list(range(7)), 7),
    "n = 2k - 1": plain([np.arange(9)], [at % 2 for at in range(9)], 5),
    "one record": plain([[0]], [0], 1),
    "forty columns": plain(RNG.integers(0, 3, (40, 300)), [at % 5 for at in range(300)], 5),
    "ten thousand leaves": plain(
        [RNG.integers(0, 10_000, 400), RNG.integers(0, 2, 400)], [at % 7 for at in range(400)], 3
    ),
    "sets": plain([np.arange(80) % 9] * 2, [at % 4 for at in range(80)], 5, labels="set"),
    "no hierarchies": plain([np.arange(80) % 9] * 2, [at % 4 for at in range(80)], 5, given=False),
}


def check_preset(algorithm, utility):
    """A preset finds the classes of TGC with its weights, under a name of its own."""
    problem = HOSTILE["no hierarchies"]
    weighed = TGC(utility_weight=utility, protection_weight=1 - utility)
    preset = algorithm().solve(problem)
    assert classes_of(preset.parts) == classes_of(weighed.solve(problem).parts)
    assert preset.found.algorithm == algorithm.name
