"""incrowd: turn a table about people into one that can be shared.

Every released record hides in a crowd of at least k.  ``import incrowd`` itself loads next to
nothing: names are looked up when they are used.  ``__init__.pyi`` has them with their types.
"""

from importlib import import_module
from importlib.machinery import PathFinder

from incrowd.moved import find_moved_modules
from incrowd.version import __version__ as __version__

_HOME = {
    "Anonymizer": "incrowd.learn",
    "anonymize": "incrowd.release",
    "anonymize_file": "incrowd.release",
    "apply_file": "incrowd.release",
    "check": "incrowd.release",
    "Check": "incrowd.release",
    "apply_recoding": "incrowd.release",
    "explain_recoding": "incrowd.release",
    "preview": "incrowd.release",
    "Release": "incrowd.release",
    "measure_release": "incrowd.release",
    "database": "incrowd.frame.databases",
    "workbook": "incrowd.frame.workbooks",
    "classification_utility": "incrowd.compare",
    "load_comparison": "incrowd.compare",
    "load_recoding": "incrowd.recoding",
    "Policy": "incrowd.schema",
    "load_policy": "incrowd.schema",
    "policy": "incrowd.schema.keywords:policy_from_keywords",
    "union": "incrowd.requirements",
    "read_hierarchy": "incrowd.hierarchies",
    "write_hierarchy": "incrowd.hierarchies",
    "Workload": "incrowd.metrics",
    "normalised_error": "incrowd.metrics",
    "query_error": "incrowd.metrics",
    "IncrowdError": "incrowd.errors",
    "Cancelled": "incrowd.progress",
    "NotebookProgress": "incrowd.notebook",
    "Verdict": "incrowd.verify",
}
_OFFERING = ("requirements", "hierarchies", "algorithms")  # each says in `OFFERED` what
_PACKAGES = (*_OFFERING, "compare", "datasets", "errors", "metrics", "verify")
_EXTRAS = ("Anonymizer",)  # need more than the core installs: `import *` must do without them


find_moved_modules()


def __getattr__(name: str) -> object:
    if name in _PACKAGES:
        return import_module(f"incrowd.{name}")
    if name in _HOME:
        module, _, attribute = _HOME[name].partition(":")
        return getattr(import_module(module), attribute or name)
    if name == "__all__":
        return [each for each in __dir__() if each not in _EXTRAS]
    # `from incrowd import kernels` asks here too, while the packages are being imported
    if not name.startswith("_") and PathFinder.find_spec(f"incrowd.{name}", __path__) is None:
        for package in _OFFERING:
            offered = import_module(f"incrowd.{package}").OFFERED
            if name in offered:
                return offered[name]
    raise AttributeError(f"module 'incrowd' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, from the stub: nothing need be imported to complete one."""
    with open(f"{__file__}i", encoding="utf-8") as stub:
        lines = [line.split() for line in stub]
    names = [words[-1] for words in lines if "as" in words]
    names += [words[0] for words in lines if "=" in words]
    return sorted({"__version__", *(name for name in names if name[0] != "_")})
