"""What objects that hold cells print of themselves, and that they are not written to bytes.

Whatever is printed or pickled ends up in logs, notebooks and caches, where nobody expects people.
"""

from collections.abc import Sized
from dataclasses import dataclass, field, fields
from typing import Any, NoReturn, Self, TypeVar, dataclass_transform

import numpy as np

from incrowd.errors import PrivateError

_T = TypeVar("_T")


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def private_dataclass(cls: type[_T]) -> type[_T]:
    """Make a frozen dataclass of a class that can hold cells, or what was made of them.

    It prints sizes only, and no two of its objects are equal.
    """
    cls.__repr__ = sizes_only  # type: ignore[method-assign]
    return dataclass(frozen=True, eq=False, repr=False)(cls)


def sizes_only(self: Any) -> str:
    """Return the name of a dataclass and how much each field holds, none of it.

    Stands as ``__repr__ = sizes_only`` in every other class that can hold cells.

    >>> from incrowd.frame import Encoded
    >>> Encoded(np.zeros(3, np.int32), ("Berlin",), "text")
    Encoded(codes: array of 3, texts: 1 item, kind: text, merged=False, uniform=True, typed=False)
    """
    shown = (_sized(each.name, getattr(self, each.name)) for each in fields(self))
    return f"{type(self).__name__}({', '.join(shown)})"


def _sized(name: str, value: object) -> str:
    if value is None or isinstance(value, bool | int):
        return f"{name}={value}"
    if isinstance(value, np.ndarray):
        return f"{name}: array of {' x '.join(map(str, value.shape))}"
    if isinstance(value, str):
        return f"{name}: text"
    if isinstance(value, tuple | list | dict | set | frozenset):
        return f"{name}: {counted(value)}"
    return f"{name}: {type(value).__name__}"


def counted(items: Sized) -> str:
    """Return how many items there are, in words."""
    return f"{len(items):,} {'item' if len(items) == 1 else 'items'}"


class Private:
    """Makes an object that knows the input refuse to be pickled.

    It never changes, so a copy of it is itself.
    """

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise PrivateError(
            f"a {type(self).__name__} is not pickled: it knows the table that it was made from, "
            "suppressed records and identifiers too.",
            hint="write or pickle the `table` of a release, which is what may be shared, and keep "
            "the decision with `recoding.save`.",
        )

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
