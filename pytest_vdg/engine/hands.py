"""`Hands`: what asks a run's questions elsewhere, and the lots that it is given.

Apart from the job, which takes what comes back as if it had asked itself, because
this is the same for every way to ask elsewhere: which videos go out together,
which come again when whoever had them died, and when one is given up.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pytest_vdg.engine.division import share
from pytest_vdg.engine.grading import unanswered
from pytest_vdg.engine.pace import Pace
from pytest_vdg.engine.plan import Plan, VideoPlan
from pytest_vdg.engine.recall import CellId
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import CellResult, Outcome

DEATHS = 3
"""How many must die of a video before it is given up."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Lot:
    """Videos that are asked about together, with all that this takes but a model."""

    plan: Plan
    """Of these videos alone."""
    kept: Mapping[CellId, CellResult]
    """Cells of them that are known; all others are to be asked."""
    settings: RunSettings


@dataclass(frozen=True, eq=False, kw_only=True)
class Handed:
    """What came back of a lot."""

    videos: tuple[str, ...]
    """Names of its videos."""
    cells: tuple[CellResult, ...]
    """Every cell that was to be asked."""
    broken: Collection[CellId] = ()
    """Those that failed in the backend, and not for a video's sake."""
    node: str | None = None
    """Where they were asked; None for cells that were given up."""
    digests: Mapping[str, str]
    """Content digests of the videos, as they are there."""
    keys: Mapping[CellId, str]
    """Keys of the cells, as they were made there."""


@runtime_checkable
class Hands(Protocol):
    """A way to have whole videos asked about elsewhere, by the very same model."""

    def answers(self, lots: Lots, /) -> Iterator[Handed]:
        """Take all *lots*, and yield what comes back as it comes.

        A lot that is lost is told by `Lots.lost`, and what that returns is yielded,
        too. What ends a run, such as `VideoNotConsumed`, raises.
        """


class Lots:
    """The videos of a plan that are still to be asked about, a few at a time."""

    def __init__(
        self,
        plan: Plan,
        kept: Mapping[CellId, CellResult],
        settings: RunSettings,
        *,
        pace: Pace,
        until: float | None,
    ) -> None:
        """Give out nothing yet; nothing is begun after *until*, of *pace*'s clock."""
        self._plan = plan
        self._kept = kept
        self._settings = settings
        self._pace = pace
        self._until = until
        unknown = {v.video: len(_cells(plan, v) - kept.keys()) for v in plan.videos}
        self.known = tuple(v for v in plan.videos if not unknown[v.video])
        """Videos with nothing to ask about."""
        self._unknown = unknown
        self._named = {video.video: video for video in plan.videos}
        self._left = deque(v for v in plan.videos if unknown[v.video])
        self._again: deque[VideoPlan] = deque()
        self._ahead = sum(unknown.values())
        self._out = {v.video for v in self._left}
        self._deaths: Counter[str] = Counter()

    @property
    def open(self) -> bool:
        """Whether there is a video to be begun now."""
        return bool(self._left or self._again) and not self._pace.past(self._until)

    def take(self, among: int) -> Lot | None:
        """Return the next lot where *among* so many take some; None where none is.

        A part of one's share of what is left, so that the last ones to finish are
        waited for shortly. What was lost comes again video by video: one that
        kills is then alone.
        """
        if not self.open:
            return None
        if self._again:
            return self._lot([self._again.popleft()])
        most = self._pace.room(self._settings.window_cells * among, self._until)
        room = share(self._ahead, workers=among, most=max(1, most // among))
        some: list[VideoPlan] = []
        while self._left and room > 0:
            some.append(self._left.popleft())
            room -= self._unknown[some[-1].video]
            self._ahead -= self._unknown[some[-1].video]
        return self._lot(some)

    def _lot(self, videos: Sequence[VideoPlan]) -> Lot:
        plan = self._plan.part(videos)
        cells = (cell for video in videos for cell in _cells(plan, video))
        kept = {cell: self._kept[cell] for cell in cells if cell in self._kept}
        return Lot(plan=plan, kept=kept, settings=self._settings)

    def lost(self, lot: Lot, reason: str) -> list[Handed]:
        """Put the videos of *lot* to those that are left; return what is given up."""
        given_up = []
        for video in lot.plan.videos:
            self._deaths[video.video] += 1
            if self._deaths[video.video] < DEATHS:
                self._again.append(video)
            else:
                given_up.append(self._given_up(video, lot, reason))
        return given_up

    def _given_up(self, video: VideoPlan, lot: Lot, reason: str) -> Handed:
        why = f"{DEATHS} actors that asked about this video died. The last: {reason}"
        cells = tuple(
            unanswered(question, condition, Outcome.FAILED, why)
            for question in video.questions
            for condition in lot.plan.conditions
            if (question.id, str(condition)) not in lot.kept
        )
        broken = [(cell.question_id, cell.condition) for cell in cells]
        return Handed(
            videos=(video.video,), cells=cells, broken=broken, digests={}, keys={}
        )

    def back(self, handed: Handed) -> Sequence[VideoPlan]:
        """Note that *handed* came back; return its videos."""
        self._out.difference_update(handed.videos)
        return [self._named[name] for name in handed.videos]

    def require_all(self) -> None:
        """Raise `CouldNotBeJudged` for videos that never came back, if none may.

        None may without a time limit: the run would look like one of fewer questions.
        """
        if self._out and self._until is None:
            raise CouldNotBeJudged(
                f"{len(self._out)} videos were given to actors and no answer came back "
                f"(first: {min(self._out)}), so the run is not whole"
            )


def _cells(plan: Plan, video: VideoPlan) -> set[CellId]:
    return {(q.id, str(c)) for q in video.questions for c in plan.conditions}


def require_same(
    handed: Handed, keys: Mapping[CellId, str], digests: Mapping[str, str]
) -> None:
    """Raise `CouldNotBeJudged` where *handed* is about other videos than ours.

    *keys* and *digests* are those of the process that plans the run.
    """
    if handed.node is None:
        return
    for video, there in handed.digests.items():
        here = digests.get(video, "")
        if here != there:
            raise CouldNotBeJudged(
                f"video {video!r} is {_content(there)} on node {handed.node}, and "
                f"{_content(here)} where pytest runs. Both must see the same files "
                "under the same paths"
            )
    for cell in handed.cells:
        place = cell.question_id, cell.condition
        if handed.keys.get(place) != keys.get(place):
            raise CouldNotBeJudged(
                f"question {cell.question_id!r}, condition {cell.condition!r}: node "
                f"{handed.node} asks it otherwise than it was planned, so that its "
                "answer cannot be kept. Install the same packages on all nodes"
            )


def _content(digest: str) -> str:
    return f"content {digest[:12]}" if digest else "no file that can be read"
