"""The slow, obvious twin of the shuffle."""


def shuffle(numbers, left, words):
    """Put numbers in random order from the end; return them, and how many are left.

    A word of 32 bits stands for one of `left` places: there are 2^32 words, and each place gets as
    many of them as fit, the others are passed over.
    """
    numbers = list(numbers)
    for word in words:
        if left <= 1:
            break
        place, rest = divmod(word * left, 2**32)
        if rest < 2**32 % left:
            continue
        left -= 1
        numbers[left], numbers[place] = numbers[place], numbers[left]
    return numbers, left
