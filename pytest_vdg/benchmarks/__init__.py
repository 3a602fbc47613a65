"""Benchmarks: questions, how they are put to a model, and what its reply chose.

Apart from the backends so that a question is the same whoever is asked, and
readable without any of the packages that models need.
"""
