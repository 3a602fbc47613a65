"""`Reel`: the clips of a run, each decoded once, ahead of its use and for all uses.

Apart from `Footage`, which knows one video, because this knows the order of
all: what comes next is read while the model works, and what is used again
(under ``mismatched`` each video stands in for another one) is kept until then,
as far as memory allows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from pytest_vdg.engine.plan import Plan, VideoPlan, shows_video
from pytest_vdg.errors import MediaError
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.conditions import crf_of, needs_partner
from pytest_vdg.frames.decoding import Decoders, Want
from pytest_vdg.frames.sampling import Sampling

ROOM = 256 << 20
"""Bytes of clips that are decoded and not yet asked about; a few large videos."""
LEAST_HELD = 3
"""Clips that are kept for later use, however large they are."""
MOST_AHEAD = 64
"""Clips that are decoded ahead, however small they are."""

Known = Collection[tuple[str, str]]
"""Cells by question and condition that need no video any more."""


@dataclass(frozen=True, kw_only=True)
class Use:
    """One video's need of a clip."""

    want: Want
    ahead: bool = True
    """Whether to decode it before it is asked for."""


class Reel:
    """Gives clips in the order of *uses*; others are decoded when they are wanted."""

    def __init__(
        self, uses: Iterable[Use], decoders: Decoders, *, room: int = ROOM
    ) -> None:
        """Decode nothing yet. Keep at most *room* bytes, or a few clips, for later."""
        self._uses = tuple(uses)
        self._decoders = decoders
        self._room = room
        self._later: dict[Want, deque[int]] = {}
        for place, use in enumerate(self._uses):
            self._later.setdefault(use.want, deque()).append(place)
        self._done = 0  # uses before this one are over
        self._asked = 0  # uses before this one were looked at, to decode ahead
        self._coming: dict[Want, Callable[[], Clip]] = {}
        self._held: dict[Want, Clip | MediaError] = {}
        self._largest = 0

    def offers(self, want: Want) -> bool:
        """Return whether *want* is decoded, or going to be for more than one use."""
        places = self._later.get(want)
        return self._has(want) or bool(places and self._uses[places[0]].ahead)

    def _has(self, want: Want) -> bool:
        return want in self._held or want in self._coming

    def take(self, want: Want) -> Clip:
        """Return the clip for its next use; `MediaError` if there is none."""
        if not self._has(want):
            self._coming[want] = self._decoders.submit(want)
        self._pass_to(want)
        self._look_ahead()
        result = self._held.pop(want, None) or self._arrived(want)
        if self._later.get(want):
            self._held[want] = result
            self._make_room()
        if isinstance(result, MediaError):
            raise result
        return result

    def _arrived(self, want: Want) -> Clip | MediaError:
        try:
            clip = self._coming.pop(want)()
        except MediaError as error:
            return error
        self._largest = max(self._largest, clip.frames.nbytes)
        return clip

    def _pass_to(self, want: Want) -> None:
        """Take all uses up to the next one of *want* as over."""
        places = self._later.get(want)
        if not places:
            return
        end = places[0] + 1
        for use in self._uses[self._done : end]:
            self._later[use.want].popleft()
            if use.want != want and not self._later[use.want]:
                self._held.pop(use.want, None)  # its question needed it no more
                self._coming.pop(use.want, None)
        self._done = end

    def _look_ahead(self) -> None:
        if not self._decoders.workers:
            return  # it would only be read sooner, and not meanwhile
        self._asked = max(self._asked, self._done)
        while self._asked < len(self._uses) and self._may_ask():
            use = self._uses[self._asked]
            self._asked += 1
            if use.ahead and not self._has(use.want):
                self._coming[use.want] = self._decoders.submit(use.want)

    def _may_ask(self) -> bool:
        ahead = len(self._coming)
        if ahead <= self._decoders.workers:
            return True
        if not self._largest or ahead >= MOST_AHEAD:
            return False
        return self._bytes() + (ahead + 1) * self._largest <= self._room

    def _make_room(self) -> None:
        """Give up what is used last, until the rest has room.

        A video that stands in for the one before it stays until its own turn, else
        it might be decoded three times. Two others at most are used before that.
        """
        while len(self._held) > LEAST_HELD and self._bytes() > self._room:
            last = max(self._held, key=lambda want: self._later[want][0])
            del self._held[last]

    def _bytes(self) -> int:
        clips = (clip for clip in self._held.values() if isinstance(clip, Clip))
        return sum(clip.frames.nbytes for clip in clips)


def uses_of(
    plan: Plan,
    known: Known,
    size: tuple[int, int] | None,
    videos: Sequence[VideoPlan] | None = None,
    also: tuple[Sampling, ...] = (),
) -> Iterator[Use]:
    """Yield what the cells of *plan* that are not *known* show, in their order.

    Only those about *videos*, where some are given. *also* are the samplings
    besides the run's own, which are taken in the same pass.

    A partner is shown at the size of the clip that it stands in for. Where
    sizes are those of the files it is decoded ahead only if the next video is
    the same one, which takes it as it is; else a video might be decoded
    three times.
    """
    videos = plan.videos if videos is None else videos
    own = [tuple(_wants(plan, video, known, size, also)) for video in videos]
    for place, video in enumerate(videos):
        partner = plan.paths.get(video.partner or "")
        following = own[place + 1] if place + 1 < len(own) else ()
        for want in own[place]:
            ahead = want.path != partner or size is not None or want in following
            yield Use(want=want, ahead=ahead)


def _wants(
    plan: Plan,
    video: VideoPlan,
    known: Known,
    size: tuple[int, int] | None,
    also: tuple[Sampling, ...],
) -> Iterator[Want]:
    """Yield what is read for *video*, each once, when a cell first asks for it.

    Every encoding is read by itself: it takes all frames of the video where the
    others take a few, and each level may have a process of its own.
    """
    partner = plan.paths.get(video.partner or "")
    asked: set[Want] = set()
    for question, condition in product(video.questions, plan.conditions):
        if not shows_video(condition) or (question.id, str(condition)) in known:
            continue
        crf = crf_of(condition)
        taken = also if crf is None else ()
        wants = [
            Want(
                path=video.path,
                excerpt=question.excerpt,
                size=size,
                also=taken,
                crf=crf,
            )
        ]
        if needs_partner(condition) and partner is not None:
            part = video.partner_excerpt
            wants.append(Want(path=partner, excerpt=part, size=size, also=also))
        for want in wants:
            if want not in asked:
                asked.add(want)
                yield want
