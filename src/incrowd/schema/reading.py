"""Policies from TOML files and from plain mappings."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from incrowd.errors import IncrowdError, PolicyError
from incrowd.hierarchies import HierarchySpec, spec_from_policy
from incrowd.requirements import REQUIREMENTS, Requirement
from incrowd.schema import checks
from incrowd.schema.column import Column
from incrowd.schema.options import AlgorithmChoice, InputOptions, ReleaseOptions
from incrowd.schema.policy import Policy
from incrowd.schema.roles import ROLES

POLICY_KEYS = ("other_columns", "columns", "requirements", "algorithm", "input", "release")
COLUMN_KEYS = ("role", "hierarchy", "weight", "unknown", "domain", "levels")
INPUT_KEYS = tuple(each.name for each in fields(InputOptions))
RELEASE_KEYS = tuple(each.name for each in fields(ReleaseOptions))


def load_policy(path: str | Path) -> Policy:
    """Read a policy file (TOML); paths in it are relative to the file."""
    path = Path(path)
    try:
        return policy_from_mapping(_parsed(_text(path)), folder=path.parent)
    except IncrowdError as error:
        raise checks.located(error, path.name or str(path)) from None


def policy_from_mapping(mapping: Mapping[str, Any], *, folder: str | Path = ".") -> Policy:
    """Build a policy from the mapping that a policy file holds.

    Parameters
    ----------
    mapping
        The keys of a policy file.
    folder
        What the paths of hierarchy files are relative to.
    """
    given = checks.table(mapping, "the policy", POLICY_KEYS)
    options = InputOptions(**checks.table(given.get("input", {}), "input", INPUT_KEYS))
    release = checks.table(given.get("release", {}), "release", RELEASE_KEYS)
    return Policy(
        columns=_columns(given.get("columns", {}), Path(folder), options.hierarchy_separator),
        requirements=_requirements(given.get("requirements", [])),
        other_columns=given.get("other_columns", "refuse"),
        algorithm=_algorithm(given.get("algorithm", {})),
        input=options,
        release=ReleaseOptions(**release),
    )


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PolicyError(
            "the policy file is not UTF-8.", hint="save it as UTF-8 text, which TOML requires."
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise PolicyError(
            f"the policy file cannot be read: {reason}.",
            hint="give the path of a policy file in TOML.",
        ) from None


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise PolicyError(
            "the policy file is nested too deeply.", hint="a policy needs about four levels."
        ) from None
    except ValueError as error:
        # The parser quotes keys and single characters, never values; its other errors are of int().
        known = isinstance(error, tomllib.TOMLDecodeError)
        reason = str(error) if known else "a number that is too long"
        place = re.search(r"line \d+", reason)
        raise PolicyError(
            f"the policy file is not valid TOML: {reason}.",
            hint=f"mend {place[0] if place else 'the file'}; texts stand in quotes, lists in "
            "[brackets], and every table is opened once.",
        ) from None


def _columns(value: object, folder: Path, separator: str) -> tuple[Column, ...]:
    return tuple(
        _column(name, entry, folder, separator)
        for name, entry in checks.table(value, "columns").items()
    )


def _column(name: str, value: object, folder: Path, separator: str) -> Column:
    given = checks.table(value, f"column {name!r}", COLUMN_KEYS)
    if "role" not in given:
        raise PolicyError(
            f"column {name!r} has no role.",
            hint=f"give it one: role is one of {checks.listed(ROLES)}.",
        )
    hierarchy: HierarchySpec | None = None
    if "hierarchy" in given:
        try:
            hierarchy = spec_from_policy(given["hierarchy"], folder=folder, separator=separator)
        except IncrowdError as error:
            raise checks.located(error, f"column {name!r}") from None
    return Column(name, **{**given, "hierarchy": hierarchy})


def _requirements(value: object) -> tuple[Requirement, ...]:
    if not isinstance(value, list | tuple):
        raise PolicyError(
            "requirements must be a list of tables.",
            hint="open each requirement with [[requirements]], in double brackets.",
        )
    return tuple(_requirement(number, entry) for number, entry in enumerate(value, start=1))


def _requirement(number: int, value: object) -> Requirement:
    where = f"requirement {number}"
    REQUIREMENTS.load(value if isinstance(value, Mapping) else ())
    beside = _keys_beside(value)
    given = checks.table(value, where, _known_keys(value, ("on", *beside)))
    on = given.pop("on", None)
    further = {name: given.pop(name) for name in beside if name in given}
    if on is not None:
        hint = 'name quasi-identifiers, for example on = ["age", "sex"].'
        on = checks.texts(on, f"on of {where}", hint)
    if len(given) != 1:
        raise PolicyError(
            f"{where} names {'several requirements' if given else 'no requirement'}.",
            hint="open each requirement with a [[requirements]] of its own; known are "
            f"{checks.listed(REQUIREMENTS)}.",
        )
    [(key, parameter)] = given.items()
    try:
        with REQUIREMENTS.blaming(key, REQUIREMENTS[key]):
            built: Requirement = REQUIREMENTS[key].from_policy(parameter, on, **further)
    except IncrowdError as error:
        raise checks.located(error, where) from None
    return built


def _keys_beside(value: object) -> tuple[str, ...]:
    """Return the keys that the requirement of an entry has beside its own."""
    names = value if isinstance(value, Mapping) else ()
    found = (getattr(REQUIREMENTS[name], "beside", ()) for name in names if name in REQUIREMENTS)
    return tuple(key for each in found for key in each)


def _known_keys(value: object, others: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys that an entry may have; all requirements are imported only to tell them."""
    given = tuple(value) if isinstance(value, Mapping) else ("",)
    if all(key in others or (isinstance(key, str) and key in REQUIREMENTS) for key in given):
        return given
    return (*REQUIREMENTS, *others)


def _algorithm(value: object) -> AlgorithmChoice:
    given = checks.table(value, "algorithm")
    name = given.pop("name", "auto")
    return AlgorithmChoice(name, given)
