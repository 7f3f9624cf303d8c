"""What a class costs in the columns that `class_columns` describes, the slow and obvious way."""

import math

TREE, LINE, SET = 0, 1, 2


def column_cost(column, codes):
    """Return the cost of a class with these codes in one column."""
    kind, present = column[0], sorted(set(codes))
    if kind == SET:
        return float(column[2][len(present)])
    if kind == LINE:
        places = [float(column[2][code]) for code in present]
        on_line = [place for place in places if not math.isnan(place)]
        if len(on_line) < len(places):
            return float(column[3]) if len(places) > 1 else 0.0
        return max(on_line) - min(on_line)
    return tree_cost(column, present)


def tree_cost(column, codes):
    """Return the cost of the smallest node over some codes; a leaf is a node of its own."""
    _, _, node_of, _, low, high, cost = column
    if len(set(codes)) == 1:
        return float(cost[node_of[codes[0]]])
    around = [
        node
        for node in range(len(low))
        if low[node] <= min(codes) and max(codes) < high[node] and high[node] - low[node] > 1
    ]
    return float(cost[min(around, key=lambda node: high[node] - low[node])])


def class_cost(columns, rows):
    """Return the cost of a class of rows, added up in the order of the columns."""
    total = 0.0
    for j, column in enumerate(columns):
        total += column_cost(column, [row[j] for row in rows])
    return total
