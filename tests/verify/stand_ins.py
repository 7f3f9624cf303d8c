"""The requirements on sensitive values as plain data, for tests of the recount alone.

They ask nothing of a search: each lets every class pass, so that only the recount judges.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from incrowd.requirements import KAnonymity, Monotone

Names = tuple[str, ...]


class StandIn:
    """What a policy asks of a requirement, and no promise."""

    monotone: ClassVar[Monotone] = Monotone(False, False)
    minimum_size: ClassVar[int] = 1
    compiled: ClassVar[None] = None

    @property
    def carried(self):
        return (self.column,)

    def violating(self, sizes, histograms):
        return np.zeros(len(sizes), dtype=bool)

    def implies(self, other):
        return False

    def resolved(self, quasi_identifiers):
        return replace(self, on=quasi_identifiers if self.on is None else self.on)

    def check_reachable(self, table):
        pass

    def describe(self):
        return f"{self.name} of {self.column}"

    def to_policy(self):
        return {}

    @classmethod
    def from_policy(cls, value, on):
        return cls(**value, on=on)


@dataclass(frozen=True)
class KAnonymityOfAny(KAnonymity):
    any: int | None = None


@dataclass(frozen=True)
class LDiversity(StandIn):
    l: float  # noqa: E741 - the field's letter
    column: str
    variant: str = "distinct"
    c: float | None = None
    known: Names = ()
    missing: str = "value"
    on: Names | None = None
    name: ClassVar[str] = "l_diversity"


@dataclass(frozen=True)
class PSensitive(StandIn):
    p: int
    k: int
    column: str
    known: Names = ()
    missing: str = "value"
    on: Names | None = None
    name: ClassVar[str] = "p_sensitive"


@dataclass(frozen=True)
class AlphaK(StandIn):
    alpha: float
    k: int
    column: str
    values: tuple[Any, ...] | None = None
    known: Names = ()
    on: Names | None = None
    name: ClassVar[str] = "alpha_k"


@dataclass(frozen=True)
class TCloseness(StandIn):
    t: float
    column: str
    distance: str = "equal"
    known: Names = ()
    on: Names | None = None
    name: ClassVar[str] = "t_closeness"


@dataclass(frozen=True)
class DeltaDisclosure(StandIn):
    delta: float
    column: str
    absent: str = "break"
    known: Names = ()
    on: Names | None = None
    name: ClassVar[str] = "delta_disclosure"


@dataclass(frozen=True)
class BetaLikeness(StandIn):
    beta: float
    column: str
    variant: str = "basic"
    known: Names = ()
    on: Names | None = None
    name: ClassVar[str] = "beta_likeness"


@dataclass(frozen=True)
class RangeDisclosure(StandIn):
    s: float
    r: float
    column: str
    known: Names = ()
    on: Names | None = None
    name: ClassVar[str] = "range_disclosure"
