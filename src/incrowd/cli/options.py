"""What the commands have in common: flags, policies from them, and where results go."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd.errors import PolicyError

PolicyFlag = Annotated[
    Path | None, typer.Option("--policy", "-p", help="The policy file (TOML).", metavar="FILE")
]
JsonFlag = Annotated[
    str | None,
    typer.Option("--json", help="Write the result as JSON to a file, or to stdout with -.",
                 metavar="FILE"),
]  # fmt: skip
QuietFlag = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
QiFlag = Annotated[
    str | None, typer.Option("--qi", help="Quasi-identifiers: age,sex,zip.", metavar="NAMES")
]
SensitiveFlag = Annotated[
    str | None, typer.Option("--sensitive", help="Sensitive columns.", metavar="NAMES")
]
IdentifierFlag = Annotated[
    str | None, typer.Option("--identifiers", help="Columns to leave out.", metavar="NAMES")
]
TargetFlag = Annotated[
    str | None, typer.Option("--target", help="The column to be predicted.", metavar="NAME")
]
EntityFlag = Annotated[
    str | None,
    typer.Option("--entity", help="The column that tells persons apart.", metavar="NAME"),
]
FormulasFlag = Annotated[
    str | None,
    typer.Option("--formulas", help="Cells that spreadsheets would run: keep, escape or refuse."),
]
KFlag = Annotated[int | None, typer.Option("--k", "-k", help="Smallest class allowed.")]
LDiversityFlag = Annotated[
    list[str] | None,
    typer.Option("--l-diversity", help="Values in each class: 3:occupation, 3:occupation:entropy.",
                 metavar="L:COLUMN[:VARIANT]"),
]  # fmt: skip
TClosenessFlag = Annotated[
    list[str] | None,
    typer.Option("--t-closeness", help="Distance from the table: 0.2:occupation, 0.2:age:ordered.",
                 metavar="T:COLUMN[:DISTANCE]"),
]  # fmt: skip
EngineFlag = Annotated[
    str, typer.Option("--engine", help="Where the rows are counted: auto or memory.")
]
OtherFlag = Annotated[
    str | None,
    typer.Option("--other-columns", help="Columns without a role: refuse, drop or keep."),
]


def names(flag: str | None) -> list[str]:
    """Split a list of names given as a flag."""
    return [] if flag is None else [name.strip() for name in flag.split(",") if name.strip()]


def policy_from(
    path: Path | None,
    *,
    qi: str | None = None,
    sensitive: str | None = None,
    identifiers: str | None = None,
    target: str | None = None,
    l_diversity: list[str] | None = None,
    t_closeness: list[str] | None = None,
    release: bool = True,
    **others: Any,
) -> Any:
    """Return the policy of a file, of flags, or of flags on top of a file.

    Where nothing will be released the target may be a column that the file calls sensitive.
    `others` are passed on to `policy_from_flags`.
    """
    from incrowd.schema import aimed_at, load_policy, policy_from_flags

    if path is None and not names(qi):
        raise PolicyError(
            "neither a policy nor quasi-identifiers are given.",
            hint="give --policy FILE, or --qi age,sex,zip --k 5; `incrowd inspect INPUT` writes a "
            "policy to start from.",
        )
    policy = None if path is None else load_policy(path)
    if policy is not None and not release:
        policy = aimed_at(policy, target)
    return policy_from_flags(
        policy,
        quasi_identifiers=names(qi),
        sensitive=names(sensitive),
        identifiers=names(identifiers),
        target=target,
        l_diversity=l_diversity or [],
        t_closeness=t_closeness or [],
        **others,
    )


def write_json(result: Any, json_to: str | None) -> None:
    """Write a result where ``--json`` says."""
    from incrowd.texts import json_text

    if json_to is None:
        return
    if json_to == "-":
        print(json_text(result), end="")
    else:
        from incrowd.frame import write_text

        write_text(json_to, json_text(result))


def say(text: str, *, quiet: bool = False) -> None:
    """Print words for people, to standard error."""
    if not quiet:
        with suppress(OSError):  # a full disk behind stderr must not look like a failed recount
            print(text, file=sys.stderr)
