"""Hierarchies that exist already: in a file, or as an object."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

from incrowd.errors import ParameterError, PolicyError
from incrowd.hierarchies.files import SEPARATOR, check_separator, read_hierarchy, rows_of
from incrowd.hierarchies.meanings import sound
from incrowd.hierarchies.rows import hierarchy_from_rows
from incrowd.hierarchies.spec import builder, list_or_refuse
from incrowd.hierarchies.tree import Hierarchy


@builder
@dataclass(frozen=True)
class FromFile:
    """The hierarchy that stands in a file; see `read_hierarchy` for its forms.

    Parameters
    ----------
    path
        The file; read each time the hierarchy is built.
    separator
        The character between two cells.
    """

    path: Path
    separator: str = SEPARATOR

    key: ClassVar[str] = "file"
    options: ClassVar[tuple[str, ...]] = ("separator",)

    def __post_init__(self) -> None:
        if not isinstance(self.path, str | PathLike):
            raise ParameterError(
                "the path of a hierarchy file must be a text.", hint="name a file."
            )
        object.__setattr__(self, "path", Path(self.path))
        check_separator(self.separator)

    @classmethod
    def from_policy(cls, value: object, options: Mapping[str, Any], folder: Path) -> Self:
        """Build one from a path, or from ``{ file = "age.csv", separator = "," }``."""
        if not isinstance(value, str) or not value:
            raise PolicyError("the path of a hierarchy file must be a text.", hint="name a file.")
        return cls(folder / value, **options)

    def to_policy(self) -> object:
        """Return the policy value that makes it."""
        if self.separator == SEPARATOR:
            return str(self.path)
        return {self.key: str(self.path), "separator": self.separator}

    def build(self, texts: Sequence[str], *, column: str) -> Hierarchy:
        """Return the hierarchy of the file, whether it covers the texts or not."""
        return read_hierarchy(self.path, separator=self.separator)


@builder
@dataclass(frozen=True)
class Fixed:
    """A ready hierarchy."""

    hierarchy: Hierarchy

    key: ClassVar[str] = "rows"
    options: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.hierarchy, Hierarchy):
            raise ParameterError(
                f"a fixed hierarchy cannot be a {type(self.hierarchy).__name__}.",
                hint="build a Hierarchy first, for example with hierarchy_from_rows.",
            )
        sound(self.hierarchy)

    @classmethod
    def from_policy(cls, value: object, options: Mapping[str, Any], folder: Path) -> Self:
        """Build one from ``{ rows = [["fr", "Europe", "*"], ["us", "America", "*"]] }``."""
        return cls(hierarchy_from_rows(list_or_refuse(cls.key, value)))

    def to_policy(self) -> dict[str, Any]:
        """Return the policy value that makes it; bounds and descriptions are left out."""
        return {self.key: [list(row) for row in rows_of(self.hierarchy)]}

    def build(self, texts: Sequence[str], *, column: str) -> Hierarchy:
        """Return the hierarchy as it is, whether it covers the texts or not."""
        return self.hierarchy


def from_file(path: str | PathLike[str], *, separator: str = SEPARATOR) -> FromFile:
    """Take the hierarchy from a file: see `FromFile`."""
    return FromFile(Path(path), separator=separator)


def fixed(hierarchy: Hierarchy) -> Fixed:
    """Take a ready hierarchy: see `Fixed`."""
    return Fixed(hierarchy)
