"""Generalization hierarchies: the tree over ordered leaves, builders, files in and out."""

from incrowd.hierarchies.auto import AutoHierarchy as AutoHierarchy, auto as auto
from incrowd.hierarchies.counted import (
    CountedValues as CountedValues,
    CountingSpec as CountingSpec,
)
from incrowd.hierarchies.cover import check_covers as check_covers
from incrowd.hierarchies.dates import Dates as Dates, dates as dates
from incrowd.hierarchies.edges import hierarchy_from_edges as hierarchy_from_edges
from incrowd.hierarchies.files import (
    read_hierarchy as read_hierarchy,
    write_hierarchy as write_hierarchy,
)
from incrowd.hierarchies.frequency import Frequency as Frequency, frequency as frequency
from incrowd.hierarchies.given import (
    Fixed as Fixed,
    FromFile as FromFile,
    fixed as fixed,
    from_file as from_file,
)
from incrowd.hierarchies.groups import Groups as Groups, groups as groups
from incrowd.hierarchies.intervals import Intervals as Intervals, intervals as intervals
from incrowd.hierarchies.json_form import (
    hierarchy_from_json as hierarchy_from_json,
    hierarchy_to_json as hierarchy_to_json,
)
from incrowd.hierarchies.likeness import Likeness as Likeness, likeness as likeness
from incrowd.hierarchies.masking import Masking as Masking, masking as masking
from incrowd.hierarchies.new_leaves import with_new_leaves as with_new_leaves
from incrowd.hierarchies.ordered import Ordered as Ordered, ordered as ordered
from incrowd.hierarchies.postcodes import Postcodes as Postcodes, postcodes as postcodes
from incrowd.hierarchies.prefixes import Prefixes as Prefixes, prefixes as prefixes
from incrowd.hierarchies.rows import hierarchy_from_rows as hierarchy_from_rows
from incrowd.hierarchies.show import show as show
from incrowd.hierarchies.spec import (
    BUILDERS as BUILDERS,
    Flag as Flag,
    HierarchySpec as HierarchySpec,
    builder as builder,
    built as built,
    flags as flags,
    function_of as function_of,
    spec_from_policy as spec_from_policy,
)
from incrowd.hierarchies.suppression import Suppression as Suppression, suppression as suppression
from incrowd.hierarchies.tree import (
    ROOT as ROOT,
    Hierarchy as Hierarchy,
    Level as Level,
    Nodes as Nodes,
)

OFFERED: dict[str, object] = {name: globals()[name] for name in map(function_of, BUILDERS.values())}
"""What `incrowd` itself offers of this package: a function for each builder."""
