"""Local recoding: records are dealt to classes; equal records may go to different ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from incrowd.errors import InputError
from incrowd.frame.frequency import Codes, FrequencyTable, sum_by_group
from incrowd.hierarchies import hierarchy_from_json, hierarchy_to_json
from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding.assignment import Assignment, Parts
from incrowd.recoding.base import Found
from incrowd.recoding.files import recoding_kind
from incrowd.recoding.partition import LABELS_IN_WORDS, PartitionRecoding
from incrowd.recoding.released_values import ColumnValues, Labels, assigned, assignment_of

_ONLY_THERE = (
    "a local recoding says which records share a class, and fits only the table it was found on."
)


@recoding_kind
@dataclass(frozen=True, eq=False)
class LocalRecoding(PartitionRecoding):
    """Classes, and how many records of each tuple go to which.

    Parameters
    ----------
    columns, hierarchies
        The quasi-identifiers and their hierarchies.
    codes
        The tuples of the table it was found on: ``(columns, tuples)``.
    parts
        How the records of each tuple are dealt to classes.
    labels
        How classes are written.
    found, context
        As in every recoding.
    values
        What each column of each class is released as, where the algorithm decides that itself (a
        mean); otherwise `labels` decides.
    """

    kind: ClassVar[str] = "local"

    columns: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    codes: Codes
    parts: Parts
    labels: Labels
    found: Found
    context: Mapping[str, Any] = field(default_factory=dict)
    values: tuple[ColumnValues, ...] | None = None

    @classmethod
    def of_table(
        cls,
        table: FrequencyTable,
        hierarchies: Sequence[Hierarchy],
        parts: Parts,
        labels: Labels,
        found: Found,
        values: Sequence[ColumnValues] | None = None,
    ) -> LocalRecoding:
        """Return the recoding that releases these classes of a table."""
        return cls(
            table.columns,
            tuple(hierarchies),
            table.codes,
            parts,
            labels,
            found,
            values=None if values is None else tuple(values),
        )

    @property
    def n_regions(self) -> int:
        """The number of classes that the search made; some may be released alike."""
        return self.parts.n_classes

    @cached_property
    def _assignment(self) -> Assignment:
        table = FrequencyTable(self.columns, self.codes, self._records)
        if self.values is not None:
            return assignment_of(self.parts, self.values)
        return assigned(table, self.hierarchies, self.parts, self.labels)

    @cached_property
    def _records(self) -> npt.NDArray[np.int64]:
        return sum_by_group(self.parts.tuple_of, self.parts.records, self.codes.shape[1])

    def assign(
        self, table: FrequencyTable, hierarchies: Sequence[Hierarchy] | None = None
    ) -> Assignment:
        """Return the class of every part of a tuple.

        Raises
        ------
        InputError
            If the table is not the one that the recoding was found on.
        """
        if hierarchies is not None and any(
            own.leaves != given.leaves
            for own, given in zip(self.hierarchies, hierarchies, strict=True)
        ):
            raise InputError(_ONLY_THERE, hint="anonymize the new table by itself.")
        if table.codes is not self.codes and not (
            np.array_equal(table.codes, self.codes) and np.array_equal(table.records, self._records)
        ):
            raise InputError(_ONLY_THERE, hint="anonymize the new table by itself.")
        return self._assignment

    def explain(self) -> list[str]:
        """Return how many classes there are, in words."""
        pieces = np.bincount(self.parts.tuple_of, minlength=self.codes.shape[1])
        how = "means" if self.values is not None else LABELS_IN_WORDS[self.labels]
        return [
            f"{self.n_regions:,} classes, written as {how}",
            f"{int((pieces > 1).sum()):,} of {len(pieces):,} distinct tuples are divided between "
            "several classes, at random",
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the decision as plain data: hierarchies, tuples, and the parts of each."""
        parts = self.parts
        return {
            "columns": [
                {"name": name, "hierarchy": hierarchy_to_json(hierarchy)}
                for name, hierarchy in zip(self.columns, self.hierarchies, strict=True)
            ],
            "labels": self.labels,
            "tuples": self.codes.T.tolist(),
            "parts": np.stack([parts.tuple_of, parts.class_of, parts.records], axis=1).tolist(),
            "values": None
            if self.values is None
            else [
                {
                    "low": each.low.tolist(),
                    "high": each.high.tolist(),
                    "labels": [each.labels[at] for at in each.label_of.tolist()],
                }
                for each in self.values
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], found: Found, context: Mapping[str, Any]) -> Self:
        """Read the decision back."""
        columns = data["columns"]
        parts = np.array(data["parts"], dtype=np.int64).reshape(-1, 3)
        if len(parts) and parts.min() < 0:
            raise InputError("the recoding deals records to classes that do not exist.")
        class_of = parts[:, 1].astype(np.int32)
        codes = np.array(data["tuples"], dtype=np.int32).reshape(-1, len(columns)).T
        recoding = cls(
            tuple(str(each["name"]) for each in columns),
            tuple(hierarchy_from_json(each["hierarchy"]) for each in columns),
            np.ascontiguousarray(codes),
            Parts(
                parts[:, 0].astype(np.int32),
                class_of,
                parts[:, 2].copy(),
                int(class_of.max(initial=-1)) + 1,
            ),
            data["labels"],
            found,
            context,
            None if data["values"] is None else tuple(map(_values_from_json, data["values"])),
        )
        recoding._check()
        return recoding

    def _check(self) -> None:
        """Raise if the parts of a recoding that was read do not fit together."""
        sizes = np.array([each.n_codes for each in self.hierarchies])[:, None]
        if len(set(self.columns)) < len(self.columns):
            raise InputError("the recoding names a column twice.")
        if self.labels not in LABELS_IN_WORDS:
            raise InputError("the recoding does not say how its classes are written.")
        if ((self.codes < 0) | (self.codes >= sizes)).any():
            raise InputError("the recoding names values that do not exist.")
        parts, n_tuples = self.parts, self.codes.shape[1]
        if not len(parts.records) or parts.tuple_of.max() >= n_tuples or parts.records.min() < 1:
            raise InputError("the recoding deals records of tuples that do not exist.")
        if len(np.unique(parts.class_of)) < parts.n_classes:
            raise InputError("the recoding has a class without records.")
        for each in self.values or ():
            if not len(each.low) == len(each.high) == len(each.label_of) == parts.n_classes:
                raise InputError("the recoding does not say what each class is released as.")


def _values_from_json(data: Mapping[str, Any]) -> ColumnValues:
    texts = tuple(dict.fromkeys(data["labels"]))
    if not all(text is None or isinstance(text, str) for text in texts):
        raise InputError("the recoding has a released value that is no text.")
    position = {text: at for at, text in enumerate(texts)}
    return ColumnValues(
        np.array(data["low"], dtype=np.int32),
        np.array(data["high"], dtype=np.int32),
        np.array([position[text] for text in data["labels"]], dtype=np.int32),
        texts,
    )
