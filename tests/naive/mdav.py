"""`kernels.mdav`, record by record as it was published."""

import math

from naive.shapes import LINE, tree_cost


def mdav(rows, columns, k):
    """Return the classes: sorted lists of positions in `rows`; of equal distances the first."""
    left, classes = list(range(len(rows))), []

    def gather(start, distance):
        others = sorted((at for at in left if at != start), key=lambda at: (distance(at), at))
        chosen = [start, *others[: k - 1]]
        left[:] = [at for at in left if at not in chosen]
        classes.append(sorted(chosen))

    def farthest(distance):
        return max(left, key=lambda at: (distance(at), -at))

    def far_from_centroid():
        centre = [_centre(column, [rows[at][j] for at in left]) for j, column in enumerate(columns)]
        return farthest(lambda at: _apart(columns, centre, rows[at]))

    def apart_from(start):
        point = [_point(column, code) for column, code in zip(columns, rows[start], strict=True)]
        return lambda at: _apart(columns, point, rows[at])

    while len(left) >= 3 * k:
        r = far_from_centroid()
        from_r = apart_from(r)
        gather(r, from_r)
        s = farthest(from_r)
        gather(s, apart_from(s))
    if len(left) >= 2 * k:
        r = far_from_centroid()
        gather(r, apart_from(r))
    return [*classes, left]


def _point(column, code):
    """Return a place on a line, or a code."""
    if column[0] == LINE and not math.isnan(column[2][code]):
        return "place", float(column[2][code])
    return "code", code


def _centre(column, codes):
    counts = {code: codes.count(code) for code in sorted(set(codes))}
    if column[0] == LINE:
        numbers = [code for code in counts if not math.isnan(column[2][code])]
        if numbers:
            total = 0.0
            for code in numbers:
                total += float(counts[code]) * float(column[2][code])
            return "place", total / float(sum(counts[code] for code in numbers))
    return "code", max(counts, key=lambda code: (counts[code], -code))


def _apart(columns, point, row):
    total = 0.0
    for column, (kind, value), code in zip(columns, point, row, strict=True):
        total += _column_apart(column, kind, value, code)
    return total


def _column_apart(column, kind, value, code):
    if kind == "code" and value == code:
        return 0.0
    if column[0] == LINE:
        number = float(column[2][code])
        if kind == "code" or math.isnan(number):
            return float(column[3])
        return (number - value) * (number - value)
    return tree_cost(column, [value, code])
