"""The experiments of section 6 of the IAC paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import numpy as np
from data_sets import ALL_EIGHT, FOUR, DataSet, adult, made_up
from parts import TablePart

from incrowd.algorithms import build_algorithm
from incrowd.algorithms.full_domain import iac_profile
from incrowd.compare.utility import ClassificationTask, classification_task
from incrowd.engines import engine_for
from incrowd.errors import IncrowdError
from incrowd.metrics.utility.classification import Encoding, Examination
from results import say
from yardstick import least, timed

CLASSIFIERS = ("decision-tree", "logistic-regression", "svm", "naive-bayes")
MASKED_IS_MISSING = Encoding(star="missing")  # as in the paper
CONTENDERS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "iack": ("iack", {}),
    "iack, leftover generalised": ("iack", {"leftover": "generalise"}),
    "infogain-mondrian": ("infogain-mondrian", {}),
    "flash, nmi": ("flash", {"objective": "nmi", "suppression_limit": 0.05}),
}
JOINTLY = "flash, nmi"
SIZES = (0, 1, 2, 4, 9, 49, 99, 149, 199)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How much is run.

    Parameters
    ----------
    ks
        Each k of the paper.
    joint_ks
        Those at which columns are optimised jointly too, which is slow.
    folds
        How many folds.
    rows
        How many rows of Adult; all if not given.
    repeats
        How often a time is taken; the least counts.
    synthetic
        Whether the rows are made up.
    """

    ks: tuple[int, ...] = (1, 5, 10, 50, 100, 150, 200)
    joint_ks: tuple[int, ...] = (10, 100)
    folds: int = 10
    rows: int | None = None
    repeats: int = 5
    synthetic: bool = False

    def quick(self) -> Scale:
        """Return enough to see that everything works."""
        return replace(self, ks=(1, 10), joint_ks=(10,), folds=2, rows=1_000, repeats=1)

    def data(self, quasi_identifiers: tuple[str, ...] = ALL_EIGHT) -> DataSet:
        """Return the table."""
        if self.synthetic:
            return made_up(quasi_identifiers, self.rows or 5_000)
        return adult(quasi_identifiers, self.rows)


def eight(scale: Scale) -> Iterator[TablePart]:
    """Figure 4: accuracy where all eight columns are quasi-identifiers."""
    yield from _accuracy(scale, ALL_EIGHT, "eight quasi-identifiers")


def four(scale: Scale) -> Iterator[TablePart]:
    """Figure 6: accuracy where four columns are quasi-identifiers and four are left alone."""
    yield from _accuracy(scale, FOUR, "four quasi-identifiers, four other columns")


def _accuracy(scale: Scale, columns: tuple[str, ...], setting: str) -> Iterator[TablePart]:
    people = scale.data(columns)
    examination = Examination(
        classifiers=CLASSIFIERS, folds=scale.folds, encoding=MASKED_IS_MISSING
    )
    task = classification_task(engine_for(people.source), people.policy(1), examination)
    say(f"{people.name}, {setting}: original")
    scores, _ = task.baselines()
    original = {each.classifier: each for each in scores}
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for name, k in _runs(scale):
        say(f"{people.name}, {setting}: {name}, k={k}")
        found[name, k] = _examined(task, people, name, k)
    for classifier in CLASSIFIERS:
        yield _part(scale, f"{setting}: {classifier}", original, found, classifier)
    yield _means(scale, setting, original, found)


def _runs(scale: Scale) -> list[tuple[str, int]]:
    every = [(name, k) for k in scale.ks for name in CONTENDERS if name != JOINTLY]
    return every + [(JOINTLY, k) for k in scale.joint_ks]


def _examined(task: ClassificationTask, people: DataSet, name: str, k: int) -> dict[str, Any]:
    try:
        scores, _ = task.refitted(people.policy(k), build_algorithm(*CONTENDERS[name]))
    except IncrowdError as error:
        say(f"left out: {error.message}")
        return {}
    return {each.classifier: each for each in scores}


