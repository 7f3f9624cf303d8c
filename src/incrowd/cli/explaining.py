"""``incrowd explain``."""

from typing import Annotated

from incrowd.cli import options as flags
from incrowd.cli.declared import Argument, Option

RecodingFlag = Annotated[
    str, Option("--recoding", help="What `anonymize --recoding` saved.", metavar="FILE")
]


def explain(
    data: Annotated[str, Argument(metavar="INPUT", help=flags.TABLE)],
    recoding: RecodingFlag,
    table: flags.TableFlag = None,
    query: flags.QueryFlag = None,
    sheet: flags.SheetFlag = None,
    json_to: flags.JsonFlag = None,
    engine: flags.EngineFlag = "auto",
    memory: flags.MemoryFlag = None,
    temporary: flags.TemporaryFlag = None,
) -> None:
    """Tell what if: each column one level finer or coarser, and what it costs and tells.

    Looks at the table that the recoding was found on; nothing is released.
    """
    from incrowd.release import explain_recoding

    with flags.table_from(data, temporary, table=table, query=query, sheet=sheet) as path:
        space = flags.space_of(data, memory, temporary)
        found = explain_recoding(recoding, path, engine=engine, space=space)
    if json_to != "-":
        print("\n".join(found.lines()))
    flags.write_json(found.to_json(), json_to)
