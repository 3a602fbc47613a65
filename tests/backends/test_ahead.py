"""Inputs made ahead: the same answers, no two makers at a time, nothing held."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from pytest_vdg.backends._hf_ahead import MOST_BEGUN, Ahead
from pytest_vdg.backends._hf_checks import open_checkpoint
from pytest_vdg.backends._hf_families import family_of
from pytest_vdg.backends._hf_inputs import build_inputs
from pytest_vdg.backends._hf_load import load_checkpoint
from pytest_vdg.backends._hf_pixels import PixelMaker, Pixels
from pytest_vdg.backends._hf_place import Placing
from pytest_vdg.backends._hf_prepare import InputBuilder
from pytest_vdg.backends.protocol import PreparingBackend, Prompt, Request
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.backends.work import Work
from pytest_vdg.frames.clip import Clip
from tests.backends.test_sharing import good, requests, require_same

PROMPT = Prompt(text="?", labels=("A", "B"), option_texts=("yes", "no"))


def batch(size: int = 2) -> list[Request]:
    """Return *size* requests, equal in content to those of any other batch."""
    return [Request(prompt=PROMPT, clip=None) for _ in range(size)]


@pytest.fixture
def ahead() -> Iterator[Ahead[int]]:
    """Return one whose thread is ended after the test."""
    made = Ahead[int](threads=None)
    yield made
    made.forget()


class Maker:
    """Counts what it is called with, and refuses to be called twice at a time."""

    def __init__(self) -> None:
        """Wait for nobody."""
        self.seen: list[Sequence[Request]] = []
        self.threads: list[threading.Thread] = []
        self._busy = threading.Lock()

    def __call__(self, some: Sequence[Request]) -> int:
        """Return how often this was called."""
        assert self._busy.acquire(blocking=False), "called twice at a time"
        try:
            self.seen.append(some)
            self.threads.append(threading.current_thread())
            threading.Event().wait(0.01)  # so that another one would come in between
            return len(self.seen)
        finally:
            self._busy.release()


# -- the thread --------------------------------------------------


def test_what_was_begun_is_not_made_again(ahead: Ahead[int]) -> None:
    """It is made once, in another thread, for these requests and no equal ones."""
    make, mine, equal = Maker(), batch(), batch()
    ahead.begin(make, mine)
    assert [ahead.of(make, mine), ahead.of(make, equal)] == [1, 2]
    assert [some is mine for some in make.seen] == [True, False]
    main = threading.current_thread()
    assert [thread is main for thread in make.threads] == [False, True]


def test_batches_are_made_in_their_order(ahead: Ahead[int]) -> None:
    """One waits while another is made; what is asked for first is made first."""
    make, first, second = Maker(), batch(), batch()
    ahead.begin(make, first)
    ahead.begin(make, second)
    assert [ahead.of(make, first), ahead.of(make, second)] == [1, 2]


def test_no_more_is_held_than_is_asked_next(ahead: Ahead[int]) -> None:
    """What was passed over is let go of, and made anew if it is wanted after all."""
    make, batches = Maker(), [batch() for _ in range(MOST_BEGUN + 2)]
    for some in batches:
        ahead.begin(make, some)
    assert ahead.of(make, batches[-1]) == len(batches)
    assert ahead.of(make, batches[-2]) == len(batches) + 1


def test_an_error_is_raised_where_its_batch_is_asked(ahead: Ahead[int]) -> None:
    """Not where it was begun, and not with another one."""

    def fail(some: Sequence[Request]) -> int:
        raise LookupError(len(some))

    first, second = batch(1), batch(2)
    ahead.begin(fail, first)
    ahead.begin(lambda _: 7, second)
    with pytest.raises(LookupError, match="1"):
        ahead.of(fail, first)
    assert ahead.of(fail, second) == 7


def test_nothing_is_at_work_once_it_was_forgotten(ahead: Ahead[int]) -> None:
    """Its thread has ended, and what it was about is made when it is asked for."""
    make, some = Maker(), batch()
    ahead.begin(make, some)
    ahead.forget()
    begun = len(make.seen)
    assert not any(thread.is_alive() for thread in make.threads)
    assert ahead.of(make, some) == begun + 1


# -- the backend -------------------------------------------------


@pytest.mark.parametrize("scoring", ["choice", "generate"])
def test_replies_do_not_depend_on_being_prepared(
    checkpoint: Path, scoring: str
) -> None:
    """Inputs are the same to the bit, made ahead or not, in the order of a run."""
    wanted = requests()
    halves = wanted[: len(wanted) // 2], wanted[len(wanted) // 2 :]
    settings = TransformersSettings(
        checkpoint=checkpoint, device="cpu", threads=1, scoring=scoring
    )  # type: ignore[arg-type]
    plain, prepared = (TransformersBackend(settings) for _ in range(2))
    assert isinstance(prepared, PreparingBackend)
    expected = [good(plain.ask_many(half)) for half in halves]
    prepared.load()
    for half in halves:
        prepared.prepare_many(half)
    found = [good(prepared.ask_many(half)) for half in halves]
    if scoring == "choice":
        for one, other in zip(found, expected, strict=True):
            require_same(one, other)
    assert [[r.text for r in half] for half in found] == [
        [r.text for r in half] for half in expected
    ]
    for backend in (plain, prepared):
        backend.close()


def test_requests_may_be_asked_in_other_batches_than_they_were_prepared(
    checkpoint: Path,
) -> None:
    """What was made ahead is then of no use, and of no harm."""
    wanted = requests(videos=1)
    backend = TransformersBackend(
        TransformersSettings(checkpoint=checkpoint, device="cpu", threads=1)
    )
    expected = good(backend.ask_many(wanted))
    backend.forget()
    backend.prepare_many(wanted[:5])
    require_same(good(backend.ask_many(wanted)), expected)
    backend.close()


def clip(seed: int, start_s: float = 0.0) -> Clip:
    """Return four frames of noise, two a second, from *start_s* on."""
    rng = np.random.default_rng(seed)
    return Clip(
        frames=rng.integers(0, 256, (4, 32, 32, 3), dtype=np.uint8),
        timestamps_s=np.arange(4) / 2 + start_s,
        source_fps=2.0,
        source_frames=40,
        source_indices=tuple(range(4)),
        reader="synthetic",
    )


@pytest.mark.parametrize("times", ["equal", "of its own each"])
def test_pixels_of_one_size_are_made_together_from_the_first_batch_on(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch, times: str
) -> None:
    """Whether clips have times in common or not; the inputs are the processor's."""
    apart = times != "equal"
    clips = [clip(seed, start_s=seed / 2 * apart) for seed in range(12)]
    calls: list[int] = []
    inner = PixelMaker._call

    def counted(self: PixelMaker, some: Sequence[Clip]) -> Pixels:
        calls.append(len(some))
        return inner(self, some)

    monkeypatch.setattr(PixelMaker, "_call", counted)
    loaded = load_checkpoint(
        open_checkpoint(checkpoint, allow_pickle=False, trust_remote_code=False),
        family_of("qwen2_vl"),
        dtype="float32",
        placing=Placing(device="cpu"),
        attention=None,
    )
    builder = InputBuilder(loaded, Work())
    builder.look_ahead(clips)
    made = [builder.build(f"? {i}", seen) for i, seen in enumerate(clips)]
    # One to learn from, the others, and one alone to hold that against.
    assert calls == [1, 11, 1]
    expected = [build_inputs(loaded, f"? {i}", seen) for i, seen in enumerate(clips)]
    assert [each.digest for each in made] == [each.digest for each in expected]


def test_a_model_that_was_closed_is_held_by_nobody(checkpoint: Path) -> None:
    """Its memory is free at once, before the collector comes by."""
    backend = TransformersBackend(
        TransformersSettings(checkpoint=checkpoint, device="cpu", threads=1)
    )
    wanted = requests(videos=1)
    backend.load()
    backend.prepare_many(wanted)
    good(backend.ask_many(wanted))
    backend.prepare_many(requests(videos=1))
    assert backend._asking is not None
    asking = weakref.ref(backend._asking)
    gc.disable()
    try:
        backend.close()
        assert asking() is None
    finally:
        gc.enable()
