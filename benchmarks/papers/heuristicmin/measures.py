"""The tables of the HeuristicMin paper, and what its comparisons measure of a release."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import incrowd as ic
from incrowd.algorithms import Algorithm
from incrowd.hierarchies import hierarchy_from_rows

FOLDS = 10
SEED = 0


@dataclass(frozen=True)
class Case:
    """A table with its classes, hierarchies and requirements.

    Parameters
    ----------
    name
        What to call it.
    columns
        The quasi-identifiers.
    rows
        Distinct rows, each with the number of records of each class.
    paths
        By column and leaf: its nodes up to the root.
    requirements
        What is to be met.
    """

    name: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Sequence[str], Mapping[str, int]]]
    paths: Mapping[str, Mapping[str, Sequence[str]]]
    requirements: tuple[ic.KAnonymity, ...]

    def table(self) -> pa.Table:
        """Return the records; a column `row` says which distinct row each belongs to."""
        names = [*self.columns, "class", "row"]
        return pa.Table.from_pylist(
            [
                dict(zip(names, [*values, label, at], strict=True))
                for at, (values, classes) in enumerate(self.rows)
                for label, count in classes.items()
                for _ in range(count)
            ]
        )

    def release(self, algorithm: Algorithm | str) -> ic.Release:
        """Anonymize the records, in their order."""
        return ic.anonymize(
            self.table(),
            quasi_identifiers={
                name: hierarchy_from_rows(list(self.paths[name].values())) for name in self.columns
            },
            target="class",
            insensitive=["row"],
            requirements=self.requirements,
            algorithm=algorithm,
            order="keep",
        )


def cases() -> Iterator[Case]:
    """Yield the four cases."""
    stored: dict[str, Any] = json.loads((Path(__file__).parent / "cases.json").read_text("utf-8"))
    for name, case in stored.items():
        yield Case(
            name,
            tuple(case["columns"]),
            [(values, classes) for values, classes in case["rows"]],
            {column: {row[0]: row for row in rows} for column, rows in case["hierarchies"].items()},
            tuple(ic.KAnonymity(each["k"], on=each["on"]) for each in case["requirements"]),
        )


def measured(case: Case, release: ic.Release) -> dict[str, Any]:
    """Return the figures of one algorithm on one case."""
    found = release.recoding.found
    records = release.table.to_pylist()
    shown = [tuple(record[name] for name in case.columns) for record in records]
    steps = [_steps(case, record) for record in records]
    of_row = dict(zip((record["row"] for record in records), steps, strict=True))
    return {
        "rows": len(set(shown)),
        "row ratio": len(set(shown)) / len(case.rows),
        "precision": release.metric("precision"),
        "cells of rows": sum(step > 0 for row in of_row.values() for step in row),
        "steps of records": sum(map(sum, steps)),
        "tables looked at": found.checked,
        "space": found.nodes,
        "accuracy": accuracy(shown, [record["class"] for record in records]),
        "result": sorted(set(shown)),
    }


def _steps(case: Case, record: Mapping[str, Any]) -> list[int]:
    """Return by column how many nodes up a record was released."""
    values, _ = case.rows[record["row"]]
    found = []
    for name, value in zip(case.columns, values, strict=True):
        path = list(dict.fromkeys(case.paths[name][value]))
        found.append(path.index(record[name]))
    return found


def accuracy(rows: Sequence[tuple[str, ...]], classes: Sequence[str]) -> float:
    """Return the accuracy of naive Bayes on released records, by ten-fold cross-validation."""
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.naive_bayes import CategoricalNB

    columns = [np.unique(column, return_inverse=True) for column in np.array(rows).T]
    codes = np.stack([of.reshape(-1) for _, of in columns], axis=1)
    model = CategoricalNB(min_categories=[len(values) for values, _ in columns])
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    return float(cross_val_score(model, codes, np.array(classes), cv=folds).mean())
