"""Cell-level algorithms: equal values of a column may be released differently."""

from typing import TYPE_CHECKING

from incrowd.lazily import looked_up_in

if TYPE_CHECKING:
    from incrowd.algorithms.cell.mingen.mingen import MinGen as MinGen
    from incrowd.algorithms.cell.mu_argus.mu_argus import MuArgus as MuArgus

__getattr__ = looked_up_in(__name__)
