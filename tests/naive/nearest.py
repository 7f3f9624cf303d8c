"""What new rows are shown as, one row at a time: the slow and obvious twin of `recode`."""

from naive import counting as naive

TIE = 1e-12


def nearest_class(cells, classes, costs):
    """Return the class that a tuple joins at the least cost; `costs[j][cell][value]`."""
    best, found = float("inf"), -1
    for at, values in enumerate(classes):
        triples = zip(costs, cells, values, strict=True)
        total = sum(table[cell][value] for table, cell, value in triples)
        if total < best - TIE:
            best, found = total, at
    return found


def joining(tree, code, inside):
    """Return the share of leaves under the lowest node that covers a code and a class's codes."""
    for level in range(tree.height):
        cells = [naive.release_cell(tree, each, level) for each in (code, *inside)]
        if len({cell.value for cell in cells}) == 1 and cells[0].value != naive.TOP:
            return (len(cells[0].leaves) - 1) / max(tree.n_leaves - 1, 1)
    return 1.0
