"""Algorithms to be compared, as people write them: ``flash(suppression_limit=0.02)``."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from incrowd.algorithms import Algorithm, algorithm_called, build_algorithm, parameters_of
from incrowd.errors import ParameterError
from incrowd.schema import Policy
from incrowd.schema.options import LIMIT

_SPELLED = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", flags=re.DOTALL)
_HINT = "write names with commas between them: flash,mondrian,iack(leftover=generalise)."


@dataclass(frozen=True, eq=False)
class Contender:
    """An algorithm, and what it is called in a comparison.

    Parameters
    ----------
    algorithm
        The algorithm, with all its parameters.
    """

    algorithm: Algorithm

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters, defaults included, as JSON keeps them."""
        return {
            each.name: _plain(getattr(self.algorithm, each.name))
            for each in fields(self.algorithm)  # type: ignore[arg-type]
            if each.init
        }

    @property
    def label(self) -> str:
        """The name, with the parameters that differ from their defaults."""
        usual = {key: _plain(value) for key, value in parameters_of(type(self.algorithm)).items()}
        changed = [
            f"{key}={_shown(value)}"
            for key, value in self.parameters.items()
            if value != usual[key]
        ]
        return f"{self.algorithm.name}({', '.join(changed)})" if changed else self.algorithm.name

    def to_dict(self) -> dict[str, Any]:
        """Return what builds it again."""
        return {"name": self.algorithm.name, "parameters": self.parameters}


def contenders(
    given: Iterable[Algorithm | str] | Algorithm | str, policy: Policy, seed: int | None = None
) -> tuple[Contender, ...]:
    """Return the algorithms that are to be compared.

    Parameters
    ----------
    given
        Algorithms, or texts that name them; one text may name several.
    policy
        A bare name that is the policy's algorithm has the policy's parameters.  Its suppression
        limit is everybody's who is given none.
    seed
        For those that draw at random and are given without a seed of their own.
    """
    listed: Any = [given] if isinstance(given, str) or hasattr(given, "solve") else given
    found: list[Contender] = []
    for each in listed:
        if isinstance(each, str):
            found += [_named(text, policy, seed) for text in split(each)]
        elif isinstance(each, type) or not hasattr(each, "solve"):
            raise ParameterError("what is to be compared is no algorithm.", hint=_HINT)
        else:
            found.append(Contender(each))
    if not found:
        raise ParameterError("no algorithm is given to be compared.", hint=_HINT)
    by_label = {each.label: each for each in found}
    return tuple(by_label.values())


def split(text: str) -> list[str]:
    """Split at the commas outside parentheses.

    >>> split("flash(suppression_limit=0.1, objective=loss), mondrian")
    ['flash(suppression_limit=0.1, objective=loss)', 'mondrian']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _named(text: str, policy: Policy, seed: int | None) -> Contender:
    found = _SPELLED.fullmatch(text)
    if found is None:
        raise ParameterError(f"{text!r} is no algorithm with parameters.", hint=_HINT)
    name, inside = found.groups()
    if inside is not None:
        parameters = dict(_parameter(part) for part in split(inside))
    elif policy.algorithm.name == name:
        parameters = dict(policy.algorithm.parameters)
    else:
        parameters = {}
    known = parameters_of(algorithm_called(name))
    if seed is not None and "seed" in known:
        parameters.setdefault("seed", seed)
    if LIMIT not in known:
        parameters.pop(LIMIT, None)  # it binds the release all the same
    elif LIMIT in policy.algorithm.parameters:
        parameters.setdefault(LIMIT, policy.algorithm.parameters[LIMIT])
    return Contender(build_algorithm(name, parameters))


def _parameter(text: str) -> tuple[str, Any]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not name.isidentifier() or not value:
        raise ParameterError(f"{text!r} gives no parameter a value.", hint=_HINT)
    if re.fullmatch(r"[A-Za-z_][\w-]*", value) and value not in ("true", "false", "inf", "nan"):
        return name, value  # a word needs no quotes
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        raise ParameterError(
            f"the value of {name!r} is neither a number, a word, true, false nor a list.",
            hint=_HINT,
        ) from None


def _plain(value: Any) -> Any:
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else value


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
