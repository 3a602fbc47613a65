"""What ``vdg doctor`` says of the cluster whose actors would ask, if any would.

Apart from the project because it is looked at where one is configured and nowhere
else: coming to a cluster takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_vdg._commands._check import Check, looked
from pytest_vdg.config.settings import Settings
from pytest_vdg.sessions.executors import OnRay, find_executor


def cluster(settings: Settings) -> Iterator[Check]:
    """Yield what the executor of *settings* finds; nothing for this process."""
    yield from looked("executor", lambda: _executor(settings))


def _executor(settings: Settings) -> Iterator[Check]:
    executor = find_executor(settings)
    if not isinstance(executor, OnRay):
        return
    try:
        described = executor.cluster.described
    finally:
        executor.close()
    nobody = "no cluster runs here: one is begun on this machine for each run"
    yield Check(about="executor", told=f"ray: {described or nobody}")
