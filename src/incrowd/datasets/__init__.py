"""Tables to try things on: Adult, a synthetic census, dirty discharges, and numbers."""

from incrowd.datasets.adult import (
    adult as adult,
    adult_hierarchies as adult_hierarchies,
    write_adult as write_adult,
)
from incrowd.datasets.census import census as census
from incrowd.datasets.discharges import (
    Discharges as Discharges,
    Fault as Fault,
    discharges as discharges,
    write_discharges as write_discharges,
)
from incrowd.datasets.hierarchies import (
    census_hierarchies as census_hierarchies,
    census_policy as census_policy,
)
from incrowd.datasets.normal import normal as normal
from incrowd.datasets.writing import (
    write_census as write_census,
    write_census_hierarchies as write_census_hierarchies,
)
