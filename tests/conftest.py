"""Settings of the whole test suite.

Apart from the tests because Hypothesis' settings are one for all: neither a slow
machine nor the inputs of one run may turn a test red that a change has not broken.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester"]

# Tests start hundreds of processes, each of which would compile the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings.register_profile(
    "vdg",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# Other inputs in each run: `pytest tests --hypothesis-profile search`.
settings.register_profile("search", settings.get_profile("vdg"), derandomize=False)
settings.load_profile("vdg")
