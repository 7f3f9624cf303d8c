"""Packages that can be called.

``incrowd.algorithms`` is a package, and ``incrowd.algorithms()`` lists the registry.  Python sets
the attribute of a package to its submodule whenever that is imported, so a function of the same
name would not last; a module that can be called does.
"""

import sys
from types import ModuleType
from typing import Any


class CallableModule(ModuleType):
    """A module whose call is passed on to one of its functions."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Call the function."""
        return self.__dict__[self.__dict__["__called__"]](*args, **options)


def make_callable(module: str, function: str) -> None:
    """Let a module that is being imported be called like one of its functions."""
    loaded = sys.modules[module]
    loaded.__dict__["__called__"] = function
    loaded.__class__ = CallableModule
