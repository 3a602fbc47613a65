"""How the engine asks a model: `Prompt` in, `Reply` out, by any `Backend`.

Apart from every implementation so that a new way to ask is one file that
imports this one and nothing else of ours above the frames.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from pytest_vdg.errors import BackendError
from pytest_vdg.frames.clip import Clip

UNKNOWN_WEIGHTS = "unknown (server)"
"""What stands for the weights of a model that is known by its name alone."""
_ROUNDING = 1e-4
"""How far sums of probabilities may lie from what they should be."""


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """The text part of one question, the same under every condition."""

    text: str
    """Question, options and instruction, ready to be put in a user message."""
    labels: tuple[str, ...]
    """Labels of the options in the order shown, e.g. ``("A", "B", "C")``."""
    option_texts: tuple[str, ...]
    """Text of each option, aligned with `labels`."""

    def __post_init__(self) -> None:
        """Refuse prompts that cannot be answered."""
        if len(self.labels) != len(self.option_texts) or len(self.labels) < 2:
            raise ValueError(
                f"a prompt needs at least two options with a label each, got "
                f"labels {self.labels!r} and texts {self.option_texts!r}"
            )
        if len(set(self.labels)) != len(self.labels):
            raise ValueError(f"labels must differ, got {self.labels!r}")


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a model answered, and what it was given when it did."""

    text: str
    """The reply verbatim; under ``choice`` scoring the most probable label."""
    probabilities: Mapping[str, float] | None = None
    """Label to probability, renormalised over the labels; None where the
    backend has none."""
    label_mass: float | None = None
    """Probability that all labels hold together before renormalising, [0, 1]."""
    frames_seen: int
    """Frames that reached the model before it padded them; 0 without a video."""
    visual_tokens: int
    """Visual tokens in the model's input; 0 without a video."""
    prompt_tokens: int
    """All input tokens, visual ones included."""
    input_digest: str
    """Digest of the very tensors that the model read (ids and pixels)."""
    seconds: float = field(compare=False)
    """Wall time of the forward pass or generation."""

    def __post_init__(self) -> None:
        """Refuse probabilities that are none."""
        mass = self.label_mass
        if mass is not None and not -_ROUNDING <= mass <= 1 + _ROUNDING:
            raise ValueError(f"label_mass must lie in [0, 1], got {mass!r}")
        if self.probabilities is None:
            return
        values = tuple(self.probabilities.values())
        if not all(math.isfinite(p) and 0 <= p <= 1 for p in values):
            raise ValueError(f"probabilities must lie in [0, 1], got {values!r}")
        if not math.isclose(sum(values), 1.0, abs_tol=_ROUNDING):
            raise ValueError(f"probabilities must sum to 1, got {values!r}")


@dataclass(frozen=True, kw_only=True)
class BackendIdentity:
    """Everything of a backend that can change an answer, as plain text."""

    subject: Mapping[str, str]
    """What is under test and may differ between two compared runs, e.g.
    ``weights`` (content digest)."""
    environment: Mapping[str, str]
    """What must be equal for two runs to be compared: ``backend``,
    ``scoring``, ``dtype``, ``device``, ``attention``, ``quantisation``,
    ``processor`` (digest of processor, tokenizer and chat template) ..."""
    versions: Mapping[str, str]
    """Package versions; a difference is announced, not refused."""
    reuse: str = ""
    """What kept answers must have in common besides all that, to be reused: a
    session or a stretch of time, where the weights are not known. Empty for
    nothing; runs that differ in it alone are compared as any others."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Request:
    """One cell's question: a prompt, and the clip that is shown with it."""

    prompt: Prompt
    clip: Clip | None
    """None: no video at all."""


@runtime_checkable
class Backend(Protocol):
    """A way to ask a model one question about one clip."""

    @property
    def name(self) -> str:
        """What people call the model, e.g. the checkpoint folder's name."""

    @property
    def identity(self) -> BackendIdentity:
        """What can change an answer. Must be known without loading weights."""

    @property
    def frames_per_token(self) -> int:
        """Frames that the model merges into one visual token in time, >= 1."""

    def ask(self, prompt: Prompt, clip: Clip | None) -> Reply:
        """Ask *prompt* about *clip* (None: no video at all).

        Failures raise `BackendError`; they are never replies.
        """

    def close(self) -> None:
        """Free the weights and whatever else is held; may be called twice."""


@runtime_checkable
class ManyBackend(Backend, Protocol):
    """A backend that answers many requests for less than one after the other."""

    def ask_many(self, requests: Sequence[Request]) -> Sequence[Reply | BackendError]:
        """Return the answer to each of *requests*, in their order.

        Answers are those that `ask` gives. A request that fails has its error
        in its place; what ends a run, such as `VideoNotConsumed`, raises.
        """


@runtime_checkable
class LoadingBackend(Backend, Protocol):
    """A backend whose first answer takes long to get ready for.

    It is told when that is done best: while videos are looked at and read.
    """

    def import_libraries(self) -> None:
        """Import what is needed to load, without reading a weight."""

    def load(self) -> None:
        """Load what the first answer needs; may be called twice.

        What stands in its way is raised as `BackendError`, and again by `ask`.
        """


@runtime_checkable
class ChoosyBackend(Backend, Protocol):
    """A backend that cannot be asked under every condition."""

    def check_conditions(self, conditions: Sequence[str]) -> None:
        """Raise `ConfigError` for those of *conditions*, specs, that it cannot be.

        Called before videos are looked at and anything is loaded.
        """


@runtime_checkable
class TellingBackend(Backend, Protocol):
    """A backend that learns of what it asks while it asks, such as a server."""

    @property
    def observed(self) -> Mapping[str, str]:
        """What was found out so far, for the record of a run; no condition of it."""

    @property
    def notes(self) -> Sequence[str]:
        """What people should hear at the end, as it is now."""


@runtime_checkable
class MeasuredBackend(Backend, Protocol):
    """A backend that knows what memory its model needs before it is loaded."""

    def memory_told(self) -> str:
        """Return what is needed and what is there, in a line; reads no weight."""


@runtime_checkable
class PreparingBackend(ManyBackend, Protocol):
    """A backend that gets many requests ready while it answers others."""

    def prepare_many(self, requests: Sequence[Request]) -> None:
        """Begin to get *requests* ready, and return at once.

        `ask_many` is given these very requests later, after one other batch at
        most. What is wrong with them is told then.
        """
