"""Promises held against classes: what the formulas say, checked and put together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.errors import IncrowdError, VerificationError
from incrowd.frame import Encoded
from incrowd.verify.classes import Classes
from incrowd.verify.counting import ClassKeys, Counts, Distribution
from incrowd.verify.formulas import Judgement
from incrowd.verify.persons import PersonsOfClasses
from incrowd.verify.promises import Promise
from incrowd.verify.released_cells import ReleasedCells
from incrowd.verify.verdict import Finding


@dataclass(frozen=True, eq=False)
class _Judged:
    """What a formula says of the classes of one choice of columns."""

    sizes: Counts
    judgement: Judgement

    @property
    def worst(self) -> tuple[float, int] | None:
        """The worst value reached, and the records of the smallest class that reaches it."""
        reached = self.judgement.reached
        if reached is None:
            return None
        value = reached.min() if self.judgement.worst == "least" else reached.max()
        return value.item(), int(self.sizes[reached == value].min())


def findings_of(
    promises: Sequence[Promise],
    cells: ReleasedCells,
    persons: PersonsOfClasses | None,
    looks: Mapping[str, Callable[[Encoded], None]],
) -> tuple[Finding, ...]:
    """Judge every promise; the classes of one set of columns are counted once.

    Parameters
    ----------
    promises
        The requirements of the policy.
    cells
        The released table.
    persons
        Whose its rows are, if that is known.
    looks
        Called with the cells of a column when it is first read.
    """
    judged: list[list[_Judged]] = [[] for _ in promises]
    asked = [{cells.in_order(columns) for columns in each.choices} for each in promises]
    choices = list(dict.fromkeys(columns for each in asked for columns in sorted(each)))
    for columns, keys in cells.classes(choices, looks):
        classes = _ClassesOf(cells, keys, None if persons is None else persons.by_class(columns))
        for promise, about, found in zip(promises, asked, judged, strict=True):
            if columns in about:
                found.append(_Judged(classes.sizes, _judgement(promise, classes.seen_by(promise))))
    return tuple(
        _finding(promise, found, cells.source.names)
        for promise, found in zip(promises, judged, strict=True)
    )


class _ClassesOf:
    """The classes of some columns, with what formulas ask of them."""

    def __init__(self, cells: ReleasedCells, keys: ClassKeys, persons: Counts | None) -> None:
        self._cells, self._keys, self._persons = cells, keys, persons
        self._distributions: dict[str, Distribution] = {}
        self.sizes = keys.sizes()

    def seen_by(self, promise: Promise) -> Classes:
        """Return what the formula of a promise may look at."""
        for name in promise.carried:
            if name not in self._distributions:
                found = self._keys.distribution(self._cells.sensitive(name))
                self._distributions[name] = found
        return Classes(
            self.sizes,
            {name: self._distributions[name] for name in promise.carried},
            {name: self._cells.carried(name) for name in promise.carried},
            self._persons,
        )


def _judgement(promise: Promise, classes: Classes) -> Judgement:
    """Ask a formula, and refuse an answer that is none."""
    try:
        said = promise.formula(promise.parameters, classes)
    except (IncrowdError, MemoryError):
        raise
    except Exception as error:  # its words may quote the table
        raise VerificationError(
            f"the formula of {promise.requirement} raised "
            f"{type(error).__name__}, so that it cannot be recounted.",
            hint="tell its author; a release under this policy cannot be verified.",
        ) from None
    judgement = said if isinstance(said, Judgement) else Judgement(np.asarray(said))
    if not _is_by_class(judgement.violating, classes, "b") or (
        judgement.reached is not None and not _is_by_class(judgement.reached, classes, "if")
    ):
        raise VerificationError(
            f"the formula of {promise.requirement} does not say which classes break it.",
            hint="it must return one truth value per class, and what is reached as numbers.",
        )
    return judgement


def _is_by_class(answer: Any, classes: Classes, kinds: str) -> bool:
    """Whether an answer has one entry of some kind per class, none of them NaN."""
    given = isinstance(answer, np.ndarray) and answer.dtype.kind in kinds
    return given and answer.shape == classes.sizes.shape and not (answer != answer).any()


def _finding(promise: Promise, judged: Sequence[_Judged], names: Sequence[str]) -> Finding:
    """Put together what was found for each choice of columns: sums, and the worst of all."""
    first = judged[0].judgement
    worst = _worst(judged)
    return Finding(
        requirement=promise.requirement,
        description=promise.description,
        columns=promise.columns,
        parameters=promise.shown(names),
        classes=sum(len(each.sizes) for each in judged),
        smallest_class=min(int(each.sizes.min()) for each in judged),
        violating_classes=sum(int(each.judgement.violating.sum()) for each in judged),
        violating_records=sum(int(each.sizes[each.judgement.violating].sum()) for each in judged),
        reached=None if worst is None else worst[0],
        worst_class=None if worst is None else worst[1],
        measure=first.measure if worst is not None else "",
        unit=first.unit if worst is not None else "",
    )


def _worst(judged: Sequence[_Judged]) -> tuple[float, int] | None:
    found = [each.worst for each in judged]
    values = [each for each in found if each is not None]
    if len(values) < len(found):
        return None
    sign = 1 if judged[0].judgement.worst == "least" else -1
    return min(values, key=lambda each: (sign * each[0], each[1]))
