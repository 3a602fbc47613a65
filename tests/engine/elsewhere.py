"""Hands in this process, for tests of what becomes of what is asked elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pytest_vdg.backends.protocol import Backend, Prompt, Reply
from pytest_vdg.backends.scripted import ScriptedBackend
from pytest_vdg.engine.hands import Handed, Lot, Lots
from pytest_vdg.frames.clip import Clip
from pytest_vdg.sessions.hand import Hand


def hand_of(backend: Backend) -> Hand:
    """Return a hand that asks *backend*."""
    hand = Hand("made already", {})
    hand._made = backend
    return hand


class Named:
    """Says who is asked, as *inner* does, and must not be asked itself."""

    def __init__(self, inner: ScriptedBackend) -> None:
        """Take over what *inner* is known by."""
        self.name = inner.name
        self.identity = inner.identity
        self.frames_per_token = inner.frames_per_token

    def ask(self, prompt: Prompt, clip: Clip | None) -> Reply:
        """Fail: others ask."""
        raise AssertionError("asked where nobody should be")

    def close(self) -> None:
        """Hold nothing."""


class Elsewhere:
    """Hands of *among* workers, who are asked one after the other."""

    def __init__(self, backend: Backend, *, among: int = 2) -> None:
        """Ask *backend*."""
        self.hand = hand_of(backend)
        self.among = among
        self.lots: list[Lot] = []
        self.lose: set[str] = set()
        """Videos whose lots are lost, each time."""
        self.change: Callable[[Handed], Handed] = lambda handed: handed
        """What is done to what comes back."""

    def answers(self, lots: Lots, /) -> Iterator[Handed]:
        """Answer lot by lot, the last of those that are under way first."""
        while some := [lot for lot in map(lots.take, [self.among] * self.among) if lot]:
            for lot in reversed(some):
                self.lots.append(lot)
                yield from self._answered(lot, lots)
        self.hand.close()

    def _answered(self, lot: Lot, lots: Lots) -> Sequence[Handed]:
        if self.lose & {video.video for video in lot.plan.videos}:
            return lots.lost(lot, "out of memory")
        handed, _ = self.hand.answer(lot)
        return [self.change(handed)]
