"""Classifiers trained on one table and tested on another, fold by fold."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from incrowd.arrays import Codes, Floats, Integers
from incrowd.errors import InputError, ParameterError
from incrowd.frame import open_source
from incrowd.frame.source import Encoded, Source
from incrowd.metrics.utility.classification.classifiers import (
    CLASSIFIERS,
    Classifier,
    OnlyClass,
    check_classifiers,
)
from incrowd.metrics.utility.classification.encoding import Encoding, Features, code_features
from incrowd.metrics.utility.classification.folds import check_folds, deal_folds, possible_folds
from incrowd.metrics.utility.classification.scores import (
    FoldScore,
    Score,
    fold_score,
    majority_score,
    summarised,
)
from incrowd.private import private_dataclass

MOST_RECORDS = 50_000_000


class Recoder(Protocol):
    """What learns a recoding from training rows and applies it to new ones; keeps their order."""

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Return the training rows as they would be released."""

    def transform(self, X: Any) -> Any:
        """Return new rows recoded, none of them suppressed."""


@private_dataclass
class Labelled:
    """The records of a table whose class is known.

    Parameters
    ----------
    source
        The table.
    rows
        By record: its row.  A row that stands for several records is there several times.
    names
        The features.
    columns
        The features coded, by record.
    recoded
        By feature: whether its cells may be generalised or masked.
    classes
        By record: its class.
    texts
        The classes.
    left_out
        Records without a class.
    """

    source: Source
    rows: Integers
    names: tuple[str, ...]
    columns: tuple[Encoded, ...]
    recoded: tuple[bool, ...]
    classes: Codes
    texts: tuple[str, ...]
    left_out: int

    def at(self, records: Integers) -> list[Encoded]:
        """Return the features of some records."""
        return [replace(each, codes=each.codes[records]) for each in self.columns]


def labelled(
    source: Source,
    target: str,
    names: Sequence[str],
    *,
    recoded: Sequence[str] = (),
    count: str | None = None,
    missing: Sequence[str] = ("",),
) -> Labelled:
    """Code the features and the classes of a table; records without a class are left out.

    Parameters
    ----------
    source, target, names
        The table, the column of its classes, and its features.
    recoded
        Features whose cells may be generalised or masked.
    count
        The column that says how many records a row stands for.
    missing
        The texts that stand for a missing cell.
    """
    rows = _records(source, count)
    wanted = source.encode(target, missing=missing)
    known = rows[wanted.codes[rows] >= 0]
    found = np.unique(wanted.codes[known])  # a table may list values that no row of it has
    texts = sorted(wanted.texts[at] for at in found.tolist())
    rank = {text: at for at, text in enumerate(texts)}
    class_of = np.array([rank.get(text, -1) for text in wanted.texts], dtype=np.int32)
    columns = [source.encode(name, missing=missing) for name in names]
    return Labelled(
        source,
        known,
        tuple(names),
        tuple(replace(each, codes=each.codes[known]) for each in columns),
        tuple(name in recoded for name in names),
        class_of[wanted.codes[known]],
        tuple(texts),
        len(rows) - len(known),
    )


def _records(source: Source, count: str | None) -> Integers:
    """Return the row of each record."""
    rows = np.arange(source.n_rows, dtype=np.int64)
    if count is None:
        return rows
    counts = source.numbers(count)
    if counts.sum(dtype=np.float64) > MOST_RECORDS:
        raise InputError(
            f"the rows stand for more than {MOST_RECORDS:,} records, and each is learned from.",
            hint="measure on a sample: divide the counts, or leave rows out.",
        )
    return np.repeat(rows, counts)


@private_dataclass
class Fold:
    """Training and test records of one fold."""

    train: Sequence[Encoded]
    train_classes: Codes
    test: Sequence[Encoded]
    test_classes: Codes


