"""A family's tiny model, loaded once, and the questions that it is asked.

Apart from the contract, which is what must be true of the answers.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pytest_vdg.backends._hf_asking import Asking
from pytest_vdg.backends._hf_checks import open_checkpoint
from pytest_vdg.backends._hf_families import FramesAs, family_of
from pytest_vdg.backends._hf_inputs import ModelInputs, build_inputs
from pytest_vdg.backends._hf_load import Loaded, load_checkpoint
from pytest_vdg.backends._hf_place import Placing
from pytest_vdg.backends._hf_settings import TransformersSettings
from pytest_vdg.backends.protocol import Prompt, Reply, Request
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.conditions import Condition, apply
from tests.backends.conftest import make_clip
from tests.backends.families import TINY

CONDITIONS = ("original", "black", "single_frame", "shuffled", "reversed")
SIZE = (32, 32)
ROUNDING = 1e-5
"""What a probability may change with the order of additions."""
SEEN = 1e-4
"""What one must change by for it to be more than that."""
QUESTION = "what color is the shape ?"
LABELS = ("A", "B", "C")


@dataclass(frozen=True, eq=False, kw_only=True)
class Subject:
    """One family's tiny model, loaded once."""

    kind: str
    """Its ``model_type``."""
    loaded: Loaded

    def asking(self, **settings: Any) -> Asking:  # noqa: ANN401 - those of a run
        """Return what asks the model, having seen nothing yet."""
        chosen = TransformersSettings(checkpoint=self.kind, device="cpu", **settings)
        return Asking(self.loaded, chosen, name=self.kind)

    def ask(self, *clips: Clip | None, **settings: Any) -> list[Reply]:  # noqa: ANN401
        """Return the reply to one question about each of *clips*, one at a time."""
        asking = self.asking(**settings)
        return [good(asking.replies([request(clip)]))[0] for clip in clips]

    def inputs(self, clip: Clip | None) -> ModelInputs:
        """Return what the processor itself makes of the question and *clip*."""
        return build_inputs(self.loaded, request(clip).prompt.text, clip)


def subject(kind: str, frames_as: FramesAs | None = None) -> Subject:
    """Return the tiny model of a family, loaded as any checkpoint is.

    With *frames_as*, shown frames that way.
    """
    return _subject(kind, frames_as)


@cache  # which takes an argument that is left out for another one than its default
def _subject(kind: str, frames_as: FramesAs | None) -> Subject:
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="vdg-") as name:
        folder = TINY[kind].build(Path(name))
        files = open_checkpoint(folder, allow_pickle=False, trust_remote_code=False)
        family = family_of(kind, frames_as)
        loaded = load_checkpoint(
            files,
            family,
            dtype="float32",
            placing=Placing(device="cpu"),
            attention=None,
        )
    return Subject(kind=kind, loaded=loaded)


def request(clip: Clip | None, question: str = QUESTION) -> Request:
    """Return one question about *clip*."""
    text = f"{question}\nA. red\nB. blue\nC. green\nAnswer with the letter."
    options = ("red", "blue", "green")
    prompt = Prompt(text=text, labels=LABELS, option_texts=options)
    return Request(prompt=prompt, clip=clip)


def good(answers: Sequence[Reply | Exception]) -> list[Reply]:
    """Return *answers*, all of which must be replies."""
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return [answer for answer in answers if isinstance(answer, Reply)]


def clip(frames: int = 4, *, seed: int = 1, fps: float = 2.0) -> Clip:
    """Return a clip of noise."""
    return make_clip(frames, seed=seed, fps=fps, size=SIZE)


def shown(spec: str, own: Clip, block: int) -> Clip:
    """Return *own* under a condition."""
    condition = Condition.parse(spec)
    seen = apply(condition, own, question_id="q", seed=0, block=block)
    assert seen is not None
    return seen


def apart(one: Reply, other: Reply) -> float:
    """Return by how much the most different probability differs."""
    assert one.probabilities is not None
    assert other.probabilities is not None
    mine, theirs = one.probabilities, other.probabilities
    mass = abs((one.label_mass or 0) - (other.label_mass or 0))
    return max(mass, *(abs(mine[label] - theirs[label]) for label in mine))


def mixed(it: Subject) -> list[Request]:
    """Return questions of two lengths on clips of two, and on none."""
    short, long = clip(2), clip(4, seed=3)
    clips = [short, long, shown("black", long, 1), shown("reversed", long, 1), None]
    questions = (QUESTION, "which comes first ?")
    return [request(each, question) for question in questions for each in clips]


def alone_of(
    some: Sequence[Request], wanted: Sequence[Request], alone: Sequence[Reply]
) -> Iterator[Reply]:
    """Yield the replies that *some* of *wanted* had when each was asked alone."""
    places = {id(each): place for place, each in enumerate(wanted)}
    return (alone[places[id(each)]] for each in some)


@contextmanager
def only_labels(loaded: Loaded) -> Iterator[None]:
    """Make all tokens but the labels unlikely, whatever the prompt."""
    import torch

    labels = torch.tensor(loaded.tokenizer.convert_tokens_to_ids(list(LABELS)))

    def hide(module: Any, given: Any, logits: Any) -> Any:  # noqa: ANN401 - torch's
        hidden = torch.full_like(logits, -1e4)
        hidden[..., labels] = logits[..., labels]
        return hidden

    handle = loaded.model.get_output_embeddings().register_forward_hook(hide)
    try:
        yield
    finally:
        handle.remove()


@contextmanager
def no_sampling(loaded: Loaded) -> Iterator[None]:
    """Raise where the video processor chooses frames."""
    processor = getattr(loaded.processor, "video_processor", None)

    def refuse(*args: object, **options: object) -> None:
        raise AssertionError("the processor samples frames by itself")

    if processor is None:
        yield
        return
    processor.sample_frames = refuse
    try:
        yield
    finally:
        del processor.sample_frames
