"""Hostile tables at random, and a recount of what is released: plain Python, row by row."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import incrowd as ic
from incrowd.errors import IncrowdError
from incrowd.hierarchies import hierarchy_from_rows
from release_checks import ALGORITHMS, LABELS, allowed, built, check_cells, suppressed_rows, text_of

# Texts that mean something elsewhere: labels, numbers in many spellings, CSV, JSON, other scripts.
TEXTS = ["a", "A", " a", "", " ", "*", "?", "nan", "None", "null", "7", "07", "7.0", "+7", "-3",
         "1e3", "1e999", "0x1", "[5, 10)", "{7, 8}", ">= 5", "7-9", "a,b", 'say "x"', "x\ny",
         "=1+1", "\u00e9", "e\u0301", "北京", "\U0001f600", "\x00", "\ud7ff", "0" * 40 + "1",
         "9" * 30]  # fmt: skip
NUMBERS = [-1000, -3, 0, 7, 8, 9, 10, 12, 39, 120, 2**53 + 1, 2**62]
FLOATS = [-0.0, 0.0, 0.1, 7.0, 7.5, 1e-300, 1e300, 39.0]
TREE = hierarchy_from_rows(
    [("a", "first", "*"), ("A", "first", "*"), ("7", "second", "*"), ("*", "third", "*")]
)
HIERARCHIES = {
    "auto": None,
    "intervals": ic.intervals(5, 10),
    "masking": ic.masking(),
    "suppression": ic.suppression(),
    "tree": TREE,
}


@dataclass(frozen=True)
class Case:
    """A table and what is asked of it; printed, it is Python."""

    algorithm: str
    columns: dict[str, list]
    hierarchies: dict[str, str]
    requirements: list[tuple[int, tuple[str, ...]]]
    limit: float = 0.0
    options: dict[str, str] = field(default_factory=dict)

    @property
    def frame(self) -> pd.DataFrame:
        """The table, with a sensitive column, a target, and a column that numbers the rows."""
        n = len(next(iter(self.columns.values())))
        frame = pd.DataFrame(
            {name: pd.Series(cells, dtype=object) for name, cells in self.columns.items()}
        )
        frame["ill"] = [("flu", "cold", None)[at % 3] for at in range(n)]
        frame["income"] = ["much" if at % 4 else "little" for at in range(n)]
        return frame.assign(row=np.arange(n))


CELLS = {
    "intervals": st.sampled_from([None, *NUMBERS, *FLOATS]),
    "tree": st.sampled_from([None, "a", "A", "7", "*", "unheard of"]),
}
ANY_CELLS = [
    st.sampled_from([None, *TEXTS]),
    st.sampled_from([None, *NUMBERS, *FLOATS]),
    st.sampled_from([None, *TEXTS, *NUMBERS, *FLOATS]),
    st.text(max_size=3),
]


@st.composite
def cases(draw, algorithms=tuple(ALGORITHMS), max_rows=14):
    """A case: few rows, often alike, in one to four columns."""
    kinds = draw(st.lists(st.sampled_from(sorted(HIERARCHIES)), min_size=1, max_size=4))
    n, times = draw(st.integers(1, max_rows)), draw(st.integers(1, 3))
    columns = {}
    for at, kind in enumerate(kinds):
        cells = CELLS[kind] if kind in CELLS else draw(st.sampled_from(ANY_CELLS))
        few = draw(st.lists(cells, min_size=1, max_size=6))
        of_row = st.lists(st.sampled_from(few), min_size=n, max_size=n)
        columns[f"q{at}"] = draw(of_row) * times
    names = tuple(columns)
    requirements = [(draw(st.integers(1, n * times)), names)]
    if draw(st.booleans()):
        on = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
        requirements.append((draw(st.integers(1, n * times)), tuple(on)))
        requirements = requirements[draw(st.integers(0, 1)) :]
    return Case(
        algorithm=draw(st.sampled_from(algorithms)),
        columns=columns,
        hierarchies=dict(zip(names, kinds, strict=True)),
        requirements=requirements,
        limit=draw(st.sampled_from([0.0, 0.05, 0.4, 1.0])),
        options={
            "labels": draw(st.sampled_from(LABELS)),
            "suppressed": draw(st.sampled_from(["mask", "drop"])),
            "order": draw(st.sampled_from(["keep", "shuffle"])),
        },
    )


def released(case):
    return ic.anonymize(
        case.frame,
        quasi_identifiers={name: HIERARCHIES[kind] for name, kind in case.hierarchies.items()},
        unknown={name: "suppress" for name, kind in case.hierarchies.items() if kind == "tree"},
        sensitive=["ill"],
        insensitive=["row"],
        target="income",
        requirements=[ic.KAnonymity(k, on=on) for k, on in case.requirements],
        algorithm=built(case.algorithm, case.limit),
        **case.options,
    )


def check(case):
    """Release a table and count again; refusing it, in our own words, is an answer too."""
    original = case.frame
    try:
        release = released(case)
    except IncrowdError as error:
        refused(case, error)
        return
    table = release.table
    recount(case, table)
    assert list(table.columns) == list(original.columns)
    assert 0 < len(table) == len(original) - release.facts["dropped"]
    assert release.facts["suppressed"] <= allowed(case.algorithm, case.limit, len(original))
    carried = original.set_index("row").loc[table["row"]]
    assert list(map(text_of, carried["ill"])) == list(map(text_of, table["ill"]))
    if not any("" in cells for cells in case.columns.values()):  # missing, but shown as it was
        asked = [ic.KAnonymity(k, on=on) for k, on in case.requirements]
        check_cells(original, release, suppressed_rows(original, release, asked))


def recount(case, table):
    """Count how many rows share each combination of cells, as a reader of the table would."""
    for k, on in case.requirements:
        rows = [tuple(map(text_of, row)) for row in table[list(on)].itertuples(index=False)]
        smallest = min(Counter(rows).values())
        assert smallest >= k, f"{k} asked on {', '.join(on)}, and a class has {smallest} rows"


def refused(case, error):
    """No cell of the table stands in a message."""
    told = f"{error} {getattr(error, 'hint', '')}"
    for cells in case.columns.values():
        for cell in cells:
            text = text_of(cell)
            assert text is None or len(text) < 6 or text not in told, "a cell is quoted"
