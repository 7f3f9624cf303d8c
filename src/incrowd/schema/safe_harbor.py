"""The eighteen classes of the HIPAA Safe Harbor rule (45 CFR 164.514(b)(2)), as a checklist.

Which class a column belongs to is told from its name and from what its cells look like; a column
that is called after nothing is found by nobody but a reader.
"""

from dataclasses import dataclass

from incrowd.schema.name_hints import hint_of, words_of
from incrowd.schema.patterns import Pattern


@dataclass(frozen=True)
class SafeHarborClass:
    """One of the eighteen.

    Parameters
    ----------
    number, title
        As in the rule, in a few words.
    words
        What such columns are called; of five letters and more also inside of longer words.
    patterns
        What their cells look like.
    dropped
        Whether such a column names or reaches a person; the others can be generalised.
    """

    number: int
    title: str
    words: tuple[str, ...]
    patterns: tuple[Pattern, ...] = ()
    dropped: bool = True

    def names(self, name: str) -> bool:
        """Whether a column is called like one of this class."""
        words = words_of(name)
        joined = "".join(words)
        return any(each in words or (len(each) >= 5 and each in joined) for each in self.words)


def _class(number: int, title: str, words: str, *patterns: Pattern, dropped: bool = True) -> (
    SafeHarborClass
):  # fmt: skip
    return SafeHarborClass(number, title, tuple(words.split()), patterns, dropped)


CLASSES = (
    _class(1, "names", "surname lastname firstname forename fullname vorname nachname prenom"),
    _class(
        2, "geographic units smaller than a state",
        "zip zipcode postcode postal postleitzahl plz codepostal city stadt ville ciudad county "
        "gemeinde commune municipality address adresse street strasse precinct geocode latitude "
        "longitude", dropped=False,
    ),
    _class(
        3, "dates of a person but the year, and ages over 89",
        "birth geburt naissance nacimiento nascita dob admission aufnahme discharge entlassung "
        "death deceased todes age alter edad", dropped=False,
    ),
    _class(4, "telephone numbers", "phone telefon mobile handy telephone", "phone number"),
    _class(5, "fax numbers", "fax telefax"),
    _class(6, "e-mail addresses", "email mail", "e-mail address"),
    _class(
        7, "social security numbers", "ssn socialsecurity securitesociale sozialversicherung",
        "social security number",
    ),
    _class(8, "medical record numbers", "mrn medicalrecord recordnumber recordno patientennummer"),
    _class(
        9, "health plan beneficiary numbers",
        "healthplan beneficiary insurancenumber insuranceno insuranceid versicherungsnummer "
        "versichertennummer membernumber policynumber",
    ),
    _class(
        10, "account numbers",
        "accountnumber accountno accountid account iban kontonummer bankaccount creditcard "
        "kreditkarte cardnumber", "IBAN", "card number",
    ),
    _class(
        11, "certificate and license numbers",
        "license licence certificate licensenumber licencenumber zertifikat ausweis passport "
        "reisepass",
    ),
    _class(
        12, "vehicle identifiers and plates",
        "vin plate licenseplate vehicle vehicleid kennzeichen fahrgestell",
    ),
    _class(13, "device identifiers and serial numbers", "device deviceid serial imei udi mac"),
    _class(14, "web addresses", "url website homepage", "URL"),
    _class(15, "IP addresses", "ip ipaddress", "IP address"),
    _class(16, "biometric identifiers", "biometric fingerprint voiceprint retina iris dna genome"),
    _class(17, "full-face photographs", "photo photograph image picture foto bild portrait"),
    _class(18, "any other unique number or code", "uuid guid barcode", "UUID"),
)  # fmt: skip

_SAID_BY = {"name": 1, "person id": 8}  # what a hint at a name or an id is
# a fax number is no telephone's, an IP address no place: what says more is asked first
_FIRST, _LAST = (12, 5, 9), (2, 3)
_ORDER = (*_FIRST, *(n for n in range(1, 19) if n not in _FIRST + _LAST), *_LAST)


def class_of(name: str, pattern: Pattern | None = None) -> SafeHarborClass | None:
    """Return the class that a column belongs to, by its cells first and its name then.

    >>> class_of("fax_no").title, class_of("kontakt", "e-mail address").number, class_of("sex")
    ('fax numbers', 6, None)
    """
    ordered = [CLASSES[number - 1] for number in _ORDER]
    by_cells = (each for each in ordered if pattern is not None and pattern in each.patterns)
    by_name = (each for each in ordered if each.names(name))
    said = _SAID_BY.get(hint_of(name) or "")
    by_hint = None if said is None else CLASSES[said - 1]
    return next(by_cells, None) or next(by_name, None) or by_hint
