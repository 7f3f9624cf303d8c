"""What a comparison is about: everything that is needed to run it again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from incrowd.algorithms import build_algorithm
from incrowd.compare.contenders import Contender
from incrowd.compare.utility import Protocol
from incrowd.errors import IncrowdError, InputError, ParameterError
from incrowd.metrics import find_metric
from incrowd.metrics.utility.classification import (
    Encoding,
    Examination,
)
from incrowd.requirements import whole_number
from incrowd.schema import Policy, policy_from_mapping

PLAIN_METRICS = ("loss", "precision")


@dataclass(frozen=True, kw_only=True, eq=False)
class Settings:
    """Algorithms, k, measures and classifiers of a comparison.

    Parameters
    ----------
    policy
        Roles, hierarchies and requirements.
    contenders
        The algorithms.
    ks
        What takes the place of the policy's k, one after the other; empty leaves it as it is.
    metrics
        Measures of each release, by name.
    examination
        Which classifiers are examined, and how; None if none are.
    protocol, features
        As in `classification_utility`.
    seed
        Of folds, and of algorithms that draw at random.
    """

    policy: Policy
    contenders: tuple[Contender, ...]
    ks: tuple[int, ...] = ()
    metrics: tuple[str, ...] = PLAIN_METRICS
    examination: Examination | None = None
    protocol: Protocol = "refit"
    features: tuple[str, ...] | None = None
    seed: int = 0

    def policies(self) -> dict[int, Policy]:
        """Return the policies to be met, by k."""
        if not self.ks:
            return {min(each.minimum_size for each in self.policy.requirements): self.policy}
        return {k: self.policy.with_k(k, each=True) for k in self.ks}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that `settings_from` reads; hierarchy files are named by their path."""
        examined = self.examination
        return {
            "policy": self.policy.to_mapping(),
            "algorithms": [each.to_dict() for each in self.contenders],
            "k": list(self.ks),
            "metrics": list(self.metrics),
            "classifiers": [] if examined is None else list(examined.classifiers),
            "folds": None if examined is None else examined.folds,
            "protocol": self.protocol,
            "encoding": None if examined is None else examined.encoding.to_dict(),
            "sample": None if examined is None else examined.sample,
            "features": None if self.features is None else list(self.features),
            "seed": self.seed,
        }


def settings_from(mapping: Mapping[str, Any]) -> Settings:
    """Read what `Settings.to_dict` wrote."""
    try:
        if not mapping["algorithms"]:
            raise ValueError("nothing to compare")
        examination = None
        if mapping["classifiers"]:
            examination = Examination(
                classifiers=mapping["classifiers"],
                folds=mapping["folds"],
                encoding=Encoding(**mapping["encoding"]),
                seed=mapping["seed"],
                sample=mapping["sample"],
            )
        return Settings(
            policy=policy_from_mapping(mapping["policy"]),
            contenders=tuple(
                Contender(build_algorithm(each["name"], dict(each["parameters"])))
                for each in mapping["algorithms"]
            ),
            ks=check_ks(mapping["k"]),
            metrics=check_metrics(mapping["metrics"]),
            examination=examination,
            protocol=mapping["protocol"],
            features=None if mapping["features"] is None else tuple(mapping["features"]),
            seed=mapping["seed"],
        )
    except IncrowdError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(
            "the comparison does not say how it was made.",
            hint="give the unchanged JSON that `incrowd compare --json` wrote.",
        ) from None


def check_ks(given: int | Iterable[int] | None) -> tuple[int, ...]:
    """Return the k that are compared, each once, in ascending order."""
    listed = () if given is None else tuple(given) if isinstance(given, Iterable) else (given,)
    return tuple(sorted({whole_number(each, "each k", at_least=1) for each in listed}))


def check_metrics(given: Sequence[str]) -> tuple[str, ...]:
    """Return the names if each is a metric; raise otherwise."""
    if isinstance(given, str):
        raise ParameterError("metrics are given as a list of names.", hint='["loss", "ncp"].')
    return tuple(dict.fromkeys(find_metric(name).name for name in given))
