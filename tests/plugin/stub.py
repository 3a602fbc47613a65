"""Models that a Python function plays, given as ``python:stub:NAME``.

Apart from the tests because pytest runs inside the tests import it by name,
in this process and in workers of xdist.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pytest_vdg import Clip, Prompt, ScriptedBackend
from pytest_vdg.errors import BackendError

COLOURS = ("red", "green", "blue")


def _note_load(what: str) -> None:
    """Write a line where the test counts how often a model was loaded."""
    log = os.environ.get("VDG_TEST_LOADS")
    if log:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(f"{what}\n")


def _weighed(label: str, prompt: Prompt, clip: Clip | None) -> Mapping[str, float]:
    """Prefer *label*, with the last digits moved by what is seen, as in a model."""
    moved = 0.0 if clip is None else float(clip.frames.mean()) * 1e-6
    return {each: 0.9 + moved if each == label else 0.01 for each in prompt.labels}


def _seen(prompt: Prompt, clip: Clip | None) -> str:
    """Return the label of the colour in the clip; the first one in the dark."""
    if clip is None or not clip.frames.any():
        return prompt.labels[0]
    colour = COLOURS[int(np.argmax(clip.frames.mean(axis=(0, 1, 2))))]
    return prompt.labels[prompt.option_texts.index(colour)]


def _read(prompt: Prompt, clip: Clip | None) -> str:
    """Return the label of the colour that the question gives away."""
    question = prompt.text.splitlines()[0]
    named = [c for c in COLOURS if c in question]
    return prompt.labels[prompt.option_texts.index(named[0])]


def _backend(answer: object, settings: Mapping[str, object], **more: object) -> object:
    checkpoint = Path(str(settings["checkpoint"])).name
    loaded: list[bool] = []

    def asked(prompt: Prompt, clip: Clip | None) -> Mapping[str, float]:
        if not loaded:
            loaded.append(True)
            _note_load(checkpoint)
        return _weighed(answer(prompt, clip), prompt, clip)  # type: ignore[operator]

    # The name stands for the weights: what answers otherwise is called otherwise.
    name = checkpoint if answer is _seen else f"{checkpoint}-that-reads"
    return ScriptedBackend(asked, name=name, **more)  # type: ignore[arg-type]


def sighted(**settings: object) -> object:
    """Make a model that looks."""
    return _backend(_seen, settings)


def blind(**settings: object) -> object:
    """Make a model that answers from the question alone, and always rightly."""
    return _backend(_read, settings)


def dropped(**settings: object) -> object:
    """Make a model whose video is lost on the way."""
    return _backend(_read, settings, consumes_video=False)


def checkpoint_decides(**settings: object) -> object:
    """Make `blind` for a checkpoint called so, `sighted` for any other."""
    return (blind if "blind" in str(settings["checkpoint"]) else sighted)(**settings)


def crashes_once(**settings: object) -> object:
    """Make a model that kills its process at the first question, once."""

    def seen_or_dead(prompt: Prompt, clip: Clip | None) -> str:
        if not Path("crashed").exists():
            Path("crashed").touch()
            os._exit(3)
        return _seen(prompt, clip)

    return _backend(seen_or_dead, settings)


def fails_in_the_dark(**settings: object) -> object:
    """Make a model that fails on black frames."""

    def seen_or_failed(prompt: Prompt, clip: Clip | None) -> str:
        if clip is not None and not clip.frames.any():
            raise BackendError("it is dark")
        return _seen(prompt, clip)

    return _backend(seen_or_failed, settings)
