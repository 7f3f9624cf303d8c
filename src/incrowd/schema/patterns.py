"""What the cells of a column look like: addresses, numbers of accounts and cards, codes, free text.

A pattern says what nine records in ten look like.  It is used to suggest a role, and never tells a
cell.
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal

from incrowd.texts import is_number

Pattern = Literal[
    "e-mail address",
    "URL",
    "IP address",
    "IBAN",
    "card number",
    "phone number",
    "social security number",
    "UUID",
    "ICD-10 code",
    "free text",
    "amount",
]

MOST = 0.9  # of the records must look like it
LOOKED_AT = 5_000  # distinct texts of a column, so that a column of names costs no minute
_WORDS = 5  # of them and more are a sentence

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_IP = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}|(?=.*:.*:)[0-9a-fA-F:]{3,39}")
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_CARD = re.compile(r"\d{13,19}")
_PHONE = re.compile(r"(?:\+|00)\d[\d ()/-]{6,}|\(?0\d{1,5}\)?[ /-]\d[\d -]{3,}")
_SSN = re.compile(r"\d{3}-\d{2}-\d{4}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ICD = re.compile(r"[A-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?", re.IGNORECASE)
_CENTS = re.compile(r"[+-]?\d+\.\d{2}")


def pattern_of(texts: Sequence[str], records: Sequence[int]) -> Pattern | None:
    """Return what nine records in ten of a column look like, if they look like anything.

    Parameters
    ----------
    texts
        The distinct non-missing texts of a column.
    records
        How many records say each.

    Examples
    --------
    >>> pattern_of(["a@b.org", "c@d.net"], [1, 1]), pattern_of(["I50.01", "J18.9"], [3, 2])
    ('e-mail address', 'ICD-10 code')
    >>> pattern_of(["DE89370400440532013000"], [1]), pattern_of(["4103", "4109"], [1, 1])
    ('IBAN', None)
    """
    looked, counts = texts[:LOOKED_AT], records[:LOOKED_AT]
    total = sum(counts)
    if not total:
        return None
    for pattern, holds in _PATTERNS.items():
        found = sum(n for text, n in zip(looked, counts, strict=True) if holds(text.strip()))
        if found >= MOST * total and _is_plausible(pattern, looked, counts):
            return pattern
    return None


def _is_plausible(pattern: Pattern, texts: Sequence[str], counts: Sequence[int]) -> bool:
    """Ask more of codes, which other codes look like too, and of sentences."""
    if pattern == "ICD-10 code":
        pointed = sum(n for text, n in zip(texts, counts, strict=True) if "." in text)
        return pointed >= 0.3 * sum(counts)
    if pattern == "free text":
        return len(texts) >= 0.5 * sum(counts)
    return True


def _is_iban(text: str) -> bool:
    plain = text.replace(" ", "").upper()
    if not _IBAN.fullmatch(plain):
        return False
    return int("".join(str(int(each, 36)) for each in plain[4:] + plain[:4])) % 97 == 1


def _is_card(text: str) -> bool:
    plain = re.sub(r"[ -]", "", text)
    if not _CARD.fullmatch(plain):
        return False
    digits = [int(each) for each in plain[::-1]]
    doubled = (sum(divmod(2 * each, 10)) for each in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _is_ip(text: str) -> bool:
    if not _IP.fullmatch(text):
        return False
    return ":" in text or all(int(part) < 256 for part in text.split("."))


def _is_free_text(text: str) -> bool:
    return len(text.split()) >= _WORDS and not is_number(text)


_PATTERNS: dict[Pattern, Callable[[str], bool]] = {
    "e-mail address": lambda text: _EMAIL.fullmatch(text) is not None,
    "URL": lambda text: _URL.fullmatch(text) is not None,
    "IBAN": _is_iban,
    "card number": _is_card,
    "IP address": _is_ip,
    "social security number": lambda text: _SSN.fullmatch(text) is not None,
    "UUID": lambda text: _UUID.fullmatch(text) is not None,
    "phone number": lambda text: _PHONE.fullmatch(text) is not None,
    "ICD-10 code": lambda text: _ICD.fullmatch(text) is not None,
    "amount": lambda text: _CENTS.fullmatch(text) is not None,
    "free text": _is_free_text,
}
