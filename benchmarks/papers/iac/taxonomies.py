"""Hierarchies of Adult with the heights that the IAC paper gives; its own were never published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import incrowd as ic
from incrowd.hierarchies import hierarchy_from_rows

WORKCLASS = {
    ("Private", "Private", "Employed"): ["Private"],
    ("Self-employed", "Self-employed", "Employed"): ["Self-emp-inc", "Self-emp-not-inc"],
    ("Federal", "Government", "Employed"): ["Federal-gov"],
    ("State or local", "Government", "Employed"): ["State-gov", "Local-gov"],
    ("Unpaid", "Unpaid", "Unpaid"): ["Without-pay"],
}
EDUCATION = {
    ("Primary", "Basic", "No degree"): ["Preschool", "1st-4th"],
    ("Middle", "Basic", "No degree"): ["5th-6th", "7th-8th"],
    ("Junior secondary", "Secondary", "No degree"): ["9th", "10th"],
    ("Senior secondary", "Secondary", "No degree"): ["11th", "12th"],
    ("School finished", "School finished", "No degree"): ["HS-grad"],
    ("Some college", "College", "No degree"): ["Some-college"],
    ("Associate", "College", "No degree"): ["Assoc-voc", "Assoc-acdm"],
    ("Bachelor", "Undergraduate", "Degree"): ["Bachelors"],
    ("Master", "Postgraduate", "Degree"): ["Masters"],
    ("Doctor", "Postgraduate", "Degree"): ["Prof-school", "Doctorate"],
}
MARITAL_STATUS = {
    ("Together", "With partner"): ["Married-civ-spouse", "Married-AF-spouse"],
    ("Apart", "Without partner"): ["Married-spouse-absent", "Separated"],
    ("Was married", "Without partner"): ["Divorced", "Widowed"],
    ("Never married", "Without partner"): ["Never-married"],
}
OCCUPATION = {
    ("Office",): ["Exec-managerial", "Prof-specialty", "Tech-support", "Sales", "Adm-clerical"],
    ("Manual",): [
        *("Craft-repair", "Machine-op-inspct", "Transport-moving"),
        *("Handlers-cleaners", "Farming-fishing"),
    ],
    ("Service",): ["Other-service", "Priv-house-serv", "Protective-serv", "Armed-Forces"],
}
RACE = {
    ("White",): ["White"],
    ("Black",): ["Black"],
    ("Neither",): ["Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"],
}
COUNTRY = {
    ("United States", "North America"): ["United-States", "Outlying-US(Guam-USVI-etc)"],
    ("Canada", "North America"): ["Canada"],
    ("Central America", "Latin America"): [
        *("Mexico", "Puerto-Rico", "El-Salvador", "Cuba", "Jamaica", "Dominican-Republic"),
        *("Guatemala", "Haiti", "Nicaragua", "Honduras", "Trinadad&Tobago"),
    ],
    ("South America", "Latin America"): ["Columbia", "Ecuador", "Peru"],
    ("Western Europe", "Europe"): [
        *("England", "Germany", "Italy", "France", "Portugal", "Ireland", "Scotland", "Greece"),
        *("Holand-Netherlands",),
    ],
    ("Eastern Europe", "Europe"): ["Poland", "Hungary", "Yugoslavia"],
    ("East Asia", "Asia"): ["China", "Japan", "Taiwan", "Hong"],
    ("South-East Asia", "Asia"): ["Philippines", "Vietnam", "Thailand", "Cambodia", "Laos"],
    ("South and West Asia", "Asia"): ["India", "Iran"],
    ("Unclear", "Unclear"): ["South"],
}
GROUPS: Mapping[str, Mapping[tuple[str, ...], Sequence[str]]] = {
    "workclass": WORKCLASS,
    "education": EDUCATION,
    "marital-status": MARITAL_STATUS,
    "occupation": OCCUPATION,
    "race": RACE,
    "sex": {(): ["Female", "Male"]},
    "native-country": COUNTRY,
}
AGE = ic.intervals(5, 10, 20, 40, 80)


def hierarchy(name: str) -> Any:
    """Return the hierarchy of a column."""
    if name == "age":
        return AGE
    rows = [
        (leaf, *above, "*") for above, leaves in GROUPS[name].items() for leaf in leaves
    ]  # fmt: skip
    return hierarchy_from_rows(rows)


def leaves(name: str) -> list[str]:
    """Return the values that a column can have."""
    if name == "age":
        return [str(age) for age in range(17, 91)]
    return [leaf for of_group in GROUPS[name].values() for leaf in of_group]
