"""Requirements from the short flags of the command line: ``3:occupation:entropy``."""

from incrowd.errors import ParameterError
from incrowd.requirements import Requirement
from incrowd.texts import is_number

L_HINT = "write --l-diversity 3:occupation, 2.5:occupation:entropy or 3:occupation:recursive=2."
T_HINT = "write --t-closeness 0.2:occupation, 0.2:salary:ordered or 0.2:occupation:hierarchical."


def l_diversity_from_flag(text: str) -> Requirement:
    """Return what ``L:COLUMN[:distinct|entropy|recursive=C]`` asks for.

    >>> l_diversity_from_flag("3:occupation").describe()
    'distinct 3-diversity of occupation'
    >>> l_diversity_from_flag("2:occupation:recursive=1.5").describe()
    'recursive (1.5, 2)-diversity of occupation'
    """
    from incrowd.requirements import LDiversity  # few ask for it, and all read flags

    least, column = _parted(text, "--l-diversity", L_HINT)
    name, _, word = column.rpartition(":")
    if name and word in ("distinct", "entropy"):
        return LDiversity(least, name, variant=word)  # type: ignore[arg-type]
    variant, _, factor = word.partition("=")
    if name and variant == "recursive" and is_number(factor):
        return LDiversity(least, name, variant="recursive", c=_number(factor))
    if name and variant == "recursive":
        raise ParameterError("--l-diversity is recursive without a number c.", hint=L_HINT)
    return LDiversity(least, column)


def t_closeness_from_flag(text: str) -> Requirement:
    """Return what ``T:COLUMN[:equal|ordered|hierarchical]`` asks for.

    >>> t_closeness_from_flag("0.2:salary:ordered").describe()
    '0.2-closeness of salary by ordered distance'
    """
    from incrowd.requirements import TCloseness

    most, column = _parted(text, "--t-closeness", T_HINT)
    name, _, word = column.rpartition(":")
    if name and word in ("equal", "ordered", "hierarchical"):
        return TCloseness(most, name, distance=word)  # type: ignore[arg-type]
    return TCloseness(most, column)


def _parted(text: str, flag: str, hint: str) -> tuple[int | float, str]:
    """Return the number in front of the first colon, and what stands behind it."""
    value, _, column = text.partition(":")
    if not is_number(value) or not column:
        raise ParameterError(f"{flag} has no number and column.", hint=hint)
    return _number(value), column


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("+-").isdecimal() else float(text)
