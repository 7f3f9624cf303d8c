"""What ``make fuzz`` found, for good: one line ``@example(Case(...))`` each.

Copy the case that was printed, and write beside it what was wrong.
"""

from hypothesis import given, settings

from fuzz.cases import cases, check


@settings(max_examples=60)
@given(cases())
def test_what_was_released_holds_when_it_is_counted_again(case):
    check(case)
