"""incrowd: turn a table about people into one that can be shared.

Every released record hides in a crowd of at least k.  ``import incrowd`` itself loads next to
nothing: names are looked up when they are used.
"""

from __future__ import annotations

from importlib import import_module

from incrowd.moved import find_moved_modules
from incrowd.version import __version__

TYPE_CHECKING = False  # `typing` itself would be most of what this module loads
if TYPE_CHECKING:
    from typing import Any

_HOME = {
    "Anonymizer": "incrowd.learn",
    "anonymize": "incrowd.release",
    "anonymize_file": "incrowd.release",
    "apply_file": "incrowd.release",
    "apply_recoding": "incrowd.release",
    "preview": "incrowd.release",
    "Release": "incrowd.release",
    "measure_release": "incrowd.release",
    "classification_utility": "incrowd.compare",
    "load_comparison": "incrowd.compare",
    "load_recoding": "incrowd.recoding",
    "Policy": "incrowd.schema",
    "load_policy": "incrowd.schema",
    "policy": "incrowd.schema.keywords:policy_from_keywords",
    "KAnonymity": "incrowd.requirements",
    "union": "incrowd.requirements",
    "auto": "incrowd.hierarchies",
    "dates": "incrowd.hierarchies",
    "fixed": "incrowd.hierarchies",
    "from_file": "incrowd.hierarchies",
    "groups": "incrowd.hierarchies",
    "intervals": "incrowd.hierarchies",
    "masking": "incrowd.hierarchies",
    "ordered": "incrowd.hierarchies",
    "suppression": "incrowd.hierarchies",
    "read_hierarchy": "incrowd.hierarchies",
    "write_hierarchy": "incrowd.hierarchies",
    "Auto": "incrowd.algorithms",
    "BUG": "incrowd.algorithms",
    "Datafly": "incrowd.algorithms",
    "Exhaustive": "incrowd.algorithms",
    "Flash": "incrowd.algorithms",
    "Genetic": "incrowd.algorithms",
    "HeuristicMin": "incrowd.algorithms",
    "IACc": "incrowd.algorithms",
    "IACk": "incrowd.algorithms",
    "ImprovedGreedy": "incrowd.algorithms",
    "Incognito": "incrowd.algorithms",
    "InfoGainMondrian": "incrowd.algorithms",
    "KACTUS": "incrowd.algorithms",
    "KMembers": "incrowd.algorithms",
    "KMembersP": "incrowd.algorithms",
    "KOptimize": "incrowd.algorithms",
    "LocalSearch": "incrowd.algorithms",
    "MDAV": "incrowd.algorithms",
    "MinGen": "incrowd.algorithms",
    "Mondrian": "incrowd.algorithms",
    "MuArgus": "incrowd.algorithms",
    "OKA": "incrowd.algorithms",
    "OLA": "incrowd.algorithms",
    "Samarati": "incrowd.algorithms",
    "TDR": "incrowd.algorithms",
    "TDS": "incrowd.algorithms",
    "TGC": "incrowd.algorithms",
    "TGCB": "incrowd.algorithms",
    "TGCP": "incrowd.algorithms",
    "TGCU": "incrowd.algorithms",
    "TopDownGreedy": "incrowd.algorithms",
    "Workload": "incrowd.metrics",
    "normalised_error": "incrowd.metrics",
    "query_error": "incrowd.metrics",
    "IncrowdError": "incrowd.errors",
    "Verdict": "incrowd.verify",
}
_PACKAGES = (
    "algorithms",
    "compare",
    "datasets",
    "errors",
    "hierarchies",
    "metrics",
    "requirements",
    "verify",
)

_EXTRAS = ("Anonymizer",)  # need more than the core installs: `import *` must do without them

__all__ = ["__version__", *(name for name in _HOME if name not in _EXTRAS), *_PACKAGES]


find_moved_modules()


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"incrowd.{name}")
    if name in _HOME:
        module, _, attribute = _HOME[name].partition(":")
        return getattr(import_module(module), attribute or name)
    raise AttributeError(f"module 'incrowd' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_EXTRAS])
