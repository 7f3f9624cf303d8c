"""Subtree searches: a cut through the hierarchy of each column, the same in all records."""

from incrowd.algorithms.subtree.bug.bug import BUG as BUG
from incrowd.algorithms.subtree.genetic.genetic import Genetic as Genetic
from incrowd.algorithms.subtree.heuristic_min.heuristic_min import HeuristicMin as HeuristicMin
from incrowd.algorithms.subtree.k_optimize.k_optimize import KOptimize as KOptimize
from incrowd.algorithms.subtree.tdr.tdr import TDR as TDR
from incrowd.algorithms.subtree.tds import TDS as TDS
