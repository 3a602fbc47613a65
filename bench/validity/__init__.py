"""Are the verdicts right? Intervals and claims judged on runs whose truth is known.

Apart from the tests because it takes minutes and ends in a table that people
read, ``docs/validity.md``; a slim, seeded version of it is in ``tests/bench``.
"""
