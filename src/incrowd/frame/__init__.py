"""The border: the only place, besides the engines, that knows a dataframe library.

Reading and writing CSV files imports none of them.
"""

from incrowd.frame.csv import CsvSource as CsvSource, read_csv as read_csv
from incrowd.frame.files import (
    fill as fill,
    is_csv as is_csv,
    open_source as open_source,
    reserve as reserve,
    stage as stage,
)
from incrowd.frame.formulas import (
    Formulas as Formulas,
    FoundFormulas as FoundFormulas,
    find_formulas as find_formulas,
    refuse_formulas as refuse_formulas,
)
from incrowd.frame.pending import (
    PendingFile as PendingFile,
    PendingFiles as PendingFiles,
    check_target as check_target,
    check_targets as check_targets,
    reserve_text as reserve_text,
    write_text as write_text,
)
from incrowd.frame.pending_folder import (
    PendingFolder as PendingFolder,
    reserve_folder as reserve_folder,
)
from incrowd.frame.source import Encoded as Encoded, Replacement as Replacement, Source as Source
