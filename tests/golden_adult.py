"""The 45,222 complete rows of Adult, with hierarchies of the heights that the IAC paper states."""

import incrowd as ic
from adult_data import adult_rows
from incrowd.hierarchies import hierarchy_from_rows

ADULT_COLUMNS = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex",
                 "native-country")  # fmt: skip


def read_adult():
    """Return the rows without unknown values, all cells text."""
    return adult_rows()[[*ADULT_COLUMNS, "income"]]


def paper_like_hierarchies():
    """Return trees with 7, 5, 5, 4, 3, 3, 2 and 4 levels."""
    return {
        "age": ic.intervals(5, 10, 20, 40, 80),
        "workclass": _tree(WORK),
        "education": _tree(EDUCATION),
        "marital-status": _tree(MARITAL),
        "occupation": _tree(OCCUPATION),
        "race": _tree(RACE),
        "sex": ic.suppression(),
        "native-country": _tree(COUNTRY),
    }


def _tree(parts):
    """Build a hierarchy of even height from nested groups of leaves."""
    rows, pending = [], [(("*",), parts)]
    while pending:
        path, part = pending.pop(0)
        if isinstance(part, dict):
            pending += [((label, *path), inside) for label, inside in part.items()]
        else:
            rows += [(leaf, *path) for leaf in part]
    return hierarchy_from_rows(rows)


WORK = {
    "paid": {
        "government": {"federal": ["Federal-gov"], "other": ["State-gov", "Local-gov"]},
        "no government": {
            "private": ["Private"],
            "self-employed": ["Self-emp-inc", "Self-emp-not-inc"],
        },
    },
    "unpaid": {"without": {"no pay": ["Without-pay"]}},
}
EDUCATION = {
    "no post-secondary": {
        "elementary": {"1 to 4": ["Preschool", "1st-4th"], "5 to 8": ["5th-6th", "7th-8th"]},
        "secondary": {"junior": ["9th", "10th"], "senior": ["11th", "12th", "HS-grad"]},
    },
    "post-secondary": {
        "no degree": {
            "college": ["Some-college"],
            "associate": ["Assoc-voc", "Assoc-acdm"],
            "professional": ["Prof-school"],
        },
        "degree": {"first": ["Bachelors"], "graduate": ["Masters", "Doctorate"]},
    },
}
MARITAL = {
    "married": {
        "together": ["Married-civ-spouse", "Married-AF-spouse"],
        "apart": ["Married-spouse-absent"],
    },
    "unmarried": {"before": ["Divorced", "Separated", "Widowed"], "never": ["Never-married"]},
}
OCCUPATION = {
    "office": ["Exec-managerial", "Prof-specialty", "Sales", "Adm-clerical", "Tech-support"],
    "manual": ["Craft-repair", "Machine-op-inspct", "Handlers-cleaners", "Transport-moving",
               "Priv-house-serv", "Farming-fishing"],
    "other": ["Other-service", "Protective-serv", "Armed-Forces"],
}  # fmt: skip
RACE = {
    "white": ["White"],
    "other": ["Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"],
}
COUNTRY = {
    "Latin America": {
        "north": ["Cuba", "Dominican-Republic", "El-Salvador", "Guatemala", "Haiti", "Honduras",
                  "Jamaica", "Mexico", "Nicaragua", "Puerto-Rico", "Trinadad&Tobago"],
        "south": ["Columbia", "Ecuador", "Peru"],
    },
    "other": {
        "North America": ["United-States", "Canada", "Outlying-US(Guam-USVI-etc)"],
        "Europe": ["England", "France", "Germany", "Greece", "Holand-Netherlands", "Hungary",
                   "Ireland", "Italy", "Poland", "Portugal", "Scotland", "Yugoslavia"],
        "Asia": ["Cambodia", "China", "Hong", "India", "Iran", "Japan", "Laos", "Philippines",
                 "South", "Taiwan", "Thailand", "Vietnam"],
    },
}  # fmt: skip
