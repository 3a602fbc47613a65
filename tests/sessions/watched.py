"""Checkpoints of one word, and the model that each of them is.

Apart from the tests because a process that watches imports it by name, as
``python:tests.sessions.watched:backend``.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pytest_vdg import Clip, Prompt, ScriptedBackend
from pytest_vdg.backends.protocol import BackendIdentity, Reply
from pytest_vdg.errors import BackendError, ConfigError
from tests.plugin.stub import _read, _seen, _weighed

WEIGHTS = "model.safetensors"


class Folder:
    """The model of a folder: ``sighted``, ``blind``, or one that cannot be asked."""

    def __init__(self, **settings: object) -> None:
        """Read the one word that are its weights."""
        self.folder = Path(str(settings["checkpoint"]))
        path = self.folder / WEIGHTS
        if not path.is_file():
            raise ConfigError(f"{self.folder} holds no weights: no {WEIGHTS}")
        self.kind, *_ = path.read_text(encoding="utf-8").split()
        self._content = path.read_text(encoding="utf-8")
        self._inner = ScriptedBackend(self._said, name=self.folder.name)
        self.name = self.folder.name
        self.frames_per_token = 1

    @property
    def identity(self) -> BackendIdentity:
        """Name the weights by their content."""
        return replace(self._inner.identity, subject={"weights": self._content})

    def ask(self, prompt: Prompt, clip: Clip | None) -> Reply:
        """Answer as the kind of model does, and note that it was asked."""
        if self.kind == "vanishing":
            shutil.rmtree(self.folder, ignore_errors=True)
            raise BackendError("the weights are gone")
        if self.kind == "broken":
            raise BackendError("no answer today")
        if log := os.environ.get("VDG_TEST_ASKED"):
            with Path(log).open("a", encoding="utf-8") as file:
                file.write(f"{self._content}\n")
        return self._inner.ask(prompt, clip)

    def close(self) -> None:
        """Hold nothing."""

    def _said(self, prompt: Prompt, clip: Clip | None) -> Mapping[str, float]:
        answer = _seen if self.kind == "sighted" else _read
        return _weighed(answer(prompt, clip), prompt, clip)


def backend(**settings: object) -> Folder:
    """Make the model of a checkpoint folder."""
    return Folder(**settings)
