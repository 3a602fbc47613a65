"""Settings of the whole test suite.

Apart from the tests because Hypothesis' limits of time are one setting for all:
slow machines must not turn a law into a failure.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester"]

# Tests start hundreds of processes, each of which would compile the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings.register_profile(
    "vdg", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("vdg")
