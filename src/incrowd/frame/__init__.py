"""The border: the only place, besides the engines, that knows a dataframe library.

Reading and writing CSV files imports none of them.
"""

from incrowd.frame.csv import CsvSource, read_csv
from incrowd.frame.files import fill, is_csv, open_source, reserve, stage, write_source
from incrowd.frame.formulas import Formulas, find_formulas, refuse_formulas
from incrowd.frame.pending import (
    PendingFile,
    PendingFiles,
    check_target,
    check_targets,
    reserve_text,
    write_text,
)
from incrowd.frame.source import Encoded, Replacement, Source

__all__ = [
    "CsvSource",
    "Encoded",
    "Formulas",
    "PendingFile",
    "PendingFiles",
    "Replacement",
    "Source",
    "check_target",
    "check_targets",
    "fill",
    "find_formulas",
    "is_csv",
    "open_source",
    "read_csv",
    "refuse_formulas",
    "reserve",
    "reserve_text",
    "stage",
    "write_source",
    "write_text",
]
