"""The people of the synthetic census: what they can be, and how one thing leans on another.

Pure data.  Every figure is invented, and a whole number: a column is drawn with odds that are the
product of its weights and of one row of factors for each column it depends on, so the odds are
exact and the same on every machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Groups = Mapping[str, Sequence[str]]
Factors = Mapping[str | int, Sequence[int]]


@dataclass(frozen=True)
class CensusColumn:
    """One column of the census.

    Parameters
    ----------
    values
        What a cell can hold.
    weights
        How common each value is before anything else is known; alike if not given.
    depends_on
        By name of an earlier column: its values, or groups of them, each with a factor for every
        value here, or for every group of them.  Whole numbers as keys are where bands of ages
        begin.
    groups
        The groups that factors speak of, here or in a column that depends on this one.
    """

    values: tuple[str, ...]
    weights: Sequence[int] = ()
    depends_on: Mapping[str, Factors] = field(default_factory=dict)
    groups: Groups = field(default_factory=dict)


def _members(groups: Groups) -> tuple[str, ...]:
    return tuple(value for group in groups.values() for value in group)


YOUNGEST, OLDEST = 17, 90

_AGE_WEIGHTS = (
    *(36, 44, 54, 60, 64, 70, 76, 72, 74, 72, 74, 76, 78, 80, 82),  # 17 to 31
    *(82, 84, 84, 86, 86, 84, 82, 80, 78, 76, 74, 74, 72, 70, 70),  # 32 to 46
    *(68, 62, 60, 58, 56, 52, 50, 46, 42, 40, 38, 36, 34, 32, 28),  # 47 to 61
    *(24, 22, 20, 17, 15, 14, 12, 10, 9, 9, 8, 7, 6, 6, 5),  # 62 to 76
    *(5, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1),  # 77 to 90
)

MARITAL_STATUSES: Groups = {
    "with a partner": ("cohabiting", "married", "registered partnership"),
    "without a partner": ("single", "separated", "divorced", "widowed"),
}

_MARITAL_STATUS_BY_AGE: Factors = {
    # cohabiting, married, registered | single, separated, divorced, widowed
    17: (30, 10, 1, 959, 1, 1, 0),
    20: (60, 70, 2, 858, 5, 5, 0),
    25: (80, 360, 4, 510, 16, 30, 1),
    30: (50, 530, 4, 310, 24, 80, 2),
    36: (30, 640, 4, 160, 26, 136, 4),
    45: (20, 690, 3, 90, 24, 160, 12),
    55: (10, 710, 2, 60, 18, 140, 60),
    65: (10, 600, 4, 50, 14, 110, 210),
    75: (5, 480, 2, 40, 6, 60, 400),
}

_MARITAL_STATUS_BY_SEX: Factors = {
    "female": (5, 4, 3, 6, 7, 8, 9),
    "male": (5, 7, 3, 6, 3, 4, 2),
}

EDUCATION_STAGES: Groups = {
    "primary school": ("no schooling", "grades 1-3", "grades 4-6"),
    "lower secondary school": ("grades 7-8", "grade 9"),
    "unfinished high school": ("grade 10", "grade 11", "grade 12"),
    "finished high school": ("high school diploma",),
    "college": ("trade certificate", "unfinished college", "college diploma"),
    "first degree": ("bachelor", "professional degree"),
    "advanced degree": ("master", "doctorate"),
}

EDUCATION_LEVELS: Groups = {
    "basic schooling": ("primary school", "lower secondary school"),
    "high school": ("unfinished high school", "finished high school"),
    "higher education": ("college", "first degree", "advanced degree"),
}

_EDUCATION_BY_AGE: Factors = {
    # primary | lower secondary | unfinished | finished | college | first degree | advanced degree
    17: (1, 1, 3, 9, 24, 90, 160, 60, 40, 2, 12, 0, 0, 0, 0, 0),
    19: (1, 1, 3, 5, 7, 14, 20, 18, 160, 8, 180, 10, 6, 0, 0, 0),
    23: (1, 2, 4, 5, 6, 8, 12, 6, 160, 16, 115, 28, 90, 3, 8, 1),
    30: (1, 2, 5, 6, 5, 8, 10, 4, 175, 20, 95, 30, 90, 8, 26, 6),
    40: (1, 2, 6, 8, 5, 8, 10, 4, 175, 20, 95, 28, 84, 10, 36, 9),
    50: (1, 4, 10, 16, 7, 9, 10, 4, 165, 20, 70, 24, 66, 10, 40, 9),
    60: (2, 6, 14, 30, 10, 12, 10, 4, 160, 14, 54, 14, 46, 9, 28, 8),
    72: (4, 10, 22, 50, 12, 12, 10, 3, 130, 9, 36, 8, 30, 8, 18, 6),
}

REGIONS: Groups = {
    "North America": ("Canada", "United States"),
    "Europe": (
        *("United Kingdom", "Italy", "Germany", "Portugal", "Poland", "France", "Ukraine"),
        *("Netherlands", "Romania", "Ireland", "Greece"),
    ),
    "Asia": (
        *("India", "China", "Philippines", "Pakistan", "Iran", "South Korea", "Vietnam"),
        *("Sri Lanka", "Lebanon", "Syria", "Bangladesh", "Afghanistan", "Japan"),
    ),
    "Africa": ("Nigeria", "Morocco", "Algeria", "Egypt", "Ethiopia", "Kenya", "South Africa"),
    "Latin America": (
        *("Jamaica", "Mexico", "Haiti", "Colombia", "Brazil", "Trinidad and Tobago", "Peru"),
        "Chile",
    ),
}

_COUNTRY_WEIGHTS = (
    *(100, 100),
    *(34, 15, 11, 10, 8, 7, 5, 4, 3, 2, 1),
    *(27, 22, 20, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1),
    *(30, 20, 16, 13, 10, 7, 4),
    *(26, 20, 18, 13, 11, 7, 3, 2),
)

# Being born at home is a group of its own: it outweighs every region.
_BIRTHPLACES: Groups = {
    "home": ("Canada",),
    "neighbour": ("United States",),
    **{region: REGIONS[region] for region in ("Europe", "Asia", "Africa", "Latin America")},
}

_COUNTRY_BY_ETHNICITY: Factors = {
    # home, neighbour, Europe, Asia, Africa, Latin America
    "European": (964, 6, 26, 1, 1, 2),
    "Asian": (660, 5, 10, 315, 5, 5),
    "African": (740, 12, 18, 5, 140, 85),
    "Latin American": (570, 30, 25, 3, 2, 370),
    "Indigenous": (985, 12, 1, 1, 0, 1),
}

OCCUPATIONS: Groups = {
    "professional work": (
        *("management", "finance", "engineering", "health care", "teaching", "arts and media"),
    ),
    "sales and services": ("sales", "office work", "security", "hospitality"),
    "manual work": ("construction", "manufacturing", "transport", "farming"),
}

_OCCUPATION_BY_EDUCATION: Factors = {
    # management ... arts and media | sales ... hospitality | construction ... farming
    "primary school": (2, 0, 0, 1, 0, 1, 6, 2, 1, 40, 22, 34, 12, 24),
    "lower secondary school": (3, 1, 1, 2, 1, 1, 9, 4, 2, 30, 24, 30, 16, 12),
    "unfinished high school": (3, 1, 1, 3, 1, 1, 20, 8, 2, 36, 18, 16, 10, 5),
    "finished high school": (6, 2, 1, 3, 1, 1, 14, 26, 3, 14, 26, 20, 9, 3),
    "college": (13, 6, 8, 8, 2, 2, 15, 28, 4, 7, 10, 5, 3, 1),
    "first degree": (36, 16, 22, 8, 16, 4, 13, 6, 1, 1, 1, 1, 1, 1),
    "advanced degree": (22, 10, 24, 20, 44, 4, 4, 2, 1, 1, 1, 1, 0, 1),
}

_OCCUPATION_BY_SEX: Factors = {
    "female": (8, 9, 2, 20, 14, 8, 9, 22, 2, 14, 1, 4, 1, 2),
    "male": (9, 6, 14, 3, 4, 6, 8, 3, 9, 5, 20, 13, 14, 10),
}

WORKCLASSES: Groups = {
    "private sector": ("private company", "non-profit"),
    "self-employment": ("self-employed", "business owner", "unpaid family work"),
    "public sector": ("federal government", "provincial government", "municipal government"),
}

_WORKCLASS_BY_OCCUPATION: Factors = {
    # company, non-profit | self-employed, owner, unpaid | federal, provincial, municipal
    "management": (760, 16, 50, 90, 1, 26, 25, 32),
    "finance": (840, 10, 40, 40, 1, 30, 24, 15),
    "engineering": (850, 6, 36, 20, 1, 46, 29, 12),
    "health care": (560, 150, 40, 20, 1, 16, 170, 43),
    "teaching": (130, 70, 40, 6, 1, 14, 330, 409),
    "arts and media": (520, 80, 300, 40, 6, 14, 20, 20),
    "sales": (820, 8, 80, 80, 6, 2, 2, 2),
    "office work": (800, 24, 10, 8, 4, 44, 50, 60),
    "security": (260, 10, 8, 12, 1, 150, 190, 369),
    "hospitality": (860, 40, 40, 30, 10, 4, 8, 8),
    "construction": (790, 2, 140, 40, 2, 6, 8, 12),
    "manufacturing": (950, 2, 16, 16, 2, 10, 2, 2),
    "transport": (780, 4, 110, 30, 4, 20, 12, 40),
    "farming": (440, 4, 380, 110, 50, 6, 6, 4),
}

_INCOME_BY_AGE: Factors = {
    17: (100, 1),
    20: (30, 1),
    25: (6, 1),
    30: (5, 2),
    40: (3, 2),
    60: (5, 2),
    68: (6, 1),
}

_INCOME_BY_EDUCATION: Factors = {
    "primary school": (9, 1),
    "lower secondary school": (8, 1),
    "unfinished high school": (7, 1),
    "finished high school": (4, 1),
    "college": (5, 2),
    "first degree": (1, 1),
    "advanced degree": (2, 3),
}

_INCOME_BY_OCCUPATION: Factors = {
    "management": (1, 3),
    "finance": (1, 2),
    "engineering": (1, 3),
    "health care": (2, 3),
    "teaching": (1, 1),
    "arts and media": (3, 2),
    "sales": (4, 3),
    "office work": (2, 1),
    "security": (3, 4),
    "hospitality": (6, 1),
    "construction": (1, 1),
    "manufacturing": (4, 3),
    "transport": (4, 3),
    "farming": (5, 1),
}

_DISEASES = (
    *("none", "high blood pressure", "heart disease", "stroke", "diabetes", "cancer", "arthritis"),
    *("back injury", "lung disease", "asthma", "migraine", "depression", "anxiety", "hepatitis"),
)

_DISEASE_BY_AGE: Factors = {
    # none, blood pressure, heart, stroke, diabetes, cancer, arthritis |
    # back, lung, asthma, migraine, depression, anxiety, hepatitis
    17: (60, 1, 0, 0, 2, 1, 0, 2, 0, 14, 8, 6, 10, 1),
    25: (52, 3, 1, 0, 2, 1, 1, 6, 1, 10, 9, 8, 9, 2),
    35: (44, 8, 1, 1, 4, 2, 2, 9, 1, 8, 8, 9, 8, 3),
    45: (34, 16, 3, 1, 8, 4, 5, 10, 2, 6, 6, 8, 6, 3),
    55: (24, 24, 7, 3, 11, 7, 9, 9, 4, 4, 3, 6, 4, 2),
    65: (14, 28, 13, 6, 13, 11, 14, 6, 6, 3, 2, 4, 3, 1),
    75: (8, 26, 18, 10, 12, 13, 18, 4, 8, 2, 1, 4, 2, 1),
}

_DISEASE_BY_SEX: Factors = {
    "female": (5, 5, 3, 4, 4, 5, 7, 4, 4, 6, 9, 7, 7, 3),
    "male": (6, 5, 7, 5, 5, 5, 4, 6, 6, 4, 3, 4, 4, 6),
}

_DISEASE_BY_OCCUPATION: Factors = {
    "management": (3, 4, 4, 3, 3, 3, 2, 1, 1, 2, 4, 4, 5, 1),
    "finance": (3, 3, 3, 3, 3, 3, 2, 2, 1, 2, 5, 4, 5, 1),
    "engineering": (4, 3, 3, 3, 3, 3, 2, 2, 1, 2, 3, 3, 3, 1),
    "health care": (3, 3, 2, 2, 2, 3, 3, 5, 2, 3, 4, 6, 5, 9),
    "teaching": (4, 3, 2, 2, 2, 3, 3, 1, 1, 3, 4, 6, 6, 1),
    "arts and media": (4, 2, 2, 2, 2, 3, 3, 2, 2, 3, 4, 8, 7, 4),
    "sales": (4, 3, 3, 3, 3, 3, 3, 3, 2, 3, 3, 4, 4, 2),
    "office work": (3, 3, 3, 3, 4, 3, 4, 3, 1, 3, 6, 5, 5, 1),
    "security": (4, 4, 4, 3, 3, 3, 3, 5, 2, 2, 2, 5, 4, 4),
    "hospitality": (3, 3, 3, 3, 4, 3, 4, 4, 4, 3, 3, 5, 4, 4),
    "construction": (3, 3, 4, 3, 3, 4, 5, 14, 7, 3, 1, 2, 1, 3),
    "manufacturing": (3, 3, 4, 3, 3, 5, 5, 9, 9, 5, 2, 3, 2, 2),
    "transport": (2, 5, 6, 4, 6, 3, 3, 10, 4, 2, 2, 3, 2, 2),
    "farming": (3, 3, 3, 3, 2, 6, 6, 9, 6, 6, 1, 3, 1, 2),
}

# In the order in which they are drawn: a column depends on earlier ones only.
CENSUS: Mapping[str, CensusColumn] = {
    "sex": CensusColumn(("female", "male"), weights=(44, 56)),
    "age": CensusColumn(tuple(map(str, range(YOUNGEST, OLDEST + 1))), weights=_AGE_WEIGHTS),
    "ethnicity": CensusColumn(
        ("European", "Asian", "African", "Latin American", "Indigenous"),
        weights=(84, 7, 5, 2, 2),
    ),
    "marital_status": CensusColumn(
        _members(MARITAL_STATUSES),
        depends_on={"age": _MARITAL_STATUS_BY_AGE, "sex": _MARITAL_STATUS_BY_SEX},
    ),
    "education": CensusColumn(
        _members(EDUCATION_STAGES),
        depends_on={"age": _EDUCATION_BY_AGE},
        groups=EDUCATION_STAGES,
    ),
    "country": CensusColumn(
        _members(REGIONS),
        weights=_COUNTRY_WEIGHTS,
        depends_on={"ethnicity": _COUNTRY_BY_ETHNICITY},
        groups=_BIRTHPLACES,
    ),
    "occupation": CensusColumn(
        _members(OCCUPATIONS),
        depends_on={"education": _OCCUPATION_BY_EDUCATION, "sex": _OCCUPATION_BY_SEX},
    ),
    "workclass": CensusColumn(
        _members(WORKCLASSES),
        depends_on={"occupation": _WORKCLASS_BY_OCCUPATION},
    ),
    "income": CensusColumn(
        ("below 60k", "60k or more"),
        weights=(1, 2),
        depends_on={
            "age": _INCOME_BY_AGE,
            "education": _INCOME_BY_EDUCATION,
            "occupation": _INCOME_BY_OCCUPATION,
            "sex": {"female": (5, 2), "male": (5, 7)},
        },
    ),
    "disease": CensusColumn(
        _DISEASES,
        depends_on={
            "age": _DISEASE_BY_AGE,
            "sex": _DISEASE_BY_SEX,
            "occupation": _DISEASE_BY_OCCUPATION,
        },
    ),
}
