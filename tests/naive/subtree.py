"""Slow, obvious twins of the searches over subtree recodings.

A node is ``(low, high, label)``, a cut of a column a tuple with the node of each leaf code, a state
one cut for each column.  People are rows of leaf codes, one for each record.
"""

from collections import Counter
from itertools import product
from math import log2


def node_at(tree, level, code):
    index = tree.index_at[level].tolist()
    low = index.index(index[code])
    return low, low + index.count(index[code]), tree.labels_at(level)[index[code]]


def chain(tree, code):
    """The different nodes above a leaf, from itself to the root."""
    return list(dict.fromkeys(node_at(tree, level, code) for level in range(tree.height + 1)))


def levels(tree, cut):
    """The level of each leaf under a cut: the lowest at which its node stands."""
    return [
        next(level for level in range(tree.height + 1) if node_at(tree, level, code) == node)
        for code, node in enumerate(cut)
    ]


def is_below(tree, lower, upper):
    above = chain(tree, lower[0])
    return upper in above[above.index(lower) + 1 :]


def parent(tree, node):
    above = chain(tree, node[0])
    at = above.index(node)
    return above[at + 1] if at + 1 < len(above) else None


def original(problem):
    return tuple(
        tuple(chain(tree, code)[0] for code in range(tree.n_codes)) for tree in problem.hierarchies
    )


def all_cuts(tree):
    """Every cut of a column: the chains of all leaves, wherever they agree."""
    choices = product(*(chain(tree, code) for code in range(tree.n_codes)))
    return [
        cut
        for cut in choices
        if all(cut[at] == node for node in cut for at in range(node[0], node[1]))
    ]


def people(problem):
    table = problem.table
    return [
        tuple(table.codes[:, at].tolist())
        for at, count in enumerate(table.records.tolist())
        for _ in range(count)
    ]


def carried(problem, name):
    return problem.table.carried[name].repeat(problem.table.records).tolist()


def shown(problem, state):
    return [
        tuple(cut[code] for cut, code in zip(state, row, strict=True)) for row in people(problem)
    ]


def covered(problem, requirement):
    return [j for j, name in enumerate(problem.columns) if name in requirement.on]


def violating_rows(problem, requirement, rows):
    """The distinct rows whose class breaks a requirement."""
    columns = covered(problem, requirement)
    classes = {}
    for at, row in enumerate(rows):
        classes.setdefault(tuple(row[j] for j in columns), []).append(at)
    if hasattr(requirement, "k"):
        broken = [members for members in classes.values() if len(members) < requirement.k]
    else:
        values = carried(problem, requirement.column)
        broken = [
            members
            for members in classes.values()
            if not requirement.holds([values[at] for at in members])
        ]
    return {rows[at] for members in broken for at in members}


def figures(problem, state):
    """Violating rows, and rows."""
    rows = shown(problem, state)
    broken = set().union(*(violating_rows(problem, each, rows) for each in problem.requirements))
    return len(broken), len(set(rows))


def steps(problem, state):
    """The states one step away, by column."""
    rows = shown(problem, state)
    found = []
    for j, tree in enumerate(problem.hierarchies):
        violating = [
            row
            for each in problem.requirements
            if j in covered(problem, each)
            for row in violating_rows(problem, each, rows)
        ]
        above = {parent(tree, row[j]) for row in violating} - {None}
        if above:
            cut = tuple(lifted(tree, node, above) for node in state[j])
            found.append((j, (*state[:j], cut, *state[j + 1 :])))
    return found


def lifted(tree, node, above):
    """The highest of some nodes that a node lies under; itself if there is none."""
    ancestors = chain(tree, node[0])
    ancestors = ancestors[ancestors.index(node) :]
    return next((each for each in reversed(ancestors) if each in above), node)


