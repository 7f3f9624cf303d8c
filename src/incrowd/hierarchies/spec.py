"""What a hierarchy builder is, and the registry of them by policy key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeVar, runtime_checkable

from incrowd.errors import PolicyError
from incrowd.hierarchies.files import SEPARATOR
from incrowd.hierarchies.tree import Hierarchy


@runtime_checkable
class HierarchySpec(Protocol):
    """How to make the hierarchy of a column once its values are known.

    Builders are frozen dataclasses that check their own parameters when they are built.
    """

    key: ClassVar[str]
    """The key in a policy file: ``hierarchy = { key = ... }``."""

    options: ClassVar[tuple[str, ...]]
    """Further keys that may stand beside it."""

    @classmethod
    def from_policy(cls, value: object, options: Mapping[str, Any], folder: Path) -> Self:
        """Build one from the value of its key; paths are relative to `folder`."""

    def build(self, texts: Sequence[str], *, column: str) -> Hierarchy:
        """Return the hierarchy over the distinct non-missing texts of a column."""

    def to_policy(self) -> object:
        """Return the policy value that makes it."""


_B = TypeVar("_B", bound=type[Any])
BUILDERS: dict[str, type[Any]] = {}


def builder(cls: _B) -> _B:
    """Register a builder class under its `key`."""
    BUILDERS[cls.key] = cls
    return cls


def spec_from_policy(value: object, *, folder: Path, separator: str = SEPARATOR) -> HierarchySpec:
    """Return the builder that a policy's ``hierarchy = ...`` asks for.

    Parameters
    ----------
    value
        ``"auto"``, the path of a hierarchy file, or a table such as ``{ intervals = [5, 10] }``.
        From Python also a builder or a ready `Hierarchy`.
    folder
        What paths are relative to: the folder of the policy.
    separator
        The separator of hierarchy files.

    Examples
    --------
    >>> spec_from_policy({"intervals": [5, 10], "unit": "year"}, folder=Path())
    Intervals(widths=(5, 10), origin=0, unit='year')
    """
    if isinstance(value, Hierarchy):
        spec: HierarchySpec = BUILDERS["rows"](value)
    elif isinstance(value, HierarchySpec) and not isinstance(value, type):
        spec = value
    elif value == "auto":
        spec = BUILDERS["auto"]()
    elif isinstance(value, str | Path):
        spec = BUILDERS["file"].from_policy(str(value), {"separator": separator}, folder)
    else:
        spec = _spec_from_table(value, folder, separator)
    return spec


def true_or_refuse(key: str, value: object) -> None:
    """Check the value of a builder that has nothing to say but that it is wanted."""
    if value is not True:
        raise PolicyError(
            f"the hierarchy {key!r} takes no value but true.",
            hint=f"write {{ {key} = true }}, or leave the hierarchy out.",
        )


def list_or_refuse(key: str, value: object) -> tuple[Any, ...]:
    """Check the value of a builder that takes a list."""
    if not isinstance(value, list | tuple):
        raise PolicyError(
            f"the hierarchy {key!r} takes a list, not a {type(value).__name__}.",
            hint=f"write {{ {key} = [...] }}.",
        )
    return tuple(value)


def _spec_from_table(value: object, folder: Path, separator: str) -> HierarchySpec:
    known = ", ".join(sorted(BUILDERS))
    if not isinstance(value, Mapping):
        raise PolicyError(
            f"a hierarchy cannot be made from a {type(value).__name__}.",
            hint=f'give a path, "auto", or a table with one of: {known}.',
        )
    keys = [key for key in value if key in BUILDERS]
    if len(keys) != 1:
        named = ", ".join(map(repr, keys or value)) or "nothing"
        raise PolicyError(
            f"a hierarchy must name one builder; this one names {named}.",
            hint=f"the builders are {known}.",
        )
    cls = BUILDERS[keys[0]]
    options = {key: option for key, option in value.items() if key != cls.key}
    unknown = [key for key in options if key not in cls.options]
    if unknown:
        raise PolicyError(
            f"the hierarchy {cls.key!r} has no option {', '.join(map(repr, unknown))}.",
            hint=f"its options are {', '.join(cls.options)}." if cls.options else "it has none.",
        )
    if "separator" in cls.options:
        options.setdefault("separator", separator)
    spec: HierarchySpec = cls.from_policy(value[cls.key], options, folder)
    return spec
