"""Tables to try things on: a synthetic census with its hierarchies and policy, and numbers."""

from incrowd.datasets.census import census
from incrowd.datasets.hierarchies import census_hierarchies, census_policy
from incrowd.datasets.normal import normal
from incrowd.datasets.writing import write_census, write_census_hierarchies

__all__ = [
    "census",
    "census_hierarchies",
    "census_policy",
    "normal",
    "write_census",
    "write_census_hierarchies",
]
