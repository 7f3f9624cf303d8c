"""An extension of Griffe: which names the reference shows of a package, and with what parameters.

Griffe knows ``__all__`` and ``dataclass``; our packages say ``X as X`` and ``private_dataclass``.
"""

from __future__ import annotations

import ast
from typing import Any

import griffe


class OfferedNames(griffe.Extension):
    """Takes ``X as X`` for an offered name, and ``private_dataclass`` for ``dataclass``."""

    def on_module_members(self, *, node: Any, mod: griffe.Module, **others: Any) -> None:
        """List what a package offers."""
        if str(mod.filepath).endswith(".pyi"):  # its names would stand in the way of the packages
            mod.members.clear()
        elif mod.is_init_module and isinstance(node, ast.Module) and (offered := _offered(node)):
            mod.exports = offered

    def on_class_instance(self, *, node: Any, cls: griffe.Class, **others: Any) -> None:
        """Read our dataclasses as dataclasses."""
        for each in cls.decorators:
            if str(each.value) == "private_dataclass":
                module = griffe.ExprName("dataclasses")
                each.value = griffe.ExprName("dataclass", parent=module)  # type: ignore[arg-type]


def _offered(package: ast.Module) -> list[griffe.ExprName | str]:
    """Return the names that are imported to be offered, and what the package defines itself."""
    imported = [each for each in package.body if isinstance(each, ast.ImportFrom)]
    names = [each.name for line in imported for each in line.names if each.asname == each.name]
    defined = [each.name for each in package.body if isinstance(each, ast.FunctionDef)]
    return [*names, *defined] if names else []
