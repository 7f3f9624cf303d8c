"""Tables to try things on: a synthetic census of any size, its hierarchies and a policy."""

from incrowd.datasets.census import census
from incrowd.datasets.hierarchies import census_hierarchies, census_policy
from incrowd.datasets.writing import write_census, write_census_hierarchies

__all__ = [
    "census",
    "census_hierarchies",
    "census_policy",
    "write_census",
    "write_census_hierarchies",
]
