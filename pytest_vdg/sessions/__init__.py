"""Where slices, models, runs and baselines of one session meet.

Apart from ``fixtures`` so that the command line and notebooks take the very
same road without pytest.
"""
