"""The command line of those who write it plainly, without the parser that knows everything else.

Most commands are ``incrowd anonymize people.csv -o released.csv -k 5``: words, names of flags and
their values.  Reading these is no work; the import of a parser that can complete, correct and
explain takes longer than the release of a small table.  Whatever is not plain in every word is
left to that parser, wrong use too, so that there is one that says what is wrong.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from types import UnionType

from incrowd.cli.declared import Argument, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

COMMANDS = {
    "anonymize": "incrowd.cli.releasing",
    "verify": "incrowd.cli.checking",
    "measure": "incrowd.cli.checking",
    "inspect": "incrowd.cli.checking",
    "compare": "incrowd.cli.comparing",
    "apply": "incrowd.cli.releasing",
    "explain": "incrowd.cli.explaining",
    "algorithms": "incrowd.cli.listing",
    "metrics": "incrowd.cli.listing",
    "requirements": "incrowd.cli.listing",
    "demo": "incrowd.cli.showing",
}
"""The module of each command, in the order of the help."""

_WHOLE = re.compile(r"0|[1-9][0-9]{0,8}")
_NUMBER = re.compile(rf"({_WHOLE.pattern})(\.[0-9]{{1,9}})?")


class NotPlainError(Exception):
    """The other parser has to look at it."""


def command_called(name: str) -> Callable[..., Any]:
    """Return the function of a command."""
    found: Callable[..., Any] = getattr(import_module(COMMANDS[name]), name)
    return found


def understood(arguments: list[str]) -> tuple[Callable[..., Any], dict[str, Any]] | None:
    """Return the command and what it is called with, if every word is plain; else None.

    >>> command, given = understood(["verify", "released.csv", "-k", "5", "--quiet"])
    >>> command.__name__, given["released"], given["k"], given["quiet"]
    ('verify', 'released.csv', 5, True)
    >>> understood(["verify", "--help"])
    """
    if not arguments or arguments[0] not in COMMANDS:
        return None
    command = command_called(arguments[0])
    try:
        return command, _given(command, arguments[1:])
    except NotPlainError:
        return None


def _given(command: Callable[..., Any], words: list[str]) -> dict[str, Any]:
    """Return the values of the parameters of a command."""
    code, defaults = command.__code__, command.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    told = {name: command.__annotations__[name].__metadata__[0] for name in names}
    kinds = {name: _kind(command.__annotations__[name].__origin__) for name in names}
    given: dict[str, Any] = {}
    for name, text in _pairs(told, kinds, iter(words)):
        value = _value(kinds[name], told[name], text)
        if kinds[name] is list:
            given[name] = [*given.get(name, ()), value]
        elif name not in given:
            given[name] = value
        else:
            raise NotPlainError
    given = {**dict(zip(names[len(names) - len(defaults) :], defaults, strict=True)), **given}
    if len(given) < len(names):
        raise NotPlainError
    return given


def _pairs(
    told: dict[str, Argument | Option], kinds: dict[str, Any], words: Iterator[str]
) -> Iterator[tuple[str, str]]:
    """Yield the parameter that the next words are about, and the text of its value."""
    flags = {flag: name for name in told for flag in getattr(told[name], "names", ())}
    places = [name for name, each in told.items() if isinstance(each, Argument)]
    for word in words:
        flag, _, text = word.partition("=")
        if not word.startswith("-") and places:
            yield places.pop(0), word
        elif word in flags:
            yield flags[word], "yes" if kinds[flags[word]] is bool else next(words, "")
        elif flag.startswith("--") and kinds.get(flags.get(flag, "")) not in (None, bool):
            yield flags[flag], text
        else:
            raise NotPlainError


def _kind(annotation: Any) -> Any:
    """Return what a parameter is made of: ``list[str] | None`` is a list."""
    if isinstance(annotation, UnionType):
        annotation = annotation.__args__[0]
    return getattr(annotation, "__origin__", annotation)


def _value(kind: Any, told: Any, text: str) -> Any:
    """Return the value that a text stands for."""
    if not text or (text[0] == "-" and text != "-"):
        raise NotPlainError
    if kind in (int, float):
        if not (_WHOLE if kind is int else _NUMBER).fullmatch(text):
            raise NotPlainError
        value = kind(text)
        if told.min is not None and value < told.min:
            raise NotPlainError
        return value
    return {str: str, list: str, Path: Path, bool: bool}[kind](text)
