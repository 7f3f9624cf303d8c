"""The border: the only place, besides the engines, that knows a dataframe library.

Reading and writing CSV files imports none of them.
"""

from incrowd.frame.csv import CsvSource, read_csv
from incrowd.frame.files import fill, open_source, reserve, stage, write_source
from incrowd.frame.frequency import FrequencyTable, count_tuples
from incrowd.frame.pending import PendingFile, PendingFiles, check_target, check_targets, write_text
from incrowd.frame.source import Encoded, Replacement, Source

__all__ = [
    "CsvSource",
    "Encoded",
    "FrequencyTable",
    "PendingFile",
    "PendingFiles",
    "Replacement",
    "Source",
    "check_target",
    "check_targets",
    "count_tuples",
    "fill",
    "open_source",
    "read_csv",
    "reserve",
    "stage",
    "write_source",
    "write_text",
]
