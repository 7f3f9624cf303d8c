"""Cell-level algorithms: equal values of a column may be released differently."""

from incrowd.algorithms.cell.mingen.mingen import MinGen as MinGen
from incrowd.algorithms.cell.mu_argus.mu_argus import MuArgus as MuArgus
