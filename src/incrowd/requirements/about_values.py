"""What requirements about the values of a sensitive column have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from incrowd.arrays import Counts, Mask
from incrowd.counts import FrequencyTable, Histogram, SensitiveColumn, sum_by_group
from incrowd.errors import ParameterError, PolicyError
from incrowd.requirements.base import Monotone, Requirement
from incrowd.requirements.forms import NO_VALUE, Form


@dataclass(frozen=True)
class AboutValues:
    """A requirement about one sensitive column, in compiled forms.

    Subclasses are frozen dataclasses with a field `column`, and with `known` and `on` as their last
    ones; the other fields are their parameters.
    """

    name: ClassVar[str]
    compiled: ClassVar[None] = None

    column: str
    known: tuple[str, ...]
    on: tuple[str, ...] | None

    @property
    def monotone(self) -> Monotone:
        """Together yes, in parts no: what most of them are."""
        return Monotone(without_suppression=True, with_suppression=False)

    @property
    def carried(self) -> tuple[str, ...]:
        """The column whose values it looks at."""
        return (self.column,)

    def forms(self, columns: Mapping[str, SensitiveColumn]) -> tuple[Form, ...]:
        """Return the promise in compiled forms, about a column whose values are known."""
        raise NotImplementedError

    def violating(self, sizes: Counts, histograms: Mapping[str, Histogram]) -> Mask:
        """Refuse: without its table it cannot know."""
        raise ParameterError(
            f"{self.name} is asked without a table.",
            hint="bind it first: incrowd.requirements.BoundRequirements.of(requirements, table).",
        )
