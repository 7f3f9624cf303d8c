"""Registries: what can be chosen by name, of this package and of others.

Another package offers what it has under an entry point.  A fault in a plug-in names the plug-in,
and leaves everything else in use.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from incrowd.errors import IncrowdError, PluginError, PluginWarning

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

_T = TypeVar("_T")


class Registry(dict[str, _T]):
    """What is registered under which name.

    Parameters
    ----------
    kind
        What is registered, in a word: ``"algorithm"``.
    group
        The entry point under which other packages offer theirs, each under its name.
    register
        What registers an object that an entry point leads to and that has not registered itself.
    """

    def __init__(self, kind: str, group: str, register: Callable[[Any], Any] | None = None) -> None:
        super().__init__()
        self.kind, self.group, self._register = kind, group, register
        self._package_of: dict[str, str] = {}
        self._loaded = False

    def add(self, name: str, entry: _T) -> None:
        """Register an entry; a plug-in cannot take the place of another one."""
        home, there = _home(entry), _home(self.get(name, entry))
        if home != there:
            raise PluginError(
                f"module {home[0]!r} has the {self.kind} {name!r}, and so has {there[0]!r}.",
                hint="a plug-in takes nobody's place: give it a name of its own.",
            )
        self[name] = entry

    def load(self, names: Iterable[object]) -> None:
        """Load the plug-ins of these names, if there are any; a broken one is an error."""
        unknown = {name for name in names if isinstance(name, str) and name not in self}
        for found in self._offered() if unknown else ():
            if found.name in unknown:
                self._load(found)

    def everything(self) -> dict[str, _T]:
        """Return all there is by name; a broken plug-in is left out, with a warning."""
        for found in () if self._loaded else self._offered():
            try:
                self._load(found)
            except IncrowdError as error:
                warnings.warn(f"{error.message} It is left out.", PluginWarning, stacklevel=3)
        self._loaded = True
        return dict(self)

    @contextmanager
    def blaming(self, name: str, definition: object) -> Iterator[None]:
        """Name the plug-in if anything but an `IncrowdError` is raised inside.

        Its words may quote the input: they are not passed on.  A fault of our own stays one.
        """
        try:
            yield
        except (IncrowdError, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            if is_ours(definition):
                raise
            raise PluginError(
                f"{self.told(name, definition)} raised {type(error).__name__}{place_of(error)}.",
                hint="tell its author; `error.values` holds what it raised, which may quote the "
                "input.",
                values=[error],
            ) from None

    def told(self, name: str, definition: object) -> str:
        """Return what a plug-in is called in messages, with where it comes from."""
        home = f"module {getattr(definition, '__module__', '?')!r}"
        if name in self._package_of:
            home = f"package {self._package_of[name]!r}"
        return f"the {self.kind} {name!r} of {home}"

    def _offered(self) -> EntryPoints:
        from importlib.metadata import entry_points  # most runs look for no plug-in by name

        return entry_points(group=self.group)

    def _load(self, found: EntryPoint) -> None:
        if found.name in self:
            return
        self._package_of[found.name] = found.value if found.dist is None else found.dist.name
        with self.blaming(found.name, found):
            loaded = found.load()
            if found.name not in self and self._register is not None:
                self._register(loaded)
        if found.name not in self:
            raise PluginError(
                f"{self.told(found.name, found)} is not there: nothing is registered under that "
                "name.",
                hint=f"in {self.group!r} an entry point must be called like what it leads to.",
            )


def is_ours(definition: object) -> bool:
    """Whether a class or function is part of incrowd."""
    return str(getattr(definition, "__module__", "")).split(".")[0] == "incrowd"


def place_of(error: BaseException) -> str:
    """Return the file and the line where an error was raised, as the end of a sentence."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f" ({Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno})"


def _home(entry: Any) -> tuple[str, str]:
    """Return where a class or a metric is defined; one that is defined again is the same."""
    definition = getattr(entry, "function", entry)
    return definition.__module__, definition.__qualname__
