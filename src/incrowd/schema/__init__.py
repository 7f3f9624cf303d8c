"""What the columns of a table are, what a release must hold, and how both are written down."""

from incrowd.schema.column import Column
from incrowd.schema.flags import aimed_at, policy_from_flags
from incrowd.schema.keywords import policy_from_keywords
from incrowd.schema.options import AlgorithmChoice, InputOptions, ReleaseOptions
from incrowd.schema.policy import Policy
from incrowd.schema.profiling import ColumnProfile, Profile, profile
from incrowd.schema.reading import load_policy, policy_from_mapping
from incrowd.schema.roles import ROLES, Fate, OtherColumns, Role, Roles
from incrowd.schema.starting import starting_policy

__all__ = [
    "ROLES",
    "AlgorithmChoice",
    "Column",
    "ColumnProfile",
    "Fate",
    "InputOptions",
    "OtherColumns",
    "Policy",
    "Profile",
    "ReleaseOptions",
    "Role",
    "Roles",
    "aimed_at",
    "load_policy",
    "policy_from_flags",
    "policy_from_keywords",
    "policy_from_mapping",
    "profile",
    "starting_policy",
]
