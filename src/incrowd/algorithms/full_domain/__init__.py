"""Full-domain algorithms: every column is released at one level of its hierarchy."""

from incrowd.algorithms.full_domain.datafly import Datafly
from incrowd.algorithms.full_domain.exhaustive import Exhaustive
from incrowd.algorithms.full_domain.family.lattice import Lattice
from incrowd.algorithms.full_domain.flash.flash import Flash
from incrowd.algorithms.full_domain.iac.iac import IACc, IACk
from incrowd.algorithms.full_domain.iac.suppression_profile import SuppressionProfile, iac_profile
from incrowd.algorithms.full_domain.improved_greedy import ImprovedGreedy
from incrowd.algorithms.full_domain.incognito import Incognito
from incrowd.algorithms.full_domain.ola import OLA
from incrowd.algorithms.full_domain.samarati import Samarati

__all__ = [
    "OLA",
    "Datafly",
    "Exhaustive",
    "Flash",
    "IACc",
    "IACk",
    "ImprovedGreedy",
    "Incognito",
    "Lattice",
    "Samarati",
    "SuppressionProfile",
    "iac_profile",
]
