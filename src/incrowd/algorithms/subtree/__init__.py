"""Subtree searches: a cut through the hierarchy of each column, the same in all records."""

from typing import TYPE_CHECKING

from incrowd.lazily import looked_up_in

if TYPE_CHECKING:
    from incrowd.algorithms.subtree.bug.bug import BUG as BUG
    from incrowd.algorithms.subtree.genetic.genetic import Genetic as Genetic
    from incrowd.algorithms.subtree.heuristic_min.heuristic_min import HeuristicMin as HeuristicMin
    from incrowd.algorithms.subtree.k_optimize.k_optimize import KOptimize as KOptimize
    from incrowd.algorithms.subtree.tdr.tdr import TDR as TDR
    from incrowd.algorithms.subtree.tds import TDS as TDS

__getattr__ = looked_up_in(__name__)
