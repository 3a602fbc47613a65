"""Audits of a benchmark: what the same answers say of the questions themselves.

Apart from the assertions, which judge a model by a benchmark: here a panel of
models judges the benchmark.
"""
