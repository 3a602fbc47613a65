"""Which videos of a plan this process asks about, where several share the work.

Apart from the job, which asks about whatever videos it is given. A process
takes a few videos at a time, so that what is decoded ahead is its own, all
questions about a video meet in one process, and one that dies loses little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pytest_vdg.engine.plan import VideoPlan
from pytest_vdg.store.claims import Claims

SHARE = 2
"""A process takes this part of its share of what is left: the last ones to
finish then wait for little."""


def share(ahead: int, *, workers: int, most: int) -> int:
    """Return how many of the cells *ahead* one of *workers* takes at a time."""
    return max(1, min(most, ahead // (SHARE * workers)))


@dataclass(frozen=True, kw_only=True)
class Division:
    """How a process comes to its videos."""

    claims: Claims
    name: Callable[[VideoPlan], str]
    """What a video is known by in all processes."""
    unknown: Callable[[VideoPlan], int]
    """How many cells of it are still to be asked."""
    renew: Callable[[VideoPlan], None]
    """Look up what others have answered about it."""
    most: int
    """Cells after which no more videos are taken at a time."""

    def turns(
        self, videos: Sequence[VideoPlan], *, whole: bool
    ) -> Iterator[Sequence[VideoPlan]]:
        """Yield *videos* that nobody else asks about, a few at a time.

        They are ours until the next ones are asked for. With *whole* all videos
        come in the end: those of others when they are answered, or when their
        owner died. Without, only those with something to ask that are free.
        """
        left = list(videos)
        while left:
            busy: list[VideoPlan] = []
            while left:
                mine, left = self._some(left, busy, whole=whole)
                yield mine
                self.claims.release()
            if busy and whole:
                # Nothing is held here, so that no two wait for each other.
                self.claims.take(self.name(busy[0]), wait=True)
                left = busy

    def _some(
        self, videos: Sequence[VideoPlan], busy: list[VideoPlan], *, whole: bool
    ) -> tuple[list[VideoPlan], list[VideoPlan]]:
        """Take some of *videos*; return them, and those that were not looked at.

        What others have taken is put to *busy*.
        """
        ahead = sum(map(self.unknown, videos))
        room = share(ahead, workers=self.claims.workers, most=self.most)
        mine: list[VideoPlan] = []
        for place, video in enumerate(videos):
            if room <= 0:
                return mine, list(videos[place:])
            if self.unknown(video):
                if not self.claims.take(self.name(video)):
                    busy.append(video)
                    continue
                self.renew(video)
            found = self.unknown(video)
            room -= found
            if whole or found:
                mine.append(video)
        return mine, []
