"""The independent recount of a released table.

It reads the released cells and shares no code with the searches or with what applies their
decisions: of incrowd it uses the readers, the policy and the errors.  A test holds it to that.
"""

from incrowd.callable_module import make_callable
from incrowd.verify.classes import Carried as Carried, Classes as Classes
from incrowd.verify.closeness import too_far as too_far
from incrowd.verify.counting import Distribution as Distribution
from incrowd.verify.diversity import too_alike as too_alike, too_few_values as too_few_values
from incrowd.verify.formulas import (
    FORMULAS as FORMULAS,
    Formula as Formula,
    Judgement as Judgement,
    formula as formula,
)
from incrowd.verify.persons import Persons as Persons
from incrowd.verify.range_disclosure import too_well_guessed as too_well_guessed
from incrowd.verify.recount import recount_classes as recount_classes, verify as verify
from incrowd.verify.shares import (
    too_different as too_different,
    too_frequent as too_frequent,
    too_much_gained as too_much_gained,
)
from incrowd.verify.verdict import Finding as Finding, Verdict as Verdict

make_callable(__name__, "verify")
