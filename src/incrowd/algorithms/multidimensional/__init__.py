"""Multidimensional algorithms: the space of tuples is cut into regions."""

from incrowd.algorithms.multidimensional.infogain_mondrian.infogain_mondrian import (
    InfoGainMondrian as InfoGainMondrian,
)
from incrowd.algorithms.multidimensional.kactus.kactus import KACTUS as KACTUS
from incrowd.algorithms.multidimensional.mondrian import Mondrian as Mondrian
