"""Settings of the whole test suite.

Apart from the tests because Hypothesis' deadline is one setting for all:
slow machines must not turn a law into a failure.
"""

from __future__ import annotations

from hypothesis import settings

pytest_plugins = ["pytester"]

settings.register_profile("vdg", deadline=None)
settings.load_profile("vdg")
