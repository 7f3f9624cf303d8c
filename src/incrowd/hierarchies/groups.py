"""Named groups of values, and groups of groups."""

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

from incrowd.errors import HierarchyError, ParameterError
from incrowd.hierarchies.leaves import ordered_values, plain_number, value_key
from incrowd.hierarchies.meanings import MAX_HEIGHT
from incrowd.hierarchies.rows import Row, hierarchy_from_paths
from incrowd.hierarchies.spec import SaidByFields, builder
from incrowd.hierarchies.tree import ROOT, Hierarchy
from incrowd.private import sizes_only


@builder
@dataclass(frozen=True)
class Groups(SaidByFields):
    """Named groups of values; groups may hold groups.

    Parameters
    ----------
    members
        By name of the group, a list of values or further groups.

    Notes
    -----
    Levels are counted from the root down.  A value in no group stands directly under the root: it
    stays as it is until it becomes ``*``.  Listed values that the data lack are leaves too.  A
    group may be called like a value only if that is the one value it holds.

    Examples
    --------
    >>> tree = Groups({"Senior": ["11th", "12th"]}).build(["9th", "12th"], column="education")
    >>> [level.labels for level in tree.levels]
    [('11th', '12th', '9th'), ('Senior', '9th'), ('*',)]
    """

    members: Mapping[str, Any]
    _paths: tuple[Row, ...] = field(init=False, repr=False, compare=False)

    key: ClassVar[str] = "groups"

    __repr__ = sizes_only

    def __post_init__(self) -> None:
        paths, names = _walk(self.members)
        _check_names(names)
        object.__setattr__(self, "members", deepcopy(self.members))
        object.__setattr__(self, "_paths", _one_path_per_value(paths))
        _check_values_called_like_groups(self._paths, set(names))

    @classmethod
    def from_policy(cls, value: object, options: Mapping[str, Any], folder: Path) -> Self:
        """Build one from ``{ groups = { Senior = ["11th", "12th"] } }``."""
        return cls(value)  # type: ignore[arg-type]

    def build(self, texts: Sequence[str], *, column: str) -> Hierarchy:
        """Return the groups, with the ungrouped values of a column beside them."""
        listed = {value_key(path[0]) for path in self._paths}
        ungrouped = ordered_values(text for text in texts if value_key(text) not in listed)
        names = {name for path in self._paths for name in path[1:]}
        clashes = [text for text in ungrouped if text in names]
        if clashes:
            raise HierarchyError(
                f"column {column!r} has {len(clashes)} ungrouped values that are called like a "
                "group of its hierarchy.",
                hint="put them into a group, or rename the group.",
                values=clashes,
            )
        paths = [*self._paths, *((text,) for text in ungrouped)]
        return hierarchy_from_paths(
            [(*path, ROOT) for path in paths], source=f"the hierarchy of column {column!r}"
        )


def groups(members: Mapping[str, Any]) -> Groups:
    """Put values into named groups: see `Groups`."""
    return Groups(members)


def _walk(members: object) -> tuple[list[Row], list[str]]:
    """Return the path of each value through its groups, and the names of all groups."""
    paths: list[Row] = []
    names: list[str] = []
    unwalked: list[tuple[object, Row]] = [(members, ())]
    while unwalked:
        held, path = unwalked.pop()
        if len(path) >= MAX_HEIGHT:
            raise ParameterError(
                f"groups hold groups {MAX_HEIGHT} times over.",
                hint="leave out levels that nobody needs.",
            )
        if isinstance(held, Mapping) and held:
            names.extend(held)
            unwalked.extend((below, (name, *path)) for name, below in reversed([*held.items()]))
        elif isinstance(held, list | tuple) and held and path:
            paths.extend((_text(value), *path) for value in held)
        else:
            raise ParameterError(
                "a group must hold a list of values or further groups, and must not be empty.",
                hint='for example groups({"Senior": ["11th", "12th"]}).',
            )
    return paths, names


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if plain_number(value) is None:
        raise ParameterError(
            f"the values of a group must be texts or numbers, not {type(value).__name__}.",
            hint="put the value in quotes.",
        )
    return str(value)


def _check_names(names: Sequence[object]) -> None:
    if not all(isinstance(name, str) and name not in ("", ROOT) for name in names):
        raise ParameterError(
            f"the name of a group must be a text, and neither empty nor {ROOT!r}.",
            hint=f"{ROOT!r} is the root above all groups.",
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ParameterError(
            f"{len(twice)} groups have a name that another group has too.",
            hint="a released cell would not tell which of them it means: rename one.",
            values=twice,
        )


def _one_path_per_value(paths: Sequence[Row]) -> tuple[Row, ...]:
    path_of: dict[tuple[bool, str], Row] = {}
    for path in paths:
        if path_of.setdefault(value_key(path[0]), path)[1:] != path[1:]:
            raise ParameterError(
                f"a value stands in two groups, {path_of[value_key(path[0])][1]!r} and "
                f"{path[1]!r}.",
                hint="leave it in one of them; `error.values` holds it.",
                values=[path[0]],
            )
    return tuple(path_of.values())


def _check_values_called_like_groups(paths: Sequence[Row], names: set[str]) -> None:
    called = {path[0] for path in paths} & names
    shared = {name for path in paths for name in path[1:] if name in called and name != path[0]}
    if shared:
        raise ParameterError(
            f"{len(shared)} groups are called like a value and hold other values too.",
            hint="a released cell would not tell which of the two it means: rename the group.",
            values=sorted(shared),
        )
