"""Packages whose names are looked up when they are used.

What such a package offers stands in its ``__init__.py`` as it would anywhere, one import each, but
under ``if TYPE_CHECKING:``.  Type checkers and readers follow the imports; a program follows those
alone whose names it uses, and one search out of many costs the import of one.  A function that is
called like a module beside it cannot be offered so: Python gives that name to the module.
"""

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

_IMPORT = re.compile(r"^    from (\S+) import (\([^)]*\)|.*)$", re.MULTILINE)
_NAME = re.compile(r"(\w+) as \1\b")


@cache
def offered_by(package: str) -> dict[str, str]:
    """Return the module of each name that a package offers lazily, in the order of its lines.

    >>> offered_by("incrowd.algorithms.cell")["MinGen"]
    'incrowd.algorithms.cell.mingen.mingen'
    """
    loader = import_module(package).__spec__.loader  # type: ignore[union-attr]
    source: str = loader.get_source(package)  # type: ignore[union-attr]
    found: dict[str, str] = {}
    for line in _IMPORT.finditer(source):
        inside = line[1] == package  # then each name is a module of the package
        found |= {
            each[1]: f"{package}.{each[1]}" if inside else line[1]
            for each in _NAME.finditer(line[2])
        }
    return found


def looked_up_in(package: str, *others: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package that offers its names lazily, and those of others.

    What was found is kept, so that it is asked for once.
    """

    def look_up(name: str) -> Any:
        for each in (package, *others):
            module = offered_by(each).get(name)
            if module is not None:
                found = import_module(module)
                if module != f"{each}.{name}":
                    found = getattr(found, name)
                setattr(sys.modules[package], name, found)
                return found
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return look_up


def import_everything(package: str) -> None:
    """Import all that a package offers."""
    import_module(package)
    for module in offered_by(package).values():
        import_module(module)
