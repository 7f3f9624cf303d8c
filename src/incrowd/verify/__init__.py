"""The independent recount of a released table.

It reads the released cells and shares no code with the searches or with what applies their
decisions: of incrowd it uses the readers, the policy and the errors.  A test holds it to that.
"""

from incrowd.callable_module import make_callable
from incrowd.verify.counting import Distribution as Distribution
from incrowd.verify.formulas import (
    FORMULAS as FORMULAS,
    Classes as Classes,
    Formula as Formula,
    formula as formula,
)
from incrowd.verify.recount import recount_classes as recount_classes, verify as verify
from incrowd.verify.verdict import Finding as Finding, Verdict as Verdict

make_callable(__name__, "verify")
