"""Tables to try things on: Adult, a synthetic census, both with hierarchies, and numbers."""

from incrowd.datasets.adult import adult, adult_hierarchies, write_adult
from incrowd.datasets.census import census
from incrowd.datasets.hierarchies import census_hierarchies, census_policy
from incrowd.datasets.normal import normal
from incrowd.datasets.writing import write_census, write_census_hierarchies

__all__ = [
    "adult",
    "adult_hierarchies",
    "census",
    "census_hierarchies",
    "census_policy",
    "normal",
    "write_adult",
    "write_census",
    "write_census_hierarchies",
]
