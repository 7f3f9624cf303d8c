"""Generalization hierarchies: the tree over ordered leaves, builders, files in and out."""

from incrowd.hierarchies.auto import Auto, auto
from incrowd.hierarchies.cover import check_covers
from incrowd.hierarchies.dates import Dates, dates
from incrowd.hierarchies.edges import hierarchy_from_edges
from incrowd.hierarchies.files import read_hierarchy, write_hierarchy
from incrowd.hierarchies.given import Fixed, FromFile, fixed, from_file
from incrowd.hierarchies.groups import Groups, groups
from incrowd.hierarchies.intervals import Intervals, intervals
from incrowd.hierarchies.json_form import hierarchy_from_json, hierarchy_to_json
from incrowd.hierarchies.masking import Masking, masking
from incrowd.hierarchies.new_leaves import with_new_leaves
from incrowd.hierarchies.ordered import Ordered, ordered
from incrowd.hierarchies.rows import hierarchy_from_rows
from incrowd.hierarchies.show import show
from incrowd.hierarchies.spec import BUILDERS, HierarchySpec, spec_from_policy
from incrowd.hierarchies.suppression import Suppression, suppression
from incrowd.hierarchies.tree import ROOT, Hierarchy, Level, Nodes

__all__ = [
    "BUILDERS",
    "ROOT",
    "Auto",
    "Dates",
    "Fixed",
    "FromFile",
    "Groups",
    "Hierarchy",
    "HierarchySpec",
    "Intervals",
    "Level",
    "Masking",
    "Nodes",
    "Ordered",
    "Suppression",
    "auto",
    "check_covers",
    "dates",
    "fixed",
    "from_file",
    "groups",
    "hierarchy_from_edges",
    "hierarchy_from_json",
    "hierarchy_from_rows",
    "hierarchy_to_json",
    "intervals",
    "masking",
    "ordered",
    "read_hierarchy",
    "show",
    "spec_from_policy",
    "suppression",
    "with_new_leaves",
    "write_hierarchy",
]
