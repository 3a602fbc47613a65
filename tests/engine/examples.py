"""Small real clips, a benchmark of them, and models that look at pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import av
import numpy as np

from pytest_vdg.backends.protocol import (
    Backend,
    BackendIdentity,
    Prompt,
    Reply,
    Request,
)
from pytest_vdg.backends.scripted import ScriptedBackend
from pytest_vdg.benchmarks.schema import Benchmark, Option, Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.footage import Footage
from pytest_vdg.engine.plan import Plan
from pytest_vdg.engine.reel import Reel
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.errors import BackendError
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.decoding import Decoders
from pytest_vdg.frames.sampling import Sampling

CLIPS = {"a.mp4": 60, "b.mp4": 120, "c.mp4": 180}
"""Name to the brightness of its first frame; each next one is brighter."""

SETTINGS = RunSettings(sampling=Sampling(frames=4), decode_workers=0)
"""Read in this process: most tests are not about who reads."""
LADDER = ("original", "black", "single_frame", "shuffled")


def write_clip(path: Path, *, level: int, frames: int = 8, side: int = 32) -> None:
    """Write an H.264 clip of plain grey frames, 8 a second, getting brighter."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=8)
        stream.width = stream.height = side
        stream.pix_fmt = "yuv420p"
        for i in range(frames):
            step = 8 * i if level else 0
            pixels = np.full((side, side, 3), level + step, dtype=np.uint8)
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def question(question_id: str, video: str, answer: str = "A") -> Question:
    """Return a question about the light in *video*."""
    return Question(
        id=question_id,
        text=f"Is there light ({question_id})?",
        options=(Option(label="A", text="yes"), Option(label="B", text="no")),
        answer=answer,
        task="light",
        video=video,
    )


def slice_of(root: Path, questions: Sequence[Question], name: str = "light") -> Slice:
    """Return a slice of all *questions*, in their order."""
    benchmark = Benchmark(
        name="light", root=root, questions=tuple(questions), source="tests"
    )
    return Slice(name=name, benchmark=benchmark, ids=tuple(q.id for q in questions))


def reading(settings: RunSettings = SETTINGS) -> Decoders:
    """Return what reads videos as *settings* say, to be counted."""
    return Decoders(
        sampling=settings.sampling,
        reader=settings.reader,
        workers=settings.decode_workers,
        timeout_s=settings.decode_timeout_s,
    )


def footage_of(plan: Plan) -> Footage:
    """Return the footage of the first video of *plan*, which nothing else uses."""
    reel = Reel((), reading())
    return Footage(plan.videos[0], plan.paths, SETTINGS, reel)


def look(prompt: Prompt, clip: Clip | None) -> dict[str, float]:
    """Answer A the surer, the brighter the clip is."""
    light = 0.0 if clip is None else float(clip.frames.mean()) / 255
    return {"A": 0.3 + 0.7 * light, "B": 0.7 - 0.7 * light}


def shrug(prompt: Prompt, clip: Clip | None) -> dict[str, float]:
    """Answer with the very same numbers whatever is shown."""
    return {"A": 0.6, "B": 0.4}


def model(**changes: object) -> ScriptedBackend:
    """Return a model that looks, under ``choice`` scoring, with *changes*."""
    answer = changes.pop("answer", look)
    return ScriptedBackend(answer, **({"scoring": "choice"} | changes))


class Stub:
    """A model that looks, with faults that `ScriptedBackend` does not have."""

    name = "stub"
    frames_per_token = 1

    def __init__(
        self, *, reply: Mapping[str, object] | None = None, fails: int = 0
    ) -> None:
        """Replace fields of each *reply*; raise on the first *fails* calls."""
        self.calls = 0
        self.fails = fails
        self._changes = dict(reply or {})
        self._inner = model()

    @property
    def identity(self) -> BackendIdentity:
        """That of the model inside."""
        return self._inner.identity

    def ask(self, prompt: Prompt, clip: Clip | None) -> Reply:
        """Fail, or answer with fields replaced."""
        self.calls += 1
        if self.calls <= self.fails:
            raise BackendError(f"out of memory ({self.calls})")
        return replace(self._inner.ask(prompt, clip), **self._changes)

    def close(self) -> None:
        """Hold nothing."""


class Many:
    """A backend that is asked many at a time, of an *inner* one that is not."""

    def __init__(self, inner: Backend) -> None:
        """Ask *inner* one after the other, and note how many came together."""
        self.inner = inner
        self.windows: list[Sequence[Request]] = []

    @property
    def name(self) -> str:
        """That of the model inside."""
        return self.inner.name

    @property
    def identity(self) -> BackendIdentity:
        """That of the model inside."""
        return self.inner.identity

    @property
    def frames_per_token(self) -> int:
        """That of the model inside."""
        return self.inner.frames_per_token

    def ask(self, prompt: Prompt, clip: Clip | None) -> Reply:
        """Refuse: whoever can ask many does."""
        raise AssertionError("asked one at a time")

    def ask_many(self, requests: Sequence[Request]) -> list[Reply | BackendError]:
        """Return the replies, and errors in their places."""
        self.windows.append(requests)
        return [self._asked(request) for request in requests]

    def _asked(self, request: Request) -> Reply | BackendError:
        try:
            return self.inner.ask(request.prompt, request.clip)
        except BackendError as error:
            return error

    def close(self) -> None:
        """Close the model inside."""
        self.inner.close()
