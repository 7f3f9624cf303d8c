"""Multidimensional algorithms: the space of tuples is cut into regions."""

from typing import TYPE_CHECKING

from incrowd.lazily import looked_up_in

if TYPE_CHECKING:
    from incrowd.algorithms.multidimensional.infogain_mondrian.infogain_mondrian import (
        InfoGainMondrian as InfoGainMondrian,
    )
    from incrowd.algorithms.multidimensional.kactus.kactus import KACTUS as KACTUS
    from incrowd.algorithms.multidimensional.mondrian import Mondrian as Mondrian

__getattr__ = looked_up_in(__name__)
