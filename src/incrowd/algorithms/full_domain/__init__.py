"""Full-domain algorithms: every column is released at one level of its hierarchy."""

from typing import TYPE_CHECKING

from incrowd.lazily import looked_up_in

if TYPE_CHECKING:
    from incrowd.algorithms.full_domain.datafly import Datafly as Datafly
    from incrowd.algorithms.full_domain.exhaustive import Exhaustive as Exhaustive
    from incrowd.algorithms.full_domain.family.lattice import Lattice as Lattice
    from incrowd.algorithms.full_domain.flash.flash import Flash as Flash
    from incrowd.algorithms.full_domain.iac.iac import IACc as IACc
    from incrowd.algorithms.full_domain.iac.iac import IACk as IACk
    from incrowd.algorithms.full_domain.iac.suppression_profile import (
        SuppressionProfile as SuppressionProfile,
    )
    from incrowd.algorithms.full_domain.iac.suppression_profile import iac_profile as iac_profile
    from incrowd.algorithms.full_domain.improved_greedy import ImprovedGreedy as ImprovedGreedy
    from incrowd.algorithms.full_domain.incognito import Incognito as Incognito
    from incrowd.algorithms.full_domain.ola import OLA as OLA
    from incrowd.algorithms.full_domain.samarati import Samarati as Samarati

__getattr__ = looked_up_in(__name__)
