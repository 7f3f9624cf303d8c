"""How commands say which flags they take: the same words for both readers of the command line.

`plain` reads what is written plainly and imports next to nothing; Typer reads everything else,
writes the help and says what is wrong.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` would be most of what is loaded here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Argument:
    """What a command takes by its place."""

    def __init__(self, *, metavar: str, help: str) -> None:
        self.metavar, self.help = metavar, help


class Option:
    """What a command takes by name.

    Parameters
    ----------
    names
        ``"--output"``, and a short form if there is one.
    help, metavar
        What the help says of it, and what it calls the value.
    min
        The least that a number may be.
    """

    def __init__(
        self, *names: str, help: str, metavar: str | None = None, min: int | None = None
    ) -> None:
        self.names, self.help, self.metavar, self.min = names, help, metavar, min


def for_typer(
    command: Callable[..., Any], called: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Return a command as Typer declares it; it calls the command, or what is to stand for it."""
    from functools import wraps
    from inspect import signature
    from typing import Annotated

    import typer

    def declared(told: Argument | Option) -> Any:
        if isinstance(told, Argument):
            return typer.Argument(metavar=told.metavar, help=told.help)
        return typer.Option(*told.names, help=told.help, metavar=told.metavar, min=told.min)

    @wraps(command)
    def run(**given: Any) -> Any:
        return (called or command)(**given)

    said = signature(command)
    parameters = [
        each.replace(
            annotation=Annotated[
                each.annotation.__origin__, declared(each.annotation.__metadata__[0])
            ]
        )
        for each in said.parameters.values()
    ]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.__signature__ = said.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run
