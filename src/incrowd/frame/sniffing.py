"""Which separator a CSV file has, and in which encoding it is."""

import codecs
from dataclasses import dataclass

import numpy as np

from incrowd import kernels
from incrowd.errors import InputError, ParameterError

BOM = codecs.BOM_UTF8
CANDIDATES = (";", ",", "\t", "|")
_NAMES = {"\t": "tab", " ": "space"}
_WIDE_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


@dataclass(frozen=True)
class Sniffed:
    """The separator that fits the start of a file best, and how many columns it makes."""

    separator: str
    n_columns: int
    share: float  # of the records that have as many cells as the header


def sniff_separator(sample: bytes, *, whole: bool, first: str = ";") -> str:
    """Return the separator under which the records have the same number of cells.

    Parameters
    ----------
    sample
        The start of the file, in UTF-8, without a byte order mark.
    whole
        Whether that is all of it.
    first
        The candidate that wins ties.
    """
    order = sorted(CANDIDATES, key=lambda candidate: candidate != first)
    found = [_try(sample, candidate, whole=whole) for candidate in order]
    several = [each for each in found if each.n_columns > 1 and each.share > 0.5]
    if several:
        return max(several, key=lambda each: (each.share, each.n_columns)).separator
    single = [each.separator for each in found if each.n_columns == 1 and each.share == 1.0]
    return "," if "," in single or not single else single[0]


def _try(sample: bytes, separator: str, *, whole: bool) -> Sniffed:
    text = np.frombuffer(sample, dtype=np.uint8)
    cells = kernels.csv_cells_per_record(text, separator.encode(), whole)
    cells = cells[cells > 0]
    if not len(cells):
        return Sniffed(separator, 0, 0.0)
    return Sniffed(separator, int(cells[0]), float((cells == cells[0]).mean()))


def separator_name(separator: str) -> str:
    """Return a separator for people: ``';'``, ``tab``."""
    return _NAMES.get(separator, repr(separator))


def check_separator(separator: str) -> str:
    r"""Return a separator that can be one; ``\t``, as typed on a command line, is a tab."""
    if separator == "\\t":
        return "\t"
    if len(separator) != 1 or separator in '"\r\n\0' or not _is_unicode(separator):
        raise ParameterError(
            "the separator must be a single character, and no quote, line break or NUL.",
            hint="common ones are ; , | and tab (\\t).",
        )
    return separator


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# domain names and source code, not texts: they refuse or rewrite characters of their own
_NO_TABLES = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined")


def check_encoding(encoding: str) -> str:
    """Return the codec's own name of a text encoding; UTF-8 in all its spellings is ``utf-8``."""
    try:
        "".encode(encoding)
        name = codecs.lookup(encoding).name
        if name in _NO_TABLES:
            raise LookupError
    except (LookupError, ValueError, UnicodeError):
        raise ParameterError(
            f"{encoding!r} is not the name of a text encoding.",
            hint="common ones are utf-8, latin-1, cp1252 and utf-16.",
        ) from None
    return "utf-8" if name in ("utf-8", "utf-8-sig", "ascii") else name


def refuse_wide_text(start: bytes, path: object) -> None:
    """Refuse a file that announces UTF-16 or UTF-32 while UTF-8 is expected."""
    if start.startswith(_WIDE_BOMS):
        raise InputError(
            f"{path} is not UTF-8: it starts with the byte order mark of UTF-16 or UTF-32.",
            hint="pass encoding='utf-16', or save the file as UTF-8.",
        )
