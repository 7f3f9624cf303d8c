"""From a table to a verified release, in one way.

`problem` states what is asked of a table, `run` counts, searches and applies, `publish` writes and
recounts files; `measure` looks at a release from outside.  Below them stand the reader of released
tables and the results.
"""

from incrowd.release.measure import measure_release
from incrowd.release.problem import policy_of
from incrowd.release.publish import anonymize_file, apply_file
from incrowd.release.result import Preview, Release
from incrowd.release.run import (
    algorithm_of,
    anonymize,
    apply_recoding,
    preview,
    with_runtime_options,
)

__all__ = [
    "Preview",
    "Release",
    "algorithm_of",
    "anonymize",
    "anonymize_file",
    "apply_file",
    "apply_recoding",
    "measure_release",
    "policy_of",
    "preview",
    "with_runtime_options",
]