@dataclass(frozen=True, kw_only=True)
class Examination:
    """Which classifiers are examined, and how.

    Parameters
    ----------
    classifiers
        Their names; one that is given twice counts once.
    folds
        How many; fewer where a class has fewer records.
    encoding
        How cells become features.
    seed
        Of the folds, and of classifiers that draw at random.
    sample
        The most records that ``svm-rbf`` is trained on.
    """

    classifiers: Sequence[str]
    folds: int = 10
    encoding: Encoding = field(default_factory=Encoding)
    seed: int = 0
    sample: int = 5_000

    def __post_init__(self) -> None:
        object.__setattr__(self, "classifiers", check_classifiers(self.classifiers))
        check_folds(self.folds)
        for what, least in {"seed": 0, "sample": 2}.items():
            value = getattr(self, what)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ParameterError(
                    f"{what} must be a whole number of {least} or more.",
                    hint=f"leave it out for {type(self).__dataclass_fields__[what].default}.",
                )

    def fold_of(self, table: Labelled, target: str) -> Codes:
        """Return the fold of each record of a table."""
        folds = possible_folds(table.classes, self.folds, target)
        return deal_folds(table.classes, folds, self.seed)

    def scores(
        self,
        table: Labelled,
        folds: Iterable[Fold],
        name: str,
        step: Callable[[], None] = lambda: None,
    ) -> tuple[list[Score], list[str]]:
        """Examine each classifier on each fold; also return what the reader should know.

        Parameters
        ----------
        table
            The table whose classes they are.
        folds
            What is trained and tested on.
        name
            What the table is called in the result.
        step
            Called after each training.
        """
        results: dict[str, list[FoldScore]] = {each: [] for each in self.classifiers}
        seconds = dict.fromkeys(self.classifiers, 0.0)
        unfinished = dict.fromkeys(self.classifiers, 0)
        n_classes = len(table.texts)
        for fold in folds:
            train, test = code_features(fold.train, fold.test, table.recoded, self.encoding)
            train_rows, test_rows = _compressed(train, fold.train_classes), test.distinct()
            for each in self.classifiers:
                start = time.perf_counter()
                built = CLASSIFIERS[each](self.seed, self.sample) if n_classes > 1 else OnlyClass()
                _fit(built, train, fold.train_classes, train_rows, n_classes)
                scores = built.scores(test.take(test_rows[1]))
                results[each].append(fold_score(scores, test_rows[0], fold.test_classes))
                seconds[each] += time.perf_counter() - start
                unfinished[each] += not built.converged
                step()
        notes = [
            f"{each} stopped before it converged in {times} of {len(results[each])} folds of the "
            f"{name} table."
            for each, times in unfinished.items()
            if times
        ]
        return [
            summarised(each, name, of_folds, seconds[each]) for each, of_folds in results.items()
        ], notes

    def majority(self, table: Labelled, target: str) -> Score:
        """Return what is reached without learning anything."""
        fold_of = self.fold_of(table, target)
        found = [
            majority_score(table.classes[fold_of != at], table.classes[fold_of == at],
                           len(table.texts))
            for at in range(int(fold_of.max()) + 1)
        ]  # fmt: skip
        return summarised("majority", "majority", found)


@private_dataclass
class _Compressed:
    features: Features
    classes: Codes
    weights: Floats


def _compressed(features: Features, classes: Codes) -> _Compressed:
    """Return distinct pairs of row and class with their records as weight."""
    row_of, first = features.distinct(classes)
    weights = np.bincount(row_of, minlength=len(first)).astype(np.float64)
    return _Compressed(features.take(first), classes[first], weights)


def _fit(
    built: Classifier, train: Features, classes: Codes, rows: _Compressed, n_classes: int
) -> None:
    if built.by_record:
        built.fit(train, classes, np.ones(train.n_rows), n_classes)
    else:
        built.fit(rows.features, rows.classes, rows.weights, n_classes)


def folds_inside(table: Labelled, fold_of: Codes) -> Iterator[Fold]:
    """Yield the folds of one table."""
    for train, test in _splits(fold_of):
        yield Fold(table.at(train), table.classes[train], table.at(test), table.classes[test])


def folds_recoded(
    table: Labelled,
    fold_of: Codes,
    recoder: Callable[[], Recoder],
    shown: Sequence[str],
    missing: Sequence[str] = ("",),
) -> Iterator[Fold]:
    """Yield folds whose recoding is learned on their own training records.

    Parameters
    ----------
    table, fold_of
        The original, and the fold of each record.
    recoder
        Builds what recodes.
    shown
        The columns that it is given beside the classes.
    missing
        The texts that stand for a missing cell.
    """
    for train, test in _splits(fold_of):
        built = recoder()
        given = [
            table.source.take(table.rows[each], {}, shown).to_native() for each in (train, test)
        ]
        classes = np.array([table.texts[at] for at in table.classes[train].tolist()], dtype=object)
        seen = open_source(built.fit_transform(given[0], classes))
        new = open_source(built.transform(given[1]))
        yield Fold(
            _recoded(table, train, seen, missing),
            table.classes[train],
            _recoded(table, test, new, missing),
            table.classes[test],
        )


def _splits(fold_of: Codes) -> Iterator[tuple[Integers, Integers]]:
    for fold in range(int(fold_of.max()) + 1):
        yield np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)


def _recoded(
    table: Labelled, records: Integers, source: Source, missing: Sequence[str]
) -> list[Encoded]:
    """Return the features of some records, the recoded ones as a table shows them."""
    return [
        source.encode(name, missing=missing)
        if recoded
        else replace(column, codes=column.codes[records])
        for name, column, recoded in zip(table.names, table.columns, table.recoded, strict=True)
    ]
