"""What the name of a column says about it, in the languages that headers are often written in.

Only a hint for a first policy: a wrong guess is corrected by the person who reads it.  Words of
five letters or more are also found inside longer ones (``Versicherungsnummer``), shorter ones only
as words of their own (``age`` is not in ``language``).
"""

import re
import unicodedata
from typing import Literal

Hint = Literal[
    "identifier", "sensitive", "quasi-identifier", "name", "person id", "postcode", "amount"
]

# The first hint that matches decides.  "name" comes after the columns it is often a part of:
# disease_name is about a disease, city_name about a place.
_WORDS: dict[Hint, str] = {
    "identifier": (
        "email mail phone telefon mobilenumber handynummer fax ssn socialsecurity passport "
        "reisepass passeport pasaporte iban bankaccount kontonummer creditcard kreditkarte url ip "
        "imei surname lastname firstname forename fullname username vorname nachname prenom "
        "apellido cognome address adresse direccion indirizzo street strasse licenseplate "
        "kennzeichen insurancenumber versicherungsnummer steuernummer securitesociale mrn nhs "
        "dni uuid guid"
    ),
    "sensitive": (
        "disease illness krankheit maladie enfermedad malattia diagnos icd symptom befund hiv "
        "cancer krebs disability behinderung handicap medication medikament medicament treatment "
        "behandlung traitement therap salary wage gehalt lohn salaire salario stipendio income "
        "einkommen revenu ingreso reddito debt schulden dette religio konfession politic partei "
        "sexualorientation conviction vorstrafe crime genetic genom bloodgroup blutgruppe"
    ),
    "amount": (
        "cost costs price amount charge charges fee fees payment kosten preis betrag cout importe"
    ),
    "postcode": "zip zipcode postcode postal postleitzahl plz codepostal codigopostal",
    "quasi-identifier": (
        "age alter edad eta birth geburt naissance nacimiento nascita dob sex gender geschlecht "
        "sexe sexo genre race ethnic rasse nationalit staatsangehorig country land pays pais city "
        "stadt ville ciudad region canton kanton state bundesland county municipality gemeinde "
        "commune marital familienstand education bildung ausbildung occupation beruf profession "
        "employ arbeitgeber admission aufnahme entlassung discharge"
    ),
    "name": "name names nom nombre nome",
    "person id": (
        "patientid personid memberid customerid clientid userid subjectid employeeid studentid "
        "patientennummer kundennummer personalnummer mitgliedsnummer patientnumber"
    ),
}
_WORD_LISTS = {hint: tuple(words.split()) for hint, words in _WORDS.items()}


def hint_of(name: str) -> Hint | None:
    """Return what the name of a column hints at, if anything.

    >>> hint_of("Geburtsdatum"), hint_of("patient_id"), hint_of("DiseaseName"), hint_of("language")
    ('quasi-identifier', 'person id', 'sensitive', None)
    """
    words = words_of(name)
    joined = "".join(words)
    for hint, known in _WORD_LISTS.items():
        if any(word in words or (len(word) >= 5 and word in joined) for word in known):
            return hint
    return None


def ends_as_id(name: str) -> bool:
    """Whether the name says that the column holds ids or numbers of something.

    >>> ends_as_id("record_id"), ends_as_id("caseNo"), ends_as_id("paid")
    (True, True, False)
    """
    return bool({"id", "ids", "no", "nr", "number", "nummer", "key"} & set(words_of(name)))


def words_of(name: str) -> list[str]:
    """Split a name into lower-case words without accents.

    >>> words_of("Prénom"), words_of("zipCode_2")
    (['prenom'], ['zip', 'code', '2'])
    """
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    plain = unicodedata.normalize("NFKD", parted.replace("\N{LATIN SMALL LETTER SHARP S}", "ss"))
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return re.findall(r"[^\W\d_]+|\d+", letters.casefold())
