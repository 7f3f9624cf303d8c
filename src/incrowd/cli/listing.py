"""``incrowd algorithms``, ``incrowd metrics`` and ``incrowd requirements``: what there is."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, get_args

from incrowd.cli.declared import Argument
from incrowd.cli.options import JsonFlag, write_json

NameArgument = Annotated[str | None, Argument(metavar="[NAME]", help="Tell all about one of them.")]


def algorithms(name: NameArgument = None, json_to: JsonFlag = None) -> None:
    """List the algorithms, their families and parameters."""
    from incrowd.algorithms import algorithm_called, list_algorithms

    if name is not None:
        cls = algorithm_called(name)
        _show(_algorithm(name, cls), cls, json_to)
        return
    found = sorted(list_algorithms().items(), key=lambda each: _place(*each))
    _list([_algorithm(*each) for each in found], ("name", "family"), _about_algorithm, json_to)


def metrics(name: NameArgument = None, json_to: JsonFlag = None) -> None:
    """List the metrics: what each measures, and which direction is good."""
    from incrowd.metrics import find_metric, list_metrics

    if name is not None:
        metric = find_metric(name)
        _show(_metric(metric), metric.function, json_to)
        return
    _list(list(map(_metric, list_metrics().values())), ("name", "better"), _about_metric, json_to)


def requirements(name: NameArgument = None, json_to: JsonFlag = None) -> None:
    """List the requirements that a policy can ask for."""
    from incrowd.requirements import list_requirements, requirement_called

    if name is not None:
        cls = requirement_called(name)
        _show(_requirement(name, cls), cls, json_to)
        return
    found = [_requirement(*each) for each in list_requirements().items()]
    _list(found, ("name",), _about_requirement, json_to)


def _algorithm(name: str, cls: Any) -> dict[str, Any]:
    from incrowd.algorithms import parameters_of, said_by

    carries = said_by(cls, "carries")
    return {
        "name": name,
        "family": cls.family,
        "about": _first_line(cls),
        "looks_at": list(carries) if isinstance(carries, tuple) else [],
        "honours": said_by(cls, "honours"),
        "purposes": list(said_by(cls, "purposes")),
        "parameters": parameters_of(cls),
    }


def _about_algorithm(entry: dict[str, Any]) -> list[str]:
    told = []
    if entry["looks_at"]:
        told.append(f"looks at columns with the role: {', '.join(entry['looks_at'])}")
    told.append(f"meets requirements on sensitive values {entry['honours']}")
    if entry["purposes"]:
        told.append(f"tried by auto for: {', '.join(entry['purposes'])}")
    if entry["parameters"]:
        pairs = (f"{key}={value!r}" for key, value in entry["parameters"].items())
        told.append(", ".join(pairs))
    return told


def _place(name: str, cls: Any) -> tuple[int, str, str]:
    """Return where an algorithm is listed: by family, those of families we do not have last."""
    from incrowd.algorithms.base import Family

    families = get_args(Family)
    known = cls.family in families
    return (families.index(cls.family) if known else len(families), cls.family, name)


def _metric(metric: Any) -> dict[str, Any]:
    return {
        "name": metric.name,
        "better": metric.better,
        "about": metric.description,
        "bounds": list(metric.bounds),
        "in_summary": metric.in_summary,
        "only": metric.meaning,
    }


def _about_metric(entry: dict[str, Any]) -> list[str]:
    return [] if entry["only"] is None else [f"only {entry['only']}"]


def _requirement(name: str, cls: Any) -> dict[str, Any]:
    from incrowd.algorithms import parameters_of

    return {"name": name, "about": _first_line(cls), "parameters": parameters_of(cls)}


def _about_requirement(entry: dict[str, Any]) -> list[str]:
    return [", ".join(entry["parameters"])]


def _first_line(documented: Any) -> str:
    return str(documented.__doc__ or "").strip().splitlines()[0]


def _list(
    entries: Sequence[dict[str, Any]],
    heads: Sequence[str],
    about: Callable[[dict[str, Any]], list[str]],
    json_to: str | None,
) -> None:
    """Print entries one below the other, or write them as JSON."""
    if json_to is not None:
        write_json(list(entries), json_to)
        return
    widths = {key: max(len(each[key]) for each in entries) for key in heads}
    margin = " " * (sum(widths.values()) + len(heads))
    for entry in entries:
        print(*(entry[key].ljust(width) for key, width in widths.items()), entry["about"])
        for line in about(entry):
            print(f"{margin}{line}")


def _show(entry: dict[str, Any], documented: Any, json_to: str | None) -> None:
    """Print all that is known of one entry: its facts, and what its author wrote."""
    from inspect import getdoc

    if json_to is not None:
        write_json(entry, json_to)
        return
    for key, value in entry.items():
        if key != "about" and value not in (None, [], {}):
            print(f"{key}: {value}")
    print()
    print(getdoc(documented))
