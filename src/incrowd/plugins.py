"""Registries: what can be chosen by name, of this package and of others.

Another package offers what it has under an entry point.  A fault in a plug-in names the plug-in,
and leaves everything else in use.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from incrowd.errors import IncrowdError, PluginError, PluginWarning
from incrowd.lazily import import_everything, offered_by

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

_T = TypeVar("_T")


class Registry(MutableMapping[str, _T]):
    """What is registered under which name.

    What this package has is imported when it is asked for: one entry if its name tells which, and
    all of them for a name that does not, or for whoever looks at the whole.

    Parameters
    ----------
    kind
        What is registered, in a word: ``"algorithm"``.
    group
        The entry point under which other packages offer theirs, each under its name.
    register
        What registers an object that an entry point leads to and that has not registered itself.
    packages
        The packages of this one that have entries; `incrowd.lazily` says how they offer them.
    """

    def __init__(
        self,
        kind: str,
        group: str,
        register: Callable[[Any], Any] | None = None,
        packages: Iterable[str] = (),
    ) -> None:
        self.kind, self.group, self._register = kind, group, register
        self._entries: dict[str, _T] = {}
        self._packages, self._complete = tuple(packages), False
        self._package_of: dict[str, str] = {}
        self._loaded = False

    def __getitem__(self, name: str) -> _T:
        self._find(name)
        return self._entries[name]

    def __setitem__(self, name: str, entry: _T) -> None:
        self._entries[name] = entry

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def __iter__(self) -> Iterator[str]:
        self._import_all()
        return iter(self._entries)

    def __len__(self) -> int:
        self._import_all()
        return len(self._entries)

    def add(self, name: str, entry: _T) -> None:
        """Register an entry; a plug-in cannot take the place of another one."""
        home = _home(entry)
        if not _is_ours(home[0]):
            self._find(name)  # what it would replace may not have been imported yet
        there = _home(self._entries.get(name, entry))
        if home != there:
            raise PluginError(
                f"module {home[0]!r} has the {self.kind} {name!r}, and so has {there[0]!r}.",
                hint="a plug-in takes nobody's place: give it a name of its own.",
            )
        self[name] = entry

    def class_called(self, name: str) -> _T | None:
        """Return the entry whose class is called so, if there is one."""
        self._import_like(name)
        for _ in range(2):
            for entry in self._entries.values():
                if _home(entry)[1] == name:
                    return entry
            self._import_all()
        return None

    def _find(self, name: str) -> None:
        """Import what is registered under a name, if it is ours."""
        if name not in self._entries:
            self._import_like(name)
        if name not in self._entries:
            self._import_all()

    def _import_like(self, name: str) -> None:
        """Import what is spelled like a name but for hyphens and capitals."""
        for package in () if self._complete else self._packages:
            for offered, module in offered_by(package).items():
                if _folded(offered) == _folded(name):
                    import_module(module)

    def _import_all(self) -> None:
        """Import all that is ours, and put it in order, whatever was imported first."""
        if self._complete:
            return
        for package in self._packages:
            import_everything(package)
        self._complete = True
        lines = [each for package in self._packages for each in offered_by(package).values()]
        place = {module: at for at, module in reversed([*enumerate([*lines, *self._packages])])}
        self._entries = dict(
            sorted(self._entries.items(), key=lambda each: _place(str(_home(each[1])[0]), place))
        )

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


class Classes(Mapping[str, object]):
    """The classes of a registry by what they are called in Python."""

    def __init__(self, registry: Registry[Any]) -> None:
        self._registry = registry

    def __getitem__(self, name: str) -> object:
        found = self._registry.class_called(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return (cls.__name__ for cls in self._registry.values())

    def __len__(self) -> int:
        return len(self._registry)


def is_ours(definition: object) -> bool:
    """Whether a class or function is part of incrowd."""
    return _is_ours(getattr(definition, "__module__", ""))


def _is_ours(module: object) -> bool:
    return str(module).split(".")[0] == "incrowd"  # the example of a page has no module


def place_of(error: BaseException) -> str:
    """Return the file and the line where an error was raised, as the end of a sentence."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f" ({Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno})"


def _place(module: str, places: dict[str, int]) -> int:
    """Return the place of a module, or else that of the package it is in."""
    while module and module not in places:
        module = module.rpartition(".")[0]
    return places.get(module, len(places))


def _folded(name: str) -> str:
    """Return what the name of a class and the one it is registered under have in common."""
    return name.replace("-", "").replace("_", "").lower()


def _home(entry: Any) -> tuple[str, str]:
    """Return where a class or a metric is defined; one that is defined again is the same."""
    definition = getattr(entry, "function", entry)
    return definition.__module__, definition.__qualname__
