"""From a table to a verified release, in one way.

`problem` states what is asked of a table, `run` counts, searches and applies, `publish` writes and
recounts files; `measure` looks at a release from outside.  Below them stand the reader of released
tables and the results.
"""

from typing import TYPE_CHECKING

from incrowd.lazily import looked_up_in
from incrowd.release.choosing import (
    algorithm_of as algorithm_of,
    with_runtime_options as with_runtime_options,
)
from incrowd.release.problem import policy_of as policy_of
from incrowd.release.publish import anonymize_file as anonymize_file, apply_file as apply_file
from incrowd.release.result import Preview as Preview, Release as Release
from incrowd.release.run import (
    anonymize as anonymize,
    apply_recoding as apply_recoding,
    preview as preview,
)

if TYPE_CHECKING:
    from incrowd.release.explaining import explain_recoding as explain_recoding
    from incrowd.release.measure import measure_release as measure_release

__getattr__ = looked_up_in(__name__)
