"""What a hierarchy builder is, and the registry of them by policy key."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeVar, runtime_checkable

from incrowd.errors import PluginError, PolicyError
from incrowd.hierarchies.files import SEPARATOR
from incrowd.hierarchies.tree import Hierarchy
from incrowd.plugins import Registry


@dataclass(frozen=True)
class Flag:
    """How a builder is asked for on the command line: ``--key VALUE``, or ``--key`` alone.

    Parameters
    ----------
    help
        What the flag does, in a few words.
    value
        What stands behind the flag, in capitals; None if nothing does.
    read
        What makes the value of the policy key of the text behind the flag; a ValueError refuses it.
    """

    help: str
    value: str | None = None
    read: Callable[[str], object] = str


@runtime_checkable
class HierarchySpec(Protocol):
    """How to make the hierarchy of a column once its values are known.

    Builders are frozen dataclasses that check their own parameters when they are built.  One whose
    parameters fit behind a flag of the command line says so with a `Flag` called ``flag``.
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


class SaidByFields:
    """A builder whose fields are all there is to say: the value of its key, and its options."""

    key: ClassVar[str]
    options: ClassVar[tuple[str, ...]] = ()

    def to_policy(self) -> dict[str, Any]:
        """Return the policy value that makes it; options that are as usual are left out."""
        policy: dict[str, Any] = {self.key: True}
        for each in fields(self):  # type: ignore[arg-type]
            value = getattr(self, each.name)
            if each.init and (each.name not in self.options or value != each.default):
                said = list(value) if isinstance(value, tuple) else value
                policy[each.name if each.name in self.options else self.key] = said
        return policy


_B = TypeVar("_B", bound=type[Any])
BUILDERS: Registry[type[Any]] = Registry(
    "hierarchy", "incrowd.hierarchies", lambda cls: builder(cls)
)


def builder(cls: _B) -> _B:
    """Register a builder class under its `key`."""
    BUILDERS.add(cls.key, cls)
    return cls


def flags() -> dict[str, Flag]:
    """Return how builders are asked for on the command line, by key, of those that can be."""
    said = {key: getattr(cls, "flag", None) for key, cls in BUILDERS.everything().items()}
    return {key: flag for key, flag in sorted(said.items()) if isinstance(flag, Flag)}


def function_of(cls: type[Any]) -> str:
    """Return what the function that makes a builder is called: ``from_file`` for `FromFile`."""
    name = cls.__name__.removesuffix("Hierarchy")
    return re.sub("(?<=.)(?=[A-Z])", "_", name).lower()


def built(spec: HierarchySpec, texts: Sequence[str], *, column: str) -> Hierarchy:
    """Return the hierarchy that a builder makes; a fault in one of another package names it."""
    cls = type(spec)
    key = getattr(spec, "key", cls.__name__)
    with BUILDERS.blaming(key, cls):
        tree = spec.build(texts, column=column)
    if not isinstance(tree, Hierarchy):
        raise PluginError(
            f"{BUILDERS.told(key, cls)} returned an object of type {type(tree).__name__} where "
            "a hierarchy was due.",
            hint="build() must return an incrowd.hierarchies.Hierarchy.",
        )
    return tree


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
    Intervals(widths=(5, 10), origin=0, unit='year', above=None)
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


def listed(text: str) -> list[str]:
    """Split what stands behind a flag at its commas."""
    return [each.strip() for each in text.split(",") if each.strip()]


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
    BUILDERS.load(value if isinstance(value, Mapping) else ())
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
    with BUILDERS.blaming(cls.key, cls):
        spec: HierarchySpec = cls.from_policy(value[cls.key], options, folder)
    return spec