def heuristic_min(problem):
    """The loop as published: the result, and all tables made, in order."""
    start = original(problem)
    if figures(problem, start)[0] == 0:
        return start, []
    log, known = [], {}
    waiting = [((), start)]
    while True:
        best = max((rows for broken, rows in known.values() if not broken), default=-1)
        open_ones = [
            (path, state)
            for path, state in waiting
            if state == start or (known[state][0] and known[state][1] > best)
        ]
        if not open_ones:
            break
        path, state = min(
            open_ones,
            key=lambda each: (
                (0, 0) if each[1] == start else (-known[each[1]][1], known[each[1]][0])
            ),
        )
        waiting.remove((path, state))
        for j, child in steps(problem, state):
            duplicate = child in known
            if not duplicate:
                known[child] = figures(problem, child)
                waiting.append(((*path, j), child))
            names = [problem.columns[at] for at in (*path, j)]
            broken, rows = known[child]
            log.append({"path": names, "violating": broken, "rows": rows, "duplicate": duplicate})
    satisfying = [state for state, (broken, _) in known.items() if not broken]
    return max(satisfying, key=lambda state: known[state][1]), log


def reachable(problem):
    """Every state that steps lead to, the original included, and its figures."""
    found, unseen = {}, [original(problem)]
    while unseen:
        state = unseen.pop()
        if state not in found:
            found[state] = figures(problem, state)
            unseen += [child for _, child in steps(problem, state)]
    return found


def entropy(values):
    counts = Counter(values).values()
    return -sum(n / len(values) * log2(n / len(values)) for n in counts)


def generalisations(problem, state, j):
    """The lowest nodes that hold at least two of the current values of a column."""
    tree = problem.hierarchies[j]
    values = {row[j] for row in shown(problem, state)}
    nodes = {node for code in range(tree.n_codes) for node in chain(tree, code)}
    holding = {
        node: {value for value in values if node[0] <= value[0] and value[1] <= node[1]}
        for node in nodes
    }
    several = [node for node in nodes if len(holding[node]) > 1]
    return sorted(
        node for node in several if not any(is_below(tree, other, node) for other in several)
    )


def generalised(state, j, node):
    cut = tuple(node if node[0] <= code < node[1] else at for code, at in enumerate(state[j]))
    return (*state[:j], cut, *state[j + 1 :])


def information_loss(problem, state, j, node, classes):
    rows = shown(problem, state)
    parts = {}
    for row, label in zip(rows, classes, strict=True):
        if node[0] <= row[j][0] and row[j][1] <= node[1]:
            parts.setdefault(row[j], []).append(label)
    everyone = [label for part in parts.values() for label in part]
    inside = sum(len(part) / len(everyone) * entropy(part) for part in parts.values())
    return max(entropy(everyone) - inside, 0.0)


def smallest(problem, requirement, state):
    columns = covered(problem, requirement)
    return min(Counter(tuple(row[j] for j in columns) for row in shown(problem, state)).values())


def bottom_up(problem, classes):
    """Bottom-up generalisation: the result, and what was done, with loss and gain."""
    state, log = original(problem), []
    while figures(problem, state)[0]:
        scored = []
        for j in range(len(problem.columns)):
            asked = [each for each in problem.requirements if j in covered(problem, each)]
            for node in generalisations(problem, state, j) if asked else ():
                after = generalised(state, j, node)
                loss = information_loss(problem, state, j, node, classes)
                gains = [
                    smallest(problem, each, after) - smallest(problem, each, state)
                    for each in asked
                ]
                scored.append((j, node, loss, sum(gains) / len(gains)))
        if not scored:
            break
        gaining = [each for each in scored if each[3] > 0]
        scores = [(loss / gain) for _, _, loss, gain in gaining] or [each[2] for each in scored]
        least = min(scores)
        first = next(at for at, score in enumerate(scores) if score <= least + 1e-12)
        j, node, loss, gain = (gaining or scored)[first]
        state = generalised(state, j, node)
        log.append({"column": problem.columns[j], "value": node[2], "loss": loss, "gain": gain})
    return state, log