def _part(
    scale: Scale, title: str, original: dict[str, Any], found: dict[Any, Any], classifier: str
) -> TablePart:
    """Return the accuracies of one classifier, as shares of right answers and their deviation."""

    def cell(scores: dict[str, Any]) -> str | None:
        score = scores.get(classifier)
        return None if score is None else f"{score.accuracy:.4f} ± {score.accuracy_std:.4f}"

    rows = [
        [k, cell(original), *(cell(found.get((name, k), {})) for name in CONTENDERS)]
        for k in scale.ks
    ]
    scored = [("original", None, original), *((name, k, of) for (name, k), of in found.items())]
    figures = [
        {"algorithm": name, "k": k, **scores[classifier].to_dict()}
        for name, k, scores in scored
        if classifier in scores
    ]
    return TablePart(f"Accuracy, {title}", ["k", "original", *CONTENDERS], rows, figures=figures)


def _means(
    scale: Scale, setting: str, original: dict[str, Any], found: dict[Any, Any]
) -> TablePart:
    """Return the mean accuracy over the classifiers."""

    def mean(scores: dict[str, Any]) -> float | None:
        return fmean(scores[each].accuracy for each in CLASSIFIERS) if scores else None

    majority = original["majority"].accuracy
    rows = [
        [k, mean(original), *(mean(found.get((name, k), {})) for name in CONTENDERS), majority]
        for k in scale.ks
    ]
    title = f"Accuracy, {setting}: mean of the classifiers"
    return TablePart(title, ["k", "original", *CONTENDERS, "majority class"], rows)


def levels(scale: Scale) -> Iterator[TablePart]:
    """Figure 2(a): normalised mutual information by column and level."""
    people = scale.data()
    algorithm = build_algorithm("iack", {})
    found = algorithm.solve(people.problem(algorithm, 1)).found.facts["information"]
    deepest = max(map(len, found.values()))
    rows = []
    for name, by_level in found.items():
        from_root = [float(each) for each in reversed(by_level)]
        best = max(range(len(from_root)), key=lambda at: (round(from_root[at], 12), at)) + 1
        rows.append([name, *from_root, *[None] * (deepest - len(from_root)), best])
    header = ["column", *(f"level {at}" for at in range(1, deepest + 1)), "best"]
    yield TablePart("Normalised information by level, the root is level 1", header, rows)


def suppression(scale: Scale) -> Iterator[TablePart]:
    """Figures 2(b) and 3: class sizes, and the columns against suppression."""
    people = scale.data()
    algorithm = build_algorithm("iack", {})
    profile = iac_profile(people.problem(algorithm, 1))
    at = [int(np.searchsorted(profile.sizes, size, side="right")) - 1 for size in SIZES]
    header = ["suppressed classes of at most", "records", "share"]
    rows = [
        [size, int(profile.records[place]), float(profile.records[place] / people.n)]
        for size, place in zip(SIZES, at, strict=True)
    ]
    yield TablePart("Records in small classes, at the best levels", header, rows)
    for title, figures in {
        "Normalised divergence": profile.divergence,
        "Normalised information": profile.information,
    }.items():
        rows = [
            [name, *(float(figures[j, place]) for place in at)]
            for j, name in enumerate(profile.columns)
        ]
        header = ["column", *(f"<= {size}" for size in SIZES)]
        yield TablePart(f"{title} of each column against suppressed classes", header, rows)


def runtime(scale: Scale) -> Iterator[TablePart]:
    """Figure 5: time against k, in milliseconds of one processor."""
    people = scale.data()
    names = [name for name in CONTENDERS if name != JOINTLY]
    rows = []
    for k in scale.ks:
        say(f"runtime, k={k}")
        rows.append([k, *(_milliseconds(people, name, k, scale.repeats) for name in names)])
    title = "Milliseconds of the search against k"
    yield TablePart(title, ["k", *names], rows, ".1f", timed=True)


def _milliseconds(people: DataSet, name: str, k: int, repeats: int) -> float:
    algorithm = build_algorithm(*CONTENDERS[name])
    problem = people.problem(algorithm, k)
    runs = [timed(lambda: algorithm.solve(problem)) for _ in range(repeats)]
    return 1000 * least(runs).cpu


EXPERIMENTS: Mapping[str, Callable[[Scale], Iterator[TablePart]]] = {
    "levels": levels,
    "suppression": suppression,
    "runtime": runtime,
    "eight": eight,
    "four": four,
}
