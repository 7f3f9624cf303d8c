"""Tables written to files in one go, as only tests do."""

from collections.abc import Sequence

from incrowd.frame import Source, stage
from incrowd.frame.pending import AnyPath


def write_source(source: Source, path: AnyPath, *, inputs: Sequence[AnyPath] = ()) -> None:
    """Write a table at once: `stage`, then publish."""
    with stage(source, path, inputs=inputs) as pending:
        pending.publish()
