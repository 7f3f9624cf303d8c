# Written by scripts/write_stub.py; a test fails if it is not up to date.

from collections.abc import Callable
from types import ModuleType
from typing import Generic, ParamSpec, TypeVar

from incrowd import datasets as datasets
from incrowd import errors as errors
from incrowd import hierarchies as hierarchies
from incrowd.algorithms import list_algorithms as _algorithms
from incrowd.algorithms.auto.auto import Auto as Auto
from incrowd.algorithms.cell.mingen.mingen import MinGen as MinGen
from incrowd.algorithms.cell.mu_argus.mu_argus import MuArgus as MuArgus
from incrowd.algorithms.clustering.k_members import KMembers as KMembers
from incrowd.algorithms.clustering.k_members import KMembersP as KMembersP
from incrowd.algorithms.clustering.local_search import LocalSearch as LocalSearch
from incrowd.algorithms.clustering.mdav import MDAV as MDAV
from incrowd.algorithms.clustering.oka import OKA as OKA
from incrowd.algorithms.clustering.tgc.tgc import TGC as TGC
from incrowd.algorithms.clustering.tgc.tgc import TGCB as TGCB
from incrowd.algorithms.clustering.tgc.tgc import TGCP as TGCP
from incrowd.algorithms.clustering.tgc.tgc import TGCU as TGCU
from incrowd.algorithms.clustering.top_down_greedy import TopDownGreedy as TopDownGreedy
from incrowd.algorithms.full_domain.datafly import Datafly as Datafly
from incrowd.algorithms.full_domain.exhaustive import Exhaustive as Exhaustive
from incrowd.algorithms.full_domain.flash.flash import Flash as Flash
from incrowd.algorithms.full_domain.iac.iac import IACc as IACc
from incrowd.algorithms.full_domain.iac.iac import IACk as IACk
from incrowd.algorithms.full_domain.improved_greedy import ImprovedGreedy as ImprovedGreedy
from incrowd.algorithms.full_domain.incognito import Incognito as Incognito
from incrowd.algorithms.full_domain.ola import OLA as OLA
from incrowd.algorithms.full_domain.samarati import Samarati as Samarati
from incrowd.algorithms.multidimensional.infogain_mondrian.infogain_mondrian import InfoGainMondrian as InfoGainMondrian
from incrowd.algorithms.multidimensional.kactus.kactus import KACTUS as KACTUS
from incrowd.algorithms.multidimensional.mondrian import Mondrian as Mondrian
from incrowd.algorithms.subtree.bug.bug import BUG as BUG
from incrowd.algorithms.subtree.genetic.genetic import Genetic as Genetic
from incrowd.algorithms.subtree.heuristic_min.heuristic_min import HeuristicMin as HeuristicMin
from incrowd.algorithms.subtree.k_optimize.k_optimize import KOptimize as KOptimize
from incrowd.algorithms.subtree.tdr.tdr import TDR as TDR
from incrowd.algorithms.subtree.tds import TDS as TDS
from incrowd.compare import compare as _compare
from incrowd.compare.running import load_comparison as load_comparison
from incrowd.compare.utility import classification_utility as classification_utility
from incrowd.errors import IncrowdError as IncrowdError
from incrowd.frame.databases.address import database as database
from incrowd.frame.workbooks import workbook as workbook
from incrowd.hierarchies.auto import auto as auto
from incrowd.hierarchies.dates import dates as dates
from incrowd.hierarchies.files import read_hierarchy as read_hierarchy
from incrowd.hierarchies.files import write_hierarchy as write_hierarchy
from incrowd.hierarchies.frequency import frequency as frequency
from incrowd.hierarchies.given import fixed as fixed
from incrowd.hierarchies.given import from_file as from_file
from incrowd.hierarchies.groups import groups as groups
from incrowd.hierarchies.intervals import intervals as intervals
from incrowd.hierarchies.likeness import likeness as likeness
from incrowd.hierarchies.masking import masking as masking
from incrowd.hierarchies.ordered import ordered as ordered
from incrowd.hierarchies.postcodes import postcodes as postcodes
from incrowd.hierarchies.prefixes import prefixes as prefixes
from incrowd.hierarchies.suppression import suppression as suppression
from incrowd.learn import Anonymizer as Anonymizer
from incrowd.metrics import list_metrics as _metrics
from incrowd.metrics.utility.queries import Workload as Workload
from incrowd.metrics.utility.queries import normalised_error as normalised_error
from incrowd.metrics.utility.queries import query_error as query_error
from incrowd.notebook import NotebookProgress as NotebookProgress
from incrowd.progress import Cancelled as Cancelled
from incrowd.recoding.files import load_recoding as load_recoding
from incrowd.release.checking import check as check
from incrowd.release.explaining import explain_recoding as explain_recoding
from incrowd.release.findings import Check as Check
from incrowd.release.measure import measure_release as measure_release
from incrowd.release.publish import anonymize_file as anonymize_file
from incrowd.release.publish import apply_file as apply_file
from incrowd.release.result import Release as Release
from incrowd.release.run import anonymize as anonymize
from incrowd.release.run import apply_recoding as apply_recoding
from incrowd.release.run import preview as preview
from incrowd.requirements import list_requirements as _requirements
from incrowd.requirements.alpha_k import AlphaK as AlphaK
from incrowd.requirements.beta_likeness import BetaLikeness as BetaLikeness
from incrowd.requirements.delta_disclosure import DeltaDisclosure as DeltaDisclosure
from incrowd.requirements.k_anonymity import KAnonymity as KAnonymity
from incrowd.requirements.k_anonymity import union as union
from incrowd.requirements.l_diversity import LDiversity as LDiversity
from incrowd.requirements.p_sensitive import PSensitive as PSensitive
from incrowd.requirements.range_disclosure import RangeDisclosure as RangeDisclosure
from incrowd.requirements.t_closeness import TCloseness as TCloseness
from incrowd.schema.keywords import policy_from_keywords as _policy
from incrowd.schema.policy import Policy as Policy
from incrowd.schema.reading import load_policy as load_policy
from incrowd.verify import verify as _verify
from incrowd.verify.verdict import Verdict as Verdict
from incrowd.version import __version__ as __version__

_P = ParamSpec("_P")
_R = TypeVar("_R")

class _CallableModule(ModuleType, Generic[_P, _R]):
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...

def _callable(function: Callable[_P, _R]) -> _CallableModule[_P, _R]: ...

algorithms = _callable(_algorithms)
compare = _callable(_compare)
metrics = _callable(_metrics)
policy = _policy
requirements = _callable(_requirements)
verify = _callable(_verify)
