"""What may be wrong with the values of a column: spellings of one value, and impossible ones."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, Literal

from incrowd.hierarchies.dates import parse_date
from incrowd.schema.cleaning import Cleaning
from incrowd.schema.name_hints import words_of
from incrowd.texts import is_number

Spellings = list[tuple[str, ...]]

RARE = 100  # one record in so many, at most, is a fault; more are what the column holds
MOST_COMPARED = 100_000  # distinct texts of a column whose spellings are compared
OLDEST = 125  # years that a person may have lived
_REMOVABLE = re.compile(r"^[A-Za-z]{1,3}[- ]|[^\w\s]")
_NINES = re.compile(r"9{2,}(\.9+)?")
_PREFIXED = re.compile(r"[a-z]{1,3}[- ](\d{4,6})")
_WIDEST = 20  # digits of a code that is padded
_FEMALE = "f w female woman weiblich frau femme femenino femmina mujer"
_MALE = "m male man mann maennlich homme masculin masculino maschio hombre"
_SEXES = (frozenset(_FEMALE.split()), frozenset(_MALE.split()))
_SEX_WORDS = {"sex", "gender", "geschlecht", "sexe", "sexo", "genre", "genere", "sesso"}

Impossible = Literal["negative", "placeholder", "future", "too old"]
WORDS: Mapping[Impossible, str] = {
    "negative": "below 0, where nearly all others are not",
    "placeholder": "nines, far above all others: they seem to stand for an unknown value",
    "future": "later than today",
    "too old": f"more than {OLDEST} years ago",
}


def spellings(name: str, texts: Sequence[str], records: Sequence[int]) -> Spellings:
    """Return the texts that seem to be spellings of one value, the most frequent one first.

    Parameters
    ----------
    name
        Of the column: that ``w`` and ``f`` are one is known of a column of sexes alone.
    texts, records
        Its distinct texts, and how many records say each.

    Examples
    --------
    >>> spellings("sex", ["F", "M", "f", "w"], [90, 80, 4, 3])
    [('F', 'f', 'w')]
    >>> spellings("zip", ["04103", "4103", "D-04103", "04109"], [9, 2, 1, 5])
    [('04103', '4103', 'D-04103')]
    >>> spellings("icd", ["I50.01", "i5001", "I50.0"], [9, 1, 3])
    [('I50.01', 'i5001')]
    """
    if len(texts) > MOST_COMPARED:
        return []
    is_sex = bool(_SEX_WORDS & set(words_of(name)))
    alike: dict[str, list[str]] = {}
    for _, text in sorted(zip(records, texts, strict=True), key=lambda each: (-each[0], each[1])):
        alike.setdefault(_sex(text) if is_sex else _key(text), []).append(text)
    return [tuple(group) for group in alike.values() if len(group) > 1]


def _key(text: str) -> str:
    """Return what the spellings of a value share."""
    plain = " ".join(text.split()).casefold()
    prefixed = _PREFIXED.fullmatch(plain)
    if prefixed:
        plain = prefixed[1]
    if plain.isdecimal():
        return plain.lstrip("0") or "0"
    # in a number a point and a sign mean something; in a code or a word they do not
    return plain if is_number(plain) else re.sub(r"[^\w]|_", "", plain) or plain


def _sex(text: str) -> str:
    plain = text.strip().rstrip(".").casefold()
    return next((min(words) for words in _SEXES if plain in words), plain)


def mending_rules(groups: Spellings) -> list[str]:
    """Return the keys of the rules that make one text of each group.

    >>> mending_rules([("I50.01", "i5001", "I5001")])
    ['remove', 'case']
    >>> mending_rules([("04103", "4103", "D-04103")]), mending_rules([("F", "f", "w")])
    (['remove', 'pad'], ['clean'])
    """
    found = simple_rules(groups)
    return ["clean"] if found is None else list(found)


def simple_rules(groups: Spellings) -> dict[str, Any] | None:
    """Return the fewest rules of a policy that make one text of each group; None if none do.

    None of them names a value: `clean`, which would, is left to whoever knows the table.

    >>> simple_rules([("04103", "4103"), ("04109", "D-04109")])
    {'remove': ('D-',), 'pad': 5}
    """
    texts = [text for group in groups for text in group]
    width = max(len(group[0]) for group in groups)
    # the longest first, or the mark inside a prefix would be gone before the prefix is looked for
    removed = sorted({mark for text in texts for mark in _REMOVABLE.findall(text)})
    lower = all(group[0] == group[0].lower() for group in groups)
    rules: dict[str, Any] = {
        "trim": True,
        "remove": tuple(sorted(removed, key=len, reverse=True)),
        "case": "lower" if lower else "upper",
        "pad": min(max(width, 2), _WIDEST),
    }
    if not _mends(rules, groups):
        return None
    for key in list(rules):
        fewer = {each: rule for each, rule in rules.items() if each != key}
        if _mends(fewer, groups):
            rules = fewer
    if "remove" in rules:
        for mark in rules["remove"]:
            fewer = {**rules, "remove": tuple(each for each in rules["remove"] if each != mark)}
            rules = fewer if _mends(fewer, groups) else rules
    return rules


def _mends(rules: Mapping[str, Any], groups: Spellings) -> bool:
    mend = Cleaning(**rules).rule()
    return all(len({mend(text) for text in group}) == 1 for group in groups)


def impossible_numbers(texts: Sequence[str], records: Sequence[int]) -> dict[Impossible, list[str]]:
    """Return the numbers of a column that can hardly be meant.

    >>> impossible_numbers(["1", "7", "-1", "999"], [300, 200, 3, 2])
    {'negative': ['-1'], 'placeholder': ['999']}
    """
    numbers = {text: float(text) for text in texts if is_number(text)}
    count = dict(zip(texts, records, strict=True))
    total = sum(count.values())

    def few(found: list[str]) -> bool:
        return 0 < sum(count[text] for text in found) * RARE <= total

    below = [text for text, number in numbers.items() if number < 0]
    nines = [text for text in numbers if _NINES.fullmatch(text)]
    others = [number for text, number in numbers.items() if text not in nines]
    far = [text for text in nines if others and numbers[text] > 3 * max(max(others), 0) > 0]
    found: dict[Impossible, list[str]] = {"negative": below, "placeholder": far}
    return {kind: each for kind, each in found.items() if few(each)}


def impossible_dates(
    name: str,
    texts: Sequence[str],
    records: Sequence[int],
    today: date,
    format: str | None = None,
) -> dict[Impossible, list[str]]:
    """Return the dates of a column that can hardly be meant: in the future, or of a person of 200.

    >>> impossible_dates("birth", ["1960-01-01", "2067-01-01"], [300, 1], date(2024, 5, 1))
    {'future': ['2067-01-01']}
    """
    read = {text: parsed.date() for text in texts if (parsed := parse_date(text, format))}
    count = dict(zip(texts, records, strict=True))
    oldest = date(max(today.year - OLDEST, 1), 1, 1)
    tests: dict[Impossible, Callable[[date], bool]] = {"future": lambda day: day > today}
    if _is_birth(name):
        tests["too old"] = lambda day: day < oldest
    found = {
        kind: [text for text, day in read.items() if wrong(day)] for kind, wrong in tests.items()
    }
    total = sum(count.values())
    return {kind: each for kind, each in found.items()
            if 0 < sum(count[text] for text in each) * RARE <= total}  # fmt: skip


def _is_birth(name: str) -> bool:
    joined = "".join(words_of(name))
    known = ("birth", "geburt", "naissance", "nacimiento", "nascita", "dob")
    return any(word in joined for word in known)
