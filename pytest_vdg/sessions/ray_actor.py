"""`RayActor`: what Ray makes on a node: a hand, where the run's folder is.

Apart from the cluster so that a node imports this and not what begins actors.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping

from pytest_vdg.errors import VdgError
from pytest_vdg.sessions.hand import Hand
from pytest_vdg.sessions.judging import broken_told


class RayActor:
    """A `Hand` whose errors are answers, so that they arrive as they were raised.

    A model's own code may raise what cannot travel, or be read where that code is
    not, or leave the process, which would look like a death.
    """

    def __init__(
        self, backend: str, settings: Mapping[str, object], folder: str
    ) -> None:
        """Make nothing yet; work in *folder*, where the node has it."""
        if os.path.isdir(folder):  # noqa: PTH112 - as it was given
            os.chdir(folder)
        self._hand = Hand(backend, settings)

    def call(self, method: str, *args: object) -> object:
        """Return what *method* of the hand returns, or what it raises, as our error."""
        if method == "where":
            return platform.node()
        try:
            with broken_told():
                found: object = getattr(self._hand, method)(*args)
        except VdgError as error:
            return _plain(error)
        return found


def _plain(error: VdgError) -> VdgError:
    """Return the words of *error* as an error that every node can read."""
    ours = (k for k in type(error).__mro__ if k.__module__ == VdgError.__module__)
    kind: type[VdgError] = next(ours)
    return kind.__new__(kind, str(error))
