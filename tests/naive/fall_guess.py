"""How many records fall at a node, guessed: the twin of `kernels/lattice/fall_guess.cpp`."""

from fractions import Fraction

BIT = 4096


def logarithm(records):
    """The logarithm of one more than these records, straight between powers of two, in parts."""
    whole = 0
    while 2 ** (whole + 1) <= records + 1:
        whole += 1
    return int((whole + Fraction(records + 1, 2**whole) - 1) * BIT)


def records(parts):
    whole, part = divmod(max(0, parts), BIT)
    return (1 + Fraction(part, BIT)) * 2**whole - 1


class FallGuess:
    """By column and level: what lowering the column to it adds to the logarithm."""

    def __init__(self):
        self.added = {}

    def steps(self, here, there):
        """The steps between two nodes: column, the lower level, and 1 for down and -1 for up."""
        for column, (start, end) in enumerate(zip(here, there, strict=True)):
            for level in range(min(start, end), max(start, end)):
                yield column, level, 1 if end < start else -1

    def more(self, here, there):
        steps = self.steps(here, there)
        return sum(sign * self.added.get((column, level), 0) for column, level, sign in steps)

    def learn(self, here, fell, there, fall):
        off = logarithm(fall) - logarithm(fell) - self.more(here, there)
        steps = list(self.steps(here, there))
        for column, level, sign in steps:
            share = sign * int(Fraction(off, len(steps)))
            self.added[column, level] = max(0, self.added.get((column, level), 0) + share)
