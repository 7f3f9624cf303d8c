"""Write src/incrowd/__init__.pyi: the public names of incrowd with their types.

The names are looked up when they are used, which editors and type checkers cannot follow.  With
``--check`` the file stays as it is, and is only compared.
"""

import sys
from importlib import import_module
from pathlib import Path

import incrowd

STUB = Path(__file__).parents[1] / "src" / "incrowd" / "__init__.pyi"
TEXT = """\
# Written by scripts/write_stub.py; a test fails if it is not up to date.

from collections.abc import Callable
from types import ModuleType
from typing import Generic, ParamSpec, TypeVar

{imports}

_P = ParamSpec("_P")
_R = TypeVar("_R")

class _CallableModule(ModuleType, Generic[_P, _R]):
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...

def _callable(function: Callable[_P, _R]) -> _CallableModule[_P, _R]: ...

{others}
"""


def stub() -> str:
    """Return the text of the stub."""
    offered = [import_module(f"incrowd.{each}").OFFERED for each in incrowd._OFFERING]
    imports, others = ["from incrowd.version import __version__ as __version__"], []
    for name in [*incrowd._HOME, *(name for each in offered for name in each)]:
        thing = getattr(incrowd, name)
        called = name if thing.__name__ == name else f"_{name}"  # `a as b` is no public name
        imports.append(f"from {thing.__module__} import {thing.__name__} as {called}")
        others += [f"{name} = {called}"] if called != name else []
    for name in incrowd._PACKAGES:
        package = import_module(f"incrowd.{name}")
        if callable(package):
            imports.append(f"from incrowd.{name} import {package.__called__} as _{name}")
            others.append(f"{name} = _callable(_{name})")
        else:
            imports.append(f"from incrowd import {name} as {name}")
    return TEXT.format(imports="\n".join(sorted(imports)), others="\n".join(sorted(others)))


if __name__ == "__main__":
    if "--check" not in sys.argv:
        STUB.write_text(stub(), encoding="utf-8")
    elif STUB.read_text(encoding="utf-8") != stub():
        sys.exit("src/incrowd/__init__.pyi is not up to date: run scripts/write_stub.py")
