"""Multidimensional algorithms: the space of tuples is cut into regions."""

from incrowd.algorithms.multidimensional.infogain_mondrian.infogain_mondrian import InfoGainMondrian
from incrowd.algorithms.multidimensional.kactus.kactus import KACTUS
from incrowd.algorithms.multidimensional.mondrian import Mondrian

__all__ = [
    "KACTUS",
    "InfoGainMondrian",
    "Mondrian",
]
