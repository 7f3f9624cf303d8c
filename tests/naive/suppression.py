"""The slow, obvious twin of the rule by which records are suppressed, person by person."""

from collections import Counter, defaultdict

from naive.requirements import holds


def suppressed(people, requirements, *, masks, already=(), paths=None):
    """Return which people are suppressed.

    Parameters
    ----------
    people
        By person: what it is released as (a tuple), its value, and what is known of it.
    requirements
        Pairs of a requirement and the columns that it covers.
    masks
        Whether fallen people may stay as a class of their own.
    already
        People who have fallen in any case.
    paths
        Those of the values in their hierarchy, if there is one.
    """
    everyone = range(len(people))
    fallen = set(already)

    def falling(reference, living, cells):
        found = set()
        table = Counter(people[person][1] for person in reference)
        for requirement, covered in requirements:
            classes = defaultdict(lambda: defaultdict(list))
            for person in living:
                known = people[person][2] if requirement_knows(requirement) else None
                classes[cells(person, covered)][known].append(person)
            for parts in classes.values():
                counts = [Counter(people[each][1] for each in part) for part in parts.values()]
                if not all(holds(requirement, own, table, paths) for own in counts):
                    found.update(person for part in parts.values() for person in part)
        return found

    def released(person, covered):
        return tuple(people[person][0][j] for j in covered)

    while found := falling(everyone, set(everyone) - fallen, released):
        fallen |= found
    if masks and not falling(everyone, fallen, lambda person, covered: "*"):
        return fallen
    rest = set(everyone) - fallen
    while rest and fallen and (found := falling(rest, rest, released)):
        rest -= found
    return set(everyone) - rest


def requirement_knows(requirement):
    return bool(getattr(requirement, "known", ()))
