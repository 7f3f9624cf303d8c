"""Cuts undone for people, one region at a time: the slow, obvious twin of `family/undoing.py`."""


def regions(people, cut, holds, *, in_twos):
    """Return the regions from left to right, each a list of people.

    `cut` returns the sides of a region, or None; `holds` says whether a list of people may be a
    region in the end.  `in_twos`: several sides are the ends of a balanced tree of cuts.
    """
    return _settled(people, cut, holds, in_twos)[0]


def _settled(people, cut, holds, in_twos):
    """Return the regions of some people, and whether they are all of them in one."""
    sides = cut(people)
    return ([people], True) if sides is None else _of_sides(sides, cut, holds, in_twos)


def _of_sides(sides, cut, holds, in_twos):
    if len(sides) == 1:
        return _settled(sides[0], cut, holds, in_twos)
    groups = [[side] for side in sides]
    if in_twos:
        middle = (len(sides) + 1) // 2
        groups = [sides[:middle], sides[middle:]]
    children = [_of_sides(each, cut, holds, in_twos) for each in groups]
    found = [region for some, _ in children for region in some]
    if any(whole and not holds(some[0]) for some, whole in children):
        return [[person for region in found for person in region]], True
    return found, False
