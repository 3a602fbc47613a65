"""`Asking`: many requests put to a loaded model, together where that is safe.

Apart from the backend so that its life (check, name, load, free) and its work
are two files, and from the forward passes, which know nothing of questions.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, TypeVar

from pytest_vdg.backends._hf_ahead import Ahead
from pytest_vdg.backends._hf_greedy import greedy_replies
from pytest_vdg.backends._hf_inputs import ModelInputs
from pytest_vdg.backends._hf_load import Loaded, Tensor
from pytest_vdg.backends._hf_machine import empty_cuda_cache, spare_bytes
from pytest_vdg.backends._hf_options import (
    Options,
    OptionTokens,
    branches,
    likelihoods,
    plain_logs,
)
from pytest_vdg.backends._hf_prepare import InputBuilder, elements_of
from pytest_vdg.backends._hf_said import short_reason
from pytest_vdg.backends._hf_scoring import LabelTokens, choice_of, generate
from pytest_vdg.backends._hf_settings import TransformersSettings
from pytest_vdg.backends._hf_shared import Prompt as Elements
from pytest_vdg.backends._hf_shared import SharedForward
from pytest_vdg.backends._hf_sharing import (
    Forward,
    choose_forward,
    plain_ending,
    tried_further,
)
from pytest_vdg.backends.protocol import Prompt, Reply, Request
from pytest_vdg.backends.work import Work
from pytest_vdg.errors import BackendError, VdgError
from pytest_vdg.frames.clip import Clip

T = TypeVar("T")


@dataclass(frozen=True, eq=False, kw_only=True)
class _Answer:
    """What the model said, before it is a reply."""

    text: str
    probabilities: dict[str, float] | None = None
    label_mass: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class _Ready:
    """A request as the model takes it."""

    prompt: Prompt
    inputs: ModelInputs
    labels: Mapping[str, Sequence[int]] | None = None
    """Label to the tokens that begin a reply with it; None where none is scored."""
    options: Options | None = None
    """The options' texts behind the prompt; None where none is scored."""


class Builder(Protocol):
    """Makes model inputs of prompts, as `InputBuilder` does."""

    def look_ahead(self, clips: Sequence[Clip]) -> None:
        """Get ready for *clips*."""

    def build(self, text: str, clip: Clip | None) -> ModelInputs:
        """Return the input of one prompt."""


