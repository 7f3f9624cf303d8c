"""All ways to part the values of a table's columns, and what each costs, one person at a time.

A column is parted along a cut through its hierarchy where the policy gives one, and else between
neighbours of those that occur: leaves in their order, then unknown values, then missing ones.
Numbers are parted only where there is a bound that may be shown.
"""

from collections import Counter
from itertools import pairwise, product

from naive import subtree as naive_subtree
from naive.bounds import number_bound


def parts(problem, j):
    """Return all partitions of the codes that occur in a column, as the part of each."""
    tree, codes = problem.hierarchies[j], sorted(set(problem.table.codes[j].tolist()))
    if problem.given[j]:
        cuts = naive_subtree.all_cuts(tree)
        # several nodes may hold the same of those that occur
        first = [{cut[code]: code for code in reversed(codes)} for cut in cuts]
        return list(
            dict.fromkeys(
                tuple((code, one[cut[code]]) for code in codes)
                for cut, one in zip(cuts, first, strict=True)
            )
        )
    last = [each for each in (tree.unknown_code, tree.missing_code) if each in codes]
    row = [code for code in codes if code < tree.n_leaves] + last
    found = []
    choices = [[0, 1] if legal else [0] for legal in may_part(problem, j, row)]
    for flags in product(*choices):
        ends = [0, *(at + 1 for at, flag in enumerate(flags) if flag), len(row)]
        found.append(tuple((code, span) for span in pairwise(ends) for code in row[slice(*span)]))
    return found


def may_part(problem, j, row):
    """Return whether there may be a split before the second of some codes, the third ..."""
    tree = problem.hierarchies[j]
    if not tree.ascending:
        return [True] * (len(row) - 1)
    codes = [code for code in row if code < tree.n_leaves]
    records = Counter()
    for code, n in zip(
        problem.table.codes[j].tolist(), problem.table.records.tolist(), strict=True
    ):
        records[code] += n
    values, counts = [tree.leaves[code] for code in codes], [records[code] for code in codes]
    legal = [
        number_bound(values, counts, at, problem.crowd) is not None for at in range(len(codes) - 1)
    ]
    return legal + [True] * (len(row) - 1 - len(legal))


def all_recodings(problem):
    """Return the parts of each covered column, in all combinations."""
    columns = [j for j, covered in enumerate(problem.is_covered.tolist()) if covered]
    for chosen in product(*(parts(problem, j) for j in columns)):
        yield {j: dict(some) for j, some in zip(columns, chosen, strict=True)}


def kept(problem, rows):
    """Return who is left when every class that is too small is suppressed, again and again."""
    left, before = list(range(len(rows))), None
    while left != before:
        before = left
        for each in problem.requirements:
            on = [j for j, name in enumerate(problem.columns) if name in each.on]
            key = {who: tuple(rows[who][j] for j in on) for who in left}
            sizes = Counter(key.values())
            left = [who for who in left if sizes[key[who]] >= each.k]
    return left


def cost(problem, recoding, limit, targets=None):
    """Return the discernibility, or with targets the mistakes; None if too many are suppressed."""
    rows = [
        {j: part[row[j]] for j, part in recoding.items()} for row in naive_subtree.people(problem)
    ]
    left = kept(problem, rows)
    if len(rows) - len(left) > limit:
        return None
    classes = {}
    for who in left:
        classes.setdefault(tuple(rows[who].values()), []).append(who)
    if targets is None:
        squares = sum(len(members) ** 2 for members in classes.values())
        return squares + len(rows) * (len(rows) - len(left))
    best = [Counter(targets[who] for who in each).most_common(1)[0][1] for each in classes.values()]
    return len(rows) - sum(best)


def least_cost(problem, limit, targets=None):
    costs = [cost(problem, each, limit, targets) for each in all_recodings(problem)]
    return min(each for each in costs if each is not None)
