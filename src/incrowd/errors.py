"""Every error that incrowd raises on purpose.

A message says what is wrong, where, and what would be right; a ``Hint:`` line says what to do next.
It never holds a cell value of the input: messages end up in logs.  Values that help to mend the
input hang on the exception object instead.
"""

from collections.abc import Mapping, Sequence
from typing import Any


class Unprinted(tuple[object, ...]):
    """Values that do not print themselves, wherever the object that holds them is shown."""

    def __repr__(self) -> str:
        return f"<values: {len(self):,}, not shown>"


class IncrowdError(Exception):
    """The root of all errors raised on purpose.

    Parameters
    ----------
    message
        What is wrong, and where.  No cell value.
    hint
        What to do next.
    values
        Cell values that belong to the error; kept on the object, never printed.
    """

    exit_code = 2  # the caller can mend it

    def __init__(
        self, message: str, hint: str | None = None, values: Sequence[object] = ()
    ) -> None:
        self.message = message
        self.hint = hint
        self.values = Unprinted(values)
        super().__init__(message if hint is None else f"{message}\nHint: {hint}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the values behind: what is pickled goes to other processes, caches and files."""
        state = {**self.__dict__, "values": Unprinted()}
        return _without_init, (type(self), self.args), state


class PrivateError(IncrowdError, TypeError):
    """An object that knows the input was to be written to bytes, for example by pickle."""


class InputError(IncrowdError, ValueError):
    """A file or frame cannot be read as a table."""


class OutputError(IncrowdError, OSError):
    """The release cannot be written where it was asked for."""


class PolicyError(IncrowdError, ValueError):
    """A policy contradicts itself or does not fit the table."""


class ParameterError(IncrowdError, ValueError):
    """A parameter of a requirement, an algorithm or a function has a value that makes no sense."""


class HierarchyError(IncrowdError, ValueError):
    """A generalization hierarchy is broken or does not fit the data."""


class UnsatisfiableError(IncrowdError, ValueError):
    """No release of this table can meet the requirements; the message says what is reachable."""


class MissingDependencyError(IncrowdError, ImportError):
    """A part of incrowd needs a package that is not installed; the hint says how to install it."""


class PluginError(IncrowdError, RuntimeError):
    """A plug-in of another package is broken; what it raised hangs on the error as a value."""


class PluginWarning(UserWarning):
    """A plug-in that nobody has asked for by name is broken, and was left out."""


class LongSearchWarning(UserWarning):
    """A search is going to take long on this table; it says so before it begins."""


class VerificationError(IncrowdError):
    """A release was recounted and does not hold what was promised.  Nothing was written.

    Parameters
    ----------
    message, hint
        As in `IncrowdError`.
    verdict
        What the recount found, as plain data.
    """

    exit_code = 1

    def __init__(
        self, message: str, hint: str | None = None, verdict: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message, hint)
        self.verdict = dict(verdict or {})


def _without_init(cls: type[IncrowdError], args: tuple[object, ...]) -> IncrowdError:
    """Return an error that is to be filled with its pickled state."""
    error = cls.__new__(cls, *args)
    error.args = args
    return error
