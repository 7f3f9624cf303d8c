"""Privacy requirements: what every class of a release must hold."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from incrowd.callable_module import make_callable
from incrowd.counts import Histogram as Histogram
from incrowd.lazily import looked_up_in
from incrowd.plugins import Classes
from incrowd.requirements.base import (
    REQUIREMENTS as REQUIREMENTS,
    Monotone as Monotone,
    Requirement as Requirement,
    covered_by as covered_by,
    drop_implied as drop_implied,
    parts_of as parts_of,
    requirement as requirement,
    requirement_called as requirement_called,
    whole_number as whole_number,
)
from incrowd.requirements.bound import (
    BoundRequirements as BoundRequirements,
    bound_to as bound_to,
    carried_by as carried_by,
    known_by as known_by,
    violating_classes as violating_classes,
)
from incrowd.requirements.forms import Form as Form, MinimumSize as MinimumSize

if TYPE_CHECKING:
    from incrowd.requirements.about_values import AboutValues as AboutValues
    from incrowd.requirements.k_anonymity import KAnonymity as KAnonymity, union as union
    from incrowd.requirements.l_diversity import LDiversity as LDiversity
    from incrowd.requirements.p_sensitive import PSensitive as PSensitive
    from incrowd.requirements.alpha_k import AlphaK as AlphaK
    from incrowd.requirements.t_closeness import TCloseness as TCloseness
    from incrowd.requirements.delta_disclosure import DeltaDisclosure as DeltaDisclosure
    from incrowd.requirements.beta_likeness import BetaLikeness as BetaLikeness
    from incrowd.requirements.range_disclosure import RangeDisclosure as RangeDisclosure

OFFERED: Mapping[str, object] = Classes(REQUIREMENTS)
"""What `incrowd` itself offers of this package."""


def list_requirements() -> dict[str, type[Any]]:
    """Return all requirements by their name in a policy, those of other packages included."""
    return REQUIREMENTS.everything()


__getattr__ = looked_up_in(__name__)
make_callable(__name__, "list_requirements")
