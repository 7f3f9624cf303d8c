"""The independent recount of a released table.

It reads the released cells and shares no code with the searches or with what applies their
decisions: of incrowd it uses the readers, the policy and the errors.  A test holds it to that.
"""

from incrowd.callable_module import make_callable
from incrowd.verify.counting import Distribution
from incrowd.verify.formulas import FORMULAS, Classes, Formula, formula
from incrowd.verify.recount import recount_classes, verify
from incrowd.verify.verdict import Finding, Verdict

__all__ = [
    "FORMULAS",
    "Classes",
    "Distribution",
    "Finding",
    "Formula",
    "Verdict",
    "formula",
    "recount_classes",
    "verify",
]

make_callable(__name__, "verify")
