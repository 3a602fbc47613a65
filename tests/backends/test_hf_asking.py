"""Requests whose input cannot be made: whose fault it is, and what is done then.

No model is loaded: none of these requests comes to one.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import pytest

from pytest_vdg.backends import _hf_asking
from pytest_vdg.backends._hf_asking import Asking
from pytest_vdg.backends._hf_inputs import ModelInputs
from pytest_vdg.backends._hf_load import Loaded
from pytest_vdg.backends.protocol import Prompt, Reply, Request
from pytest_vdg.backends.transformers import TransformersSettings
from pytest_vdg.errors import BackendError, VideoNotConsumed
from pytest_vdg.frames.clip import Clip


class OutOfMemoryError(RuntimeError):
    """What torch and others raise, who have one of this name each."""


class Failing:
    """A builder that raises one error after the other."""

    def __init__(self, errors: Sequence[Exception]) -> None:
        """Have raised none yet."""
        self.errors = iter(errors)

    def look_ahead(self, clips: Sequence[Clip]) -> None:
        """Do nothing."""

    def build(self, text: str, clip: Clip | None) -> ModelInputs:
        """Raise the next error."""
        raise next(self.errors)


def answers(*errors: Exception) -> list[Reply | BackendError]:
    """Return the answers to requests of which each meets one of *errors*."""
    ends = SimpleNamespace(generation_config=SimpleNamespace(eos_token_id=0))
    asking = Asking(
        cast("Loaded", SimpleNamespace(tokenizer=None, model=ends)),
        TransformersSettings(checkpoint="any", share_prefixes=False, threads=1),
        name="tiny",
        make_builder=lambda loaded, work: Failing(errors),
    )
    prompt = Prompt(text="?", labels=("A", "B"), option_texts=("red", "blue"))
    return asking.replies([Request(prompt=prompt, clip=None) for _ in errors])


def test_a_request_that_fails_has_its_own_error() -> None:
    """In its place: our own errors as they are, those of others with who failed."""
    own = BackendError("labels cannot be scored")
    found = answers(own, ValueError("no such size"), KeyError("grid"))
    assert found[0] is own
    assert all(isinstance(each, BackendError) for each in found)
    assert str(found[1]) == "tiny gave no answer: ValueError: no such size"
    assert str(found[2]).startswith("tiny gave no answer: KeyError")


def test_a_video_that_is_lost_ends_the_run() -> None:
    """It is no answer of one request: all the others would be blind as well."""
    with pytest.raises(VideoNotConsumed, match="dropped"):
        answers(ValueError("first"), VideoNotConsumed("dropped"))


def test_memory_that_ran_out_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """What torch holds for later is let go of then, and at no other failure."""
    emptied: list[None] = []
    monkeypatch.setattr(_hf_asking, "empty_cuda_cache", lambda: emptied.append(None))
    answers(ValueError("no such size"), BackendError("no label"))
    assert emptied == []
    (answer,) = answers(OutOfMemoryError("no room"))
    assert "OutOfMemoryError: no room" in str(answer)
    assert emptied == [None]
