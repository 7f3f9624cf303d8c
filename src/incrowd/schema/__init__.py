"""What the columns of a table are, what a release must hold, and how both are written down."""

from typing import TYPE_CHECKING

from incrowd.lazily import looked_up_in
from incrowd.schema.column import Column as Column
from incrowd.schema.options import (
    AlgorithmChoice as AlgorithmChoice,
    InputOptions as InputOptions,
    ReleaseOptions as ReleaseOptions,
)
from incrowd.schema.policy import Policy as Policy
from incrowd.schema.roles import (
    ROLES as ROLES,
    Fate as Fate,
    OtherColumns as OtherColumns,
    Role as Role,
    Roles as Roles,
)

if TYPE_CHECKING:
    from incrowd.schema.flags import aimed_at as aimed_at, policy_from_flags as policy_from_flags
    from incrowd.schema.keywords import policy_from_keywords as policy_from_keywords
    from incrowd.schema.profiling import (
        ColumnProfile as ColumnProfile,
        Profile as Profile,
        profile as profile,
    )
    from incrowd.schema.reading import (
        load_policy as load_policy,
        policy_from_mapping as policy_from_mapping,
    )
    from incrowd.schema.starting import starting_policy as starting_policy

__getattr__ = looked_up_in(__name__)
