"""From a table to a verified release, in one way.

`problem` states what is asked of a table, `run` counts, searches and applies, `publish` writes and
recounts files; `measure` looks at a release from outside.  Below them stand the reader of released
tables and the results.
"""

from incrowd.release.measure import measure_release
from incrowd.release.problem import (
    Run,
    Stopwatch,
    check_table,
    code_new_rows,
    open_table,
    policy_of,
    state_problem,
)
from incrowd.release.publish import anonymize_file, apply_file
from incrowd.release.result import Draft, Found, Preview, Release
from incrowd.release.run import (
    algorithm_of,
    anonymize,
    apply_recoding,
    carries_of,
    draft_release,
    preview,
    refuse_empty,
    refuse_oversized,
    search,
    with_runtime_options,
)

__all__ = [
    "Draft",
    "Found",
    "Preview",
    "Release",
    "Run",
    "Stopwatch",
    "algorithm_of",
    "anonymize",
    "anonymize_file",
    "apply_file",
    "apply_recoding",
    "carries_of",
    "check_table",
    "code_new_rows",
    "draft_release",
    "measure_release",
    "open_table",
    "policy_of",
    "preview",
    "refuse_empty",
    "refuse_oversized",
    "search",
    "state_problem",
    "with_runtime_options",
]
