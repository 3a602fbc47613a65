"""The small project of the plugin's tests, for pytest to run over a cluster.

Apart from the plugin's own tests, which also run without other workers: those of a
cluster take minutes, and say nothing more then.
"""

from __future__ import annotations

from tests.plugin.conftest import clips, project

__all__ = ["clips", "project"]