class Asking:
    """Answers requests with one loaded model."""

    def __init__(
        self,
        loaded: Loaded,
        settings: TransformersSettings,
        *,
        name: str,
        make_builder: Callable[[Loaded, Work], Builder] = InputBuilder,
    ) -> None:
        """Decide nothing yet: sharing is tried on the first real prompts."""
        self.loaded = loaded
        self._settings = settings
        self._name = name
        self._labels = LabelTokens(loaded.tokenizer)
        self._texts = OptionTokens(loaded)
        self._forward: Forward | None = None
        self.work = Work()
        self._make_builder = make_builder
        self._builder = make_builder(loaded, self.work)
        self._ahead = Ahead[list[_Ready | BackendError]](threads=settings.threads)

    @property
    def sharing(self) -> str:
        """What prompts share, or why they share nothing."""
        if not self._settings.share_prefixes:
            return "shares nothing: share_prefixes is false"
        return "not tried yet" if self._forward is None else self._forward.why

    def forget(self) -> None:
        """Let go of what was read and prepared; what was found out stays."""
        self._ahead.forget()
        self._builder = self._make_builder(self.loaded, self.work)
        if self._forward is not None and self._forward.shared is not None:
            self._forward.shared.forget()

    def begin(self, requests: Sequence[Request]) -> None:
        """Make the inputs of *requests* from now on; they are asked after others.

        A reply that is generated is put into words meanwhile, by a tokenizer that
        serves one at a time.
        """
        if self._settings.scoring != "generate":
            self._ahead.begin(self._prepared, requests)

    def replies(self, requests: Sequence[Request]) -> list[Reply | BackendError]:
        """Return the reply to each request, or why there is none."""
        start = time.perf_counter()
        prepared = self._ahead.of(self._prepared, requests)
        ready = [each for each in prepared if isinstance(each, _Ready)]
        answers = iter(self._answers(ready))
        seconds = (time.perf_counter() - start) / max(1, len(requests))
        return [
            each
            if isinstance(each, BackendError)
            else _reply(each.inputs, next(answers), seconds)
            for each in prepared
        ]

    def _prepared(self, requests: Sequence[Request]) -> list[_Ready | BackendError]:
        if len(requests) > 1:
            clips = [request.clip for request in requests]
            self._builder.look_ahead([clip for clip in clips if clip is not None])
        return [self._attempt(self._prepare, request) for request in requests]

    def _prepare(self, request: Request) -> _Ready:
        prompt = request.prompt
        inputs = self._builder.build(prompt.text, request.clip)
        scoring = self._settings.scoring
        if scoring == "choice":
            labels = self._labels.of(inputs.rendered, prompt.labels)
            return _Ready(prompt=prompt, inputs=inputs, labels=labels)
        texts = self._texts.of(inputs, prompt) if scoring == "option_text" else None
        return _Ready(prompt=prompt, inputs=inputs, options=texts)

    def _answers(self, ready: Sequence[_Ready]) -> list[_Answer | BackendError]:
        shared = self._shared(ready)
        if self._settings.scoring == "generate":
            return self._generated(ready, shared)
        if self._settings.scoring == "option_text":
            return self._likeliest(ready, shared)
        endings: Sequence[Tensor | Exception | None] = [None] * len(ready)
        if shared is not None and (prompts := self._elements(ready)) is not None:
            endings = shared.endings(prompts)
        return [
            self._attempt(self._choice, each, ending)
            for each, ending in zip(ready, endings, strict=True)
        ]

    def _shared(self, ready: Sequence[_Ready]) -> SharedForward | None:
        """Return what shares passes; a single request is not worth the trial."""
        settings = self._settings
        inputs = [each.inputs for each in ready]
        if len(ready) > 1 and settings.share_prefixes:
            if self._forward is None or not self._forward.covers(inputs):
                self._forward = choose_forward(
                    self.loaded,
                    self.work,
                    inputs,
                    budget=settings.prefix_bytes or spare_bytes(self.loaded.device),
                    batch_tokens=settings.batch_tokens,
                    failures=0 if self._forward is None else self._forward.failures,
                )
            self._forward = tried_further(self.loaded, self.work, self._forward, inputs)
        if self._forward is None or not self._forward.covers(inputs):
            return None
        return self._forward.shared

    def _choice(self, ready: _Ready, ending: Tensor | Exception | None) -> _Answer:
        assert ready.labels is not None
        if ending is None:
            ending = plain_ending(self.loaded, ready.inputs, self.work)
        if isinstance(ending, Exception):
            raise ending
        choice = choice_of(ending, ready.labels)
        return _Answer(
            text=choice.best,
            probabilities=dict(choice.probabilities),
            label_mass=choice.label_mass,
        )

    def _likeliest(
        self, ready: Sequence[_Ready], shared: SharedForward | None
    ) -> list[_Answer | BackendError]:
        """Return the option that each model input is likeliest to be followed by."""
        prompts = None if shared is None else self._elements(ready)
        read: Sequence[Sequence[Tensor | Exception] | None] = [None] * len(ready)
        if shared is not None and prompts is not None:
            found = [
                branches(p, r.options)
                for p, r in zip(prompts, ready, strict=True)
                if r.options is not None
            ]
            endings = iter(shared.endings([each for of in found for each in of]))
            read = [list(islice(endings, len(of))) for of in found]
        pairs = zip(ready, read, strict=True)
        return [self._attempt(self._likely, each, logs) for each, logs in pairs]

    def _likely(
        self, ready: _Ready, logs: Sequence[Tensor | Exception] | None
    ) -> _Answer:
        options = ready.options
        assert options is not None
        if logs is None:
            spelled = options.spellings
            logs = [
                plain_logs(self.loaded, ready.inputs, options, each, self.work)
                for each in spelled
            ]
        for each in logs:
            if isinstance(each, Exception):
                raise each
        divided = self._settings.option_likelihood == "per_character"
        shares = likelihoods(options, logs, per_character=divided)
        best = max(shares, key=lambda label: shares[label])
        return _Answer(text=best, probabilities=dict(shares))

    def _generated(
        self, ready: Sequence[_Ready], shared: SharedForward | None
    ) -> list[_Answer | BackendError]:
        most = self._settings.max_new_tokens
        prompts = None if shared is None else self._elements(ready)
        if shared is None or prompts is None:
            return [self._attempt(self._told, each, most) for each in ready]
        replies = greedy_replies(self.loaded, shared, prompts, most)
        return [self._attempt(_said, reply) for reply in replies]

    def _elements(self, ready: Sequence[_Ready]) -> list[Elements] | None:
        """Return the prompts of *ready* in elements; None where one has none.

        The model's own rule of positions then tells in a plain pass what is wrong.
        """
        try:
            return [elements_of(self.loaded, each.inputs) for each in ready]
        except Exception:  # noqa: BLE001 - the plain road will tell it, of that one
            return None

    def _told(self, ready: _Ready, most: int) -> _Answer:
        return _Answer(text=generate(self.loaded, ready.inputs, most))

    def _attempt(self, make: Callable[..., T], *given: object) -> T | BackendError:
        """Return what *make* returns, or the error that is one request's answer.

        What ends a run, such as a video that is lost, is raised.
        """
        try:
            return make(*given)
        except BackendError as error:
            return error
        except VdgError:
            raise
        except Exception as error:  # noqa: BLE001 - a failed cell, for the engine
            traceback.clear_frames(error.__traceback__)  # they hold tensors
            if "OutOfMemory" in type(error).__name__:
                empty_cuda_cache()
            return BackendError(f"{self._name} gave no answer: {short_reason(error)}")


def _said(reply: str | Exception) -> _Answer:
    if isinstance(reply, Exception):
        raise reply
    return _Answer(text=reply)


def _reply(
    inputs: ModelInputs, answer: _Answer | BackendError, seconds: float
) -> Reply | BackendError:
    if isinstance(answer, BackendError):
        return answer
    return Reply(
        text=answer.text,
        probabilities=answer.probabilities,
        label_mass=answer.label_mass,
        frames_seen=inputs.frames_seen,
        visual_tokens=inputs.visual_tokens,
        prompt_tokens=inputs.prompt_tokens,
        input_digest=inputs.digest,
        seconds=seconds,
    )
