"""Codes that lose their last parts: I50.01, I50.0*, I50*, I*."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from incrowd.errors import HierarchyError, ParameterError
from incrowd.hierarchies.rows import Row, hierarchy_from_paths
from incrowd.hierarchies.spec import Flag, SaidByFields, builder, listed
from incrowd.hierarchies.tree import ROOT, Hierarchy

MARK = ROOT
SEPARATORS = ".-/ "
_CODE = re.compile(r"[A-Z]{1,3}\d[0-9A-Z]{1,3}([.\-/][A-Z0-9]{1,5})?")
_PARTS = re.compile(r"[A-Za-z]*")


@builder
@dataclass(frozen=True)
class Prefixes(SaidByFields):
    """Keep the first characters of a code, fewer at each level: I50.01, I50.0*, I50*, I*, ``*``.

    Parameters
    ----------
    lengths
        How many characters are kept at each level, the most first.  If none are given a code is
        read by its parts: what stands behind its point goes first, character by character, then
        all digits, and the letters that it begins with are the last to go.

    Notes
    -----
    A label is a prefix and ``*``: whatever begins with it.  So it is told from a code that is no
    longer than the prefix, which stays as it is until a shorter prefix holds it too.

    Examples
    --------
    >>> tree = Prefixes().build(["I50.01", "I50.1", "I51", "J20.9"], column="diagnosis")
    >>> [level.labels for level in tree.levels[1:]]
    [('I50.0*', 'I50.1', 'I51', 'J20.9'), ('I50*', 'I51*', 'J20*'), ('I*', 'J*'), ('*',)]
    >>> [each.labels for each in Prefixes((3, 1)).build(["I5001", "I511"], column="code").levels]
    [('I5001', 'I511'), ('I50*', 'I51*'), ('I*',), ('*',)]
    """

    lengths: tuple[int, ...] = ()

    key: ClassVar[str] = "prefixes"
    flag: ClassVar[Flag] = Flag(
        "Characters kept: 3,1.", "LENGTHS", lambda text: [int(each) for each in listed(text)]
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", falling_lengths(self.lengths, self.key))

    @classmethod
    def from_policy(cls, value: object, options: Mapping[str, Any], folder: Path) -> Self:
        """Build one from ``{ prefixes = true }`` or ``{ prefixes = [3, 1] }``."""
        return cls() if value is True else cls(value)  # type: ignore[arg-type]

    def to_policy(self) -> dict[str, Any]:
        """Return the policy value that makes it."""
        return {self.key: list(self.lengths) or True}

    def build(self, texts: Sequence[str], *, column: str) -> Hierarchy:
        """Return the prefixes of the codes of a column."""
        refuse_marked(texts, column, self.key)
        source = f"the hierarchy of column {column!r}"
        if not self.lengths:
            paths = [(text, *_by_parts(text), ROOT) for text in sorted(set(texts))]
            return hierarchy_from_paths(paths or [(ROOT, ROOT)], source=source)
        return hierarchy_from_paths(
            [(text, *cut_short(text, self.lengths), ROOT) for text in sorted(set(texts))]
            or [(ROOT, ROOT)],
            source=source,
        )


def prefixes(*lengths: int) -> Prefixes:
    """Keep the first characters of codes, fewer at each level: see `Prefixes`."""
    return Prefixes(lengths)


def cut_short(text: str, lengths: Sequence[int]) -> Row:
    """Return the prefixes of a code; one that is no longer than a prefix stays as it is.

    >>> cut_short("I50.01", (4, 3, 1)), cut_short("I5", (3, 1))
    (('I50*', 'I50*', 'I*'), ('I5', 'I*'))
    """
    return tuple(
        text if len(text) <= keep else text[:keep].rstrip(SEPARATORS) + MARK for keep in lengths
    )


def _by_parts(text: str) -> Row:
    """Return the prefixes of a code by its parts.

    >>> _by_parts("I50.01"), _by_parts("I50"), _by_parts("4103")
    (('I50.0*', 'I50*', 'I*'), ('I50*', 'I*'), ('4103*',))
    """
    head = re.split(f"[{re.escape(SEPARATORS)}]", text, maxsplit=1)[0]
    behind = range(len(text) - 1, len(head) + 1, -1)
    found = [text[:keep] + MARK for keep in behind if text[keep - 1] not in SEPARATORS]
    letters = _PARTS.match(head)
    first = letters.group() if letters else ""
    if head:
        found.append(head + MARK)
    if first and first != head:
        found.append(first + MARK)
    return tuple(found)


def looks_like_codes(texts: Sequence[str]) -> bool:
    """Whether texts are codes: capital letters, digits, and in some of them more behind a point.

    >>> looks_like_codes(["I50.01", "J20"]), looks_like_codes(["A10", "B20"])
    (True, False)
    """
    apart = any(mark in text for text in texts for mark in SEPARATORS)
    return apart and all(_CODE.fullmatch(text) for text in texts)


def falling_lengths(lengths: object, key: str) -> tuple[int, ...]:
    """Return numbers of characters to keep, checked: whole, above 0, each fewer than the last."""
    given = lengths if isinstance(lengths, list | tuple) else None
    if given is None or not all(type(each) is int and each > 0 for each in given):
        raise ParameterError(
            f"the lengths of {key} must be whole numbers above 0.", hint=f"for example {key}(3, 1)."
        )
    if list(given) != sorted(set(given), reverse=True):
        raise ParameterError(
            f"the lengths of {key} must fall from level to level.", hint=f"for example {key}(3, 1)."
        )
    return tuple(given)


def refuse_marked(texts: Sequence[str], column: str, key: str) -> None:
    """Raise if a value has the mark of a prefix in it."""
    marked = [text for text in texts if MARK in text]
    if marked:
        raise HierarchyError(
            f"column {column!r} has the hierarchy {key!r}, and {len(marked)} of its distinct "
            f"values have {MARK!r} in them: values and prefixes could not be told apart.",
            hint="mend the values listed in `error.values`, or list them as missing.",
            values=marked,
        )
