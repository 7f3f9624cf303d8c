"""How a suggested policy reads, mends and generalises a column, so that it runs as it is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from incrowd.frame.coding import IS_OF_KIND, infer_kind
from incrowd.frame.readings import Reading, is_date_or_time, nearly_all, possible_readings
from incrowd.frame.source import Kind
from incrowd.hierarchies import HierarchySpec, auto, dates, masking, suppression
from incrowd.hierarchies.dates import format_of
from incrowd.hierarchies.masking import MAX_LEVELS
from incrowd.hierarchies.spec import unfit_for
from incrowd.schema.cleaning import Cleaning
from incrowd.schema.name_hints import hint_of
from incrowd.schema.patterns import Pattern, pattern_of
from incrowd.schema.roles import Role
from incrowd.schema.suspicions import simple_rules, spellings
from incrowd.texts import is_number

MOSTLY = 90  # per cent of the records make a column one of numbers or dates in a draft
_PERIODS = ("month", "year", "decade")
_CENTURIES = ("18", "19", "20")


@dataclass(frozen=True)
class Look:
    """What the texts of a column look like.

    Parameters
    ----------
    kind
        What it holds, as it is read.
    reading
        How its cells are written.
    ambiguous
        Whether they can be read in another way too.
    pattern
        What they look like, if they look like anything that is known.
    """

    kind: Kind
    reading: Reading = field(default_factory=Reading)
    ambiguous: bool = False
    pattern: Pattern | None = None


@dataclass(frozen=True)
class Draft:
    """What a suggested policy says of a column beside its role.

    Parameters
    ----------
    hierarchy
        The value of the key, and why; nothing if there is none.
    cleaning
        The rules that are written, by key.
    odd
        How many records have a cell that the hierarchy cannot take, and is suppressed.
    spelled
        How many records have a rarer spelling of a value that no simple rule mends.
    ambiguous
        Whether dates or numbers can be read in another way too.
    """

    hierarchy: tuple[object, str] | None = None
    cleaning: Mapping[str, Any] = field(default_factory=dict)
    odd: int = 0
    spelled: int = 0
    ambiguous: bool = False


def look_at(name: str, texts: Sequence[str], records: Sequence[int], typed: Kind | None) -> Look:
    """Look at the distinct texts of a column; `typed` is what its type says that it holds."""
    if typed is not None:
        return Look(typed, pattern=pattern_of(texts, records))
    possible = possible_readings(texts, records) or possible_readings(texts, records, share=MOSTLY)
    reading = possible[0] if possible else Reading()
    read = [reading.read(text) for text in texts]
    return Look(_kind_of(read, records), reading, len(possible) > 1, pattern_of(read, records))


def _kind_of(texts: Sequence[str], records: Sequence[int]) -> Kind:
    """Return what nine records in ten are; the others are suppressed by the draft."""
    kind = infer_kind(texts, records)
    if kind != "text" or not texts:
        return kind
    kinds: dict[Kind, Callable[[str], bool]] = {"number": is_number, "date": is_date_or_time}
    for each, holds in kinds.items():
        if nearly_all(texts, records, holds, share=MOSTLY):
            return each
    return "text"


def draft_of(
    name: str, role: Role, look: Look, texts: Sequence[str], records: Sequence[int]
) -> Draft:
    """Return what a suggested policy says of a column of a role."""
    if role not in ("quasi-identifier", "sensitive"):
        return Draft()
    reading = {key: value for key, value in vars(look.reading).items() if value is not None}
    if role == "sensitive" and look.ambiguous:  # released as it is: a guess would change its cells
        reading, look = {}, replace(look, reading=Reading(), ambiguous=False)
    read = [look.reading.read(text) for text in texts]
    coded = look.kind == "text" or hint_of(name) == "postcode"
    rules, spelled = (
        _mending(name, read, records, pads=hint_of(name) == "postcode") if coded else ({}, 0)
    )
    mend = Cleaning(**{**reading, **rules}).rule()
    mended: dict[str, int] = {}
    for text, n in zip(texts, records, strict=True):
        mended[mend(text)] = mended.get(mend(text), 0) + n
    if rules and look.kind == "text":
        look = replace(look, kind=_kind_of(list(mended), list(mended.values())))
    chosen = _hierarchy(name, role, look, mended)
    odd = 0
    if chosen is not None:
        unfit = unfit_for(chosen[0], list(mended), list(mended.values()))
        odd = sum(mended[text] for text in unfit)
        if role == "sensitive" and odd:
            chosen, odd = None, 0
    said = None if chosen is None else (chosen[0].to_policy(), chosen[1])
    return Draft(said, {**reading, **rules}, odd, spelled, look.ambiguous)


def _mending(
    name: str, texts: Sequence[str], records: Sequence[int], *, pads: bool
) -> tuple[dict[str, Any], int]:
    """Return the rules that mend the spellings of a column, or how many records would need more."""
    groups = spellings(name, texts, records)
    if not groups:
        return {}, 0
    rules = simple_rules(groups)
    if rules is not None and (pads or "pad" not in rules):
        return rules, 0
    count = dict(zip(texts, records, strict=True))
    return {}, sum(count[text] for group in groups for text in group[1:])


def _hierarchy(
    name: str, role: Role, look: Look, count: Mapping[str, int]
) -> tuple[HierarchySpec, str] | None:
    """Return what a column is generalised by, and why; `count` is how many records say each."""
    texts = list(count)
    longest = max(map(len, texts), default=0)
    if role == "sensitive":
        if look.pattern == "ICD-10 code" and longest <= MAX_LEVELS:
            return masking(), "by prefix: codes that begin alike are near to each other"
        return None
    if len(texts) <= 2 or look.kind == "boolean":
        return suppression(), ""
    if hint_of(name) == "postcode" and longest <= MAX_LEVELS:
        return masking(), "hides the last characters first"
    if look.kind == "date" or _are_compact_dates(count):
        return dates(*_PERIODS), ""
    records = list(count.values())
    written = None if look.kind == "number" else format_of(texts, records, share=MOSTLY)
    if written is not None and "%Y" in written:  # two digits of a year do not tell the century
        return dates(*_PERIODS["%d" not in written :], format=written), ""
    if look.kind == "number":
        grid = "a fixed round grid; with widths of your own: { intervals = [5, 10, 20] }"
        few = unfit_for(auto(), texts, records)  # of more it is asked what they are
        numbers = [text for text in texts if IS_OF_KIND["number"](text)]
        stated = auto() if few or len(numbers) == len(texts) else auto().choose(numbers)
        return stated, grid
    return auto(), "suppression; a hierarchy of your own keeps more: value;group;...;root"


def _are_compact_dates(count: Mapping[str, int]) -> bool:
    """Whether numbers are dates such as 19601231.

    >>> _are_compact_dates({"19601231": 3, "20240229": 2}), _are_compact_dates({"10115": 5})
    (True, False)
    """
    return nearly_all(
        list(count),
        list(count.values()),
        lambda text: text.isdecimal() and text[:2] in _CENTURIES and is_date_or_time(text),
    )
