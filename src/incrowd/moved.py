"""Modules under the paths that earlier documents print: an import of one finds where it is now."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False  # `typing` would be most of what is loaded here
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

MOVED = {
    "incrowd.frame.frequency": "incrowd.counts",
    "incrowd.algorithms.full_domain.suppression_profile": (
        "incrowd.algorithms.full_domain.iac.suppression_profile"
    ),
}


class MovedModules:
    """Finds a module that has moved: what is imported is the module itself, under both names."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Say that an old name can be imported; no other is looked at."""
        return ModuleSpec(name, self) if name in MOVED else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module that the old name stands for."""
        return import_module(MOVED[spec.name])

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module was executed under its own name."""


def find_moved_modules() -> None:
    """Let old paths be imported from here on."""
    if not any(isinstance(each, MovedModules) for each in sys.meta_path):
        sys.meta_path.append(MovedModules())
