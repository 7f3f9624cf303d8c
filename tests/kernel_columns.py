"""Columns as the slow twins read them, in tuples, and the same as kernels take them."""

import sys
from unittest.mock import patch

from incrowd import kernels
from incrowd.algorithms.shared.shapes import class_shapes

TREE, LINE, SET = 0, 1, 2


class ToldShapes:
    """Notes what a `kernels.Shapes` is told: by column its kind, how many codes, and the rest."""

    def __init__(self):
        self.columns = []

    def tree(self, node_of, *more):
        self.columns.append((TREE, len(node_of), node_of, *more))

    def line(self, place, mixed):
        self.columns.append((LINE, len(place), place, mixed))

    def set(self, cost):
        self.columns.append((SET, len(cost) - 1, cost))


def told(describe, *arguments):
    """Return what a function that describes columns to the kernels tells them."""
    with patch.object(sys.modules[describe.__module__], "Shapes", ToldShapes):
        return describe(*arguments).columns


def class_columns(problem, measure, weights):
    return told(class_shapes, problem, measure, weights)


def shapes_of(columns):
    shapes = kernels.Shapes()
    for kind, _, *arrays in columns:
        (shapes.tree, shapes.line, shapes.set)[kind](*arrays)
    return shapes


def with_shapes(codes, records, columns, **more):
    """Return the arguments of a kernel that clusters."""
    return {"table": kernels.Table(codes, records), "shapes": shapes_of(columns), **more}


def regions_of(columns):
    """Return columns, each the name of its kind and what belongs to it, as regions are cut in."""
    regions = kernels.Regions()
    for kind, *arrays in columns:
        getattr(regions, kind)(*arrays)
    return regions


def with_regions(codes, records, columns, **more):
    """Return the arguments of a kernel that cuts regions."""
    return {"table": kernels.Table(codes, records), "regions": regions_of(columns), **more}
