"""What columns tell records apart, spelled out: the twin of `kernels/lattice/information.cpp`."""

from collections import Counter
from math import log2


def bits(values, records):
    """Half the entropy of the values of all records, half the logarithm of how many there are."""
    having = Counter()
    for value, n in zip(values, records, strict=True):
        having[value] += n
    total = sum(having.values())
    entropy = -sum(n / total * log2(n / total) for n in having.values())
    return round((entropy + log2(max(1, len(having)))) / 2 * 4096) / 4096


def told_beyond(rows, records, nodes, others, column, level):
    """What a column tells at a level beyond any other that is below its highest level."""

    def at(j, own):
        return [nodes[j][own][row[j]] for row in rows]

    def both(i):
        return list(zip(at(i, others[i]), at(column, level), strict=True))

    left = [bits(at(column, level), records)]
    for i, own in enumerate(others):
        if i != column and own < len(nodes[i]) - 1:
            left.append(bits(both(i), records) - bits(at(i, own), records))
    return max(0.0, min(left))
