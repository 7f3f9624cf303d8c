"""The sections of a policy that are plain options: input, algorithm, release."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self, get_args

from incrowd.errors import ParameterError, PolicyError
from incrowd.frame.formulas import Formulas
from incrowd.frame.sniffing import check_encoding
from incrowd.schema import checks
from incrowd.texts import Labels

Order = Literal["shuffle", "keep"]
Suppressed = Literal["mask", "drop"]
LIMIT = "suppression_limit"  # of every release, whatever the algorithm


@dataclass(frozen=True, kw_only=True)
class InputOptions:
    """How the input is read.

    Parameters
    ----------
    separator
        Between the cells of a CSV file; sniffed if not given.
    missing
        The texts that stand for a missing cell.
    encoding
        Of a CSV file.
    hierarchy_separator
        Between the cells of hierarchy files.
    """

    separator: str | None = None
    missing: tuple[str, ...] = ("",)
    encoding: str = "utf-8"
    hierarchy_separator: str = ";"

    def __post_init__(self) -> None:
        if self.separator is not None:
            _check_separator(self.separator, "input.separator")
        _check_separator(self.hierarchy_separator, "input.hierarchy_separator")
        _check_encoding(self.encoding)
        hint = 'write a list, for example missing = ["", "?"].'
        missing = checks.texts(self.missing, "input.missing", hint)
        object.__setattr__(self, "missing", missing)

    def to_mapping(self) -> dict[str, Any]:
        """Return the section of a policy file."""
        return _mapping(self)


@dataclass(frozen=True)
class AlgorithmChoice:
    """Which algorithm searches, and with what parameters.

    Names and parameters are checked by the algorithms themselves; only the shape is checked here.

    Parameters
    ----------
    name
        The name of an algorithm, or ``"auto"``.
    parameters
        What the algorithm is built with, for example ``{"suppression_limit": 0.05}``, which binds
        every release, also of an algorithm that has no such parameter.
    instead_of
        The choice whose place this one took, if that has parameters: a flag beside a policy file.
    """

    name: str = "auto"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    instead_of: Self | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise PolicyError(
                f"algorithm.name must be a text, not {checks.shown(self.name)}.",
                hint='write the name of an algorithm, for example name = "flash", or "auto".',
            )
        parameters = checks.table(self.parameters, "algorithm")
        if "name" in parameters:
            raise PolicyError(
                "algorithm has a parameter called 'name', which is the algorithm's own name.",
                hint="give the name once, and the parameters beside it.",
            )
        object.__setattr__(self, "parameters", parameters)

    def replaced(self, name: str | None, given: Mapping[str, Any]) -> Self:
        """Return the choice of another algorithm, or of this one, with parameters of its own.

        The suppression limit stays unless another is given: it is about the release.
        """
        if name is None or name == self.name:
            return replace(self, parameters={**self.parameters, **given})
        kept = {key: self.parameters[key] for key in (LIMIT,) if key in self.parameters}
        return type(self)(name, {**kept, **given}, instead_of=self if self.parameters else None)

    def to_mapping(self) -> dict[str, Any]:
        """Return the section of a policy file: the name and the parameters side by side."""
        return {"name": self.name, **self.parameters}


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """What the release looks like.

    Parameters
    ----------
    order
        Rows are put in random order (``"shuffle"``), or stay where they were (``"keep"``).
    suppressed
        A suppressed record has every quasi-identifier masked (``"mask"``) or is left out
        (``"drop"``).
    labels
        How regions and classes are written: as a ``"node"`` of the hierarchy, on a ``"grid"``, as a
        ``"range"`` or as a ``"set"``.
    formulas
        Cells of a CSV file that a spreadsheet would run stay as they are (``"keep"``), get an
        apostrophe in front (``"escape"``), or stop the release (``"refuse"``).
    """

    order: Order = "shuffle"
    suppressed: Suppressed = "mask"
    labels: Labels = "node"
    formulas: Formulas = "keep"

    def __post_init__(self) -> None:
        checks.choice(self.order, "release.order", get_args(Order))
        checks.choice(self.suppressed, "release.suppressed", get_args(Suppressed))
        checks.choice(self.labels, "release.labels", get_args(Labels))
        checks.choice(self.formulas, "release.formulas", get_args(Formulas))

    def to_mapping(self) -> dict[str, Any]:
        """Return the section of a policy file."""
        return _mapping(self)


def _check_separator(value: object, where: str) -> None:
    if not isinstance(value, str) or len(value) != 1 or value in '"\r\n\0':
        raise PolicyError(
            f"{where} must be one character, not {checks.shown(value)}.",
            hint='write for example ";", "," or "\\t"; quotes and line ends separate no cells.',
        )


def _check_encoding(value: object) -> None:
    try:
        if isinstance(value, str):
            check_encoding(value)
            return
    except ParameterError:
        pass
    raise PolicyError(
        f"input.encoding is {checks.shown(value)}, which is no text encoding.",
        hint='write for example "utf-8", "latin-1" or "cp1252".',
    )


def _mapping(options: InputOptions | ReleaseOptions) -> dict[str, Any]:
    stated = {each.name: getattr(options, each.name) for each in fields(options)}
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in stated.items()
        if value is not None  # TOML has no word for "not given"
    }
