"""`ScriptedBackend`: a Python function that plays the model.

Apart from the tests because it is part of the product: documentation, dry
runs and other people's tests need a model without weights as much as we do.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping
from typing import Literal

from pytest_vdg.backends.protocol import BackendIdentity, Prompt, Reply
from pytest_vdg.errors import BackendError, did_you_mean
from pytest_vdg.frames.clip import Clip

Answer = Callable[[Prompt, Clip | None], str | Mapping[str, float]]
"""Given the prompt and the clip (None: no video), the reply as text, or the
probability of each label."""


class ScriptedBackend:
    """A backend whose answers a function gives.

    >>> from pytest_vdg.backends import Prompt
    >>> sees_light = ScriptedBackend(
    ...     lambda prompt, clip: "A" if clip and clip.frames.any() else "B"
    ... )
    >>> light = Prompt(text="Light?", labels=("A", "B"), option_texts=("yes", "no"))
    >>> sees_light.ask(light, None).text
    'B'

    The *name* stands for the weights: two backends of one name are taken for
    one model, so a store hands the answers of the first to the second.
    """

    def __init__(
        self,
        answer: Answer,
        *,
        name: str = "scripted",
        consumes_video: bool = True,
        frames_per_token: int = 1,
        tokens_per_frame: int = 4,
        scoring: Literal["choice", "generate"] = "generate",
    ) -> None:
        """Play a model with *answer*.

        Parameters
        ----------
        answer : callable of a `Prompt` and a `Clip` or None
            Returns the reply verbatim, or label to probability. Labels left
            out have probability 0; what the others miss to 1 is the mass of
            everything that is no label. Its exceptions pass through.
        name : str
            What people call the model, and what it is known by.
        consumes_video : bool
            False plays a model whose video is lost on the way: *answer* is
            still given the clip, but the reply reports no visual token.
        frames_per_token, tokens_per_frame : int, >= 1
            Frames merged in time, and visual tokens of each merged group.
        scoring : {"generate", "choice"}
            What the identity says; *answer* decides what is given.
        """
        for argument, value in (
            ("frames_per_token", frames_per_token),
            ("tokens_per_frame", tokens_per_frame),
        ):
            if value < 1:
                raise ValueError(f"{argument} must be at least 1, got {value!r}")
        self._answer = answer
        self._name = name
        self._consumes_video = consumes_video
        self._frames_per_token = frames_per_token
        self._tokens_per_frame = tokens_per_frame
        self._scoring = scoring
        self.calls = 0
        """How often `ask` was called."""
        self.closed = False
        """Whether `close` was called."""

    @property
    def name(self) -> str:
        """The name given, ``scripted`` by default."""
        return self._name

    @property
    def identity(self) -> BackendIdentity:
        """The name in place of weights, and the settings."""
        return BackendIdentity(
            subject={"weights": f"scripted:{self._name}"},
            environment={
                "backend": "scripted",
                "scoring": self._scoring,
                "video": "consumed" if self._consumes_video else "dropped",
                "tokens": f"{self._tokens_per_frame}/{self._frames_per_token}",
            },
            versions={},
        )

    @property
    def frames_per_token(self) -> int:
        """Frames that the played model merges into one visual token."""
        return self._frames_per_token

    def ask(self, prompt: Prompt, clip: Clip | None) -> Reply:
        """Answer as the function says, and report what a model would have seen."""
        self.calls += 1
        start = time.perf_counter()
        text, probabilities, mass = _read(self._answer(prompt, clip), prompt)
        seconds = time.perf_counter() - start
        seen = clip if self._consumes_video else None
        visual = 0 if seen is None else self._visual_tokens(len(seen))
        return Reply(
            text=text,
            probabilities=probabilities,
            label_mass=mass,
            frames_seen=0 if seen is None else len(seen),
            visual_tokens=visual,
            prompt_tokens=visual + len(prompt.text.split()),
            input_digest=_digest(prompt, seen),
            seconds=seconds,
        )

    def close(self) -> None:
        """Note that it was called; there is nothing to free."""
        self.closed = True

    def _visual_tokens(self, frames: int) -> int:
        return math.ceil(frames / self._frames_per_token) * self._tokens_per_frame


def _read(
    answer: str | Mapping[str, float], prompt: Prompt
) -> tuple[str, dict[str, float] | None, float | None]:
    """Return text, probabilities over the labels, and the mass they hold."""
    if isinstance(answer, str):
        return answer, None, None
    for label in answer:
        if label not in prompt.labels:
            hint = did_you_mean(str(label), prompt.labels)
            raise ValueError(f"the scripted answer names no option: {label!r}.{hint}")
    weights = {label: float(answer.get(label, 0.0)) for label in prompt.labels}
    total = sum(weights.values())
    if not (math.isfinite(total) and total > 0 and min(weights.values()) >= 0):
        raise BackendError(f"the scripted answer is no probability: {weights!r}")
    probabilities = {label: weight / total for label, weight in weights.items()}
    best = max(prompt.labels, key=lambda label: probabilities[label])
    return best, probabilities, min(1.0, total)


def _digest(prompt: Prompt, clip: Clip | None) -> str:
    state = hashlib.sha256(repr((prompt.text, prompt.labels)).encode())
    if clip is not None:
        state.update(clip.digest().encode())
        state.update(clip.timestamps_s.tobytes())
    return state.hexdigest()
