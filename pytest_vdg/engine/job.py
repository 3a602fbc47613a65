"""`Job`: one run under way, from the plan's cells to the results.

Apart from `evaluate`, which says what a run is made of, because this is what
happens to each cell: decode, alter, ask, check, keep. Cells are asked in
windows; whatever their size, results, errors and what is kept are the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from pytest_vdg.backends.protocol import Backend, Reply
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.engine.asking import Entry, Window, load, replies, takes_many
from pytest_vdg.engine.consumption import Planned, check_against, check_cell
from pytest_vdg.engine.division import Division
from pytest_vdg.engine.footage import Footage
from pytest_vdg.engine.grading import answered, graded, unanswered
from pytest_vdg.engine.hands import Hands, Lots, require_same
from pytest_vdg.engine.identity import RunIdentity, prompt_for
from pytest_vdg.engine.pace import Pace
from pytest_vdg.engine.patience import Patience
from pytest_vdg.engine.plan import Plan, VideoPlan, shows_video
from pytest_vdg.engine.progress import Progress, ProgressCallback
from pytest_vdg.engine.recall import recall
from pytest_vdg.engine.reel import Reel, uses_of
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.engine.showing import altered
from pytest_vdg.engine.views import samplings_besides
from pytest_vdg.engine.waiting import Waiting
from pytest_vdg.errors import BackendError, ConditionNotApplicable, MediaError
from pytest_vdg.frames.conditions import Condition, view_of
from pytest_vdg.frames.decoding import Decoders
from pytest_vdg.runs import CellResult, Outcome
from pytest_vdg.store.cells import CellStore
from pytest_vdg.store.claims import Claims

Cells = dict[tuple[str, str], CellResult]


@dataclass(kw_only=True)
class Job:
    """One run under way: the cells so far, and what the next one needs."""

    plan: Plan
    backend: Backend
    settings: RunSettings
    identity: RunIdentity
    keys: Mapping[tuple[str, str], str]
    kept: Cells
    decoders: Decoders
    store: CellStore | None
    progress: ProgressCallback | None
    digests: Mapping[str, str]
    """Content digest of each video that can be read."""
    share: Claims | None = None
    """What other processes have taken of the same work; None where none do."""
    deadline: float | None = None
    """When no more videos are begun, of `time.monotonic`; None for never."""
    hands: Hands | None = None
    """What asks in place of *backend*; None where that is asked here."""
    cells: Cells = field(default_factory=dict)
    cached: int = 0
    failed: int = 0

    def __post_init__(self) -> None:
        """Look nothing up and decode nothing yet."""
        resumed = bool(self.kept)
        self.patience = Patience.of(
            self.settings, cells=self.plan.total, resumed=resumed
        )
        self.elsewhere: set[tuple[str, str]] = set()  # cells that hands have asked
        self.scoring = self.identity.scoring
        self.origin = self.identity.origin
        self.to_ask = self.plan.total - len(self.kept)
        self.start = time.monotonic()
        self.pace = Pace(time.monotonic)
        # What was asked elsewhere is put to the store together in any case.
        self.many = self.hands is not None or takes_many(self.backend)
        self._load_once = cache(partial(load, self.backend))
        # A window that waits takes time that may be short.
        self.waiting = Waiting(self.backend, may_wait=self.deadline is None)
        own = self.settings.sampling
        self.also = samplings_besides(self.plan, self.kept, own)
        self.planned = Planned.of(self.plan.conditions, own, self.identity.block)
        self.window = self._new_window()

    def run(self, *, whole: bool = True) -> None:
        """Come to a result for each cell, as far as the time allows.

        Without *whole*, only for cells that no other process has taken.
        """
        for videos in self._turns(whole=whole):
            uses = uses_of(self.plan, self.kept, self.settings.size, videos, self.also)
            self.reel = Reel(uses, self.decoders)
            for video in videos:
                self._ask_about(video)
            self._ask()
            self._settle(self.waiting.end())

    def _turns(self, *, whole: bool) -> Iterator[Sequence[VideoPlan]]:
        if self.hands is not None:
            return self._handed(self.hands)
        if self.share is None:
            return iter([self.plan.videos])
        subject = sorted(self.identity.backend.subject.items())
        division = Division(
            claims=self.share,
            name=lambda video: repr((subject, str(video.path))),
            unknown=self._unknown,
            renew=self._renew,
            most=self.settings.window_cells,
        )
        return division.turns(self.plan.videos, whole=whole)

    def _handed(self, hands: Hands) -> Iterator[Sequence[VideoPlan]]:
        """Yield what is known, then what *hands* have asked, as it comes back.

        It is known by then, and checked and kept as if it had been asked here.
        """
        lots = Lots(
            self.plan, self.kept, self.settings, pace=self.pace, until=self.deadline
        )
        yield lots.known
        for handed in hands.answers(lots):
            require_same(handed, self.keys, self.digests)
            self.patience.take_in(handed.cells, handed.broken)
            found = {(c.question_id, c.condition): c for c in handed.cells}
            self.kept.update(found)
            self.elsewhere.update(found)
            yield lots.back(handed)
        lots.require_all()

    def _renew(self, video: VideoPlan) -> None:
        """Take in what other processes have answered about *video* by now."""
        cells = [(q.id, str(c)) for q in video.questions for c in self.plan.conditions]
        wanted = (cell for cell in cells if cell not in self.kept)
        keys = {cell: self.keys[cell] for cell in wanted if cell in self.keys}
        found = recall(keys, self.store, self.share)
        self.kept.update(found)
        self.to_ask -= len(found)

    def _ask_about(self, video: VideoPlan) -> None:
        new = self._unknown(video)
        if new and self.pace.past(self.deadline):
            return  # those that cost nothing may follow
        if self.window.asked and self.window.asked + new > self.window.cells:
            self._ask()
        self._gather(video)

    def _unknown(self, video: VideoPlan) -> int:
        keys = ((q.id, str(c)) for q in video.questions for c in self.plan.conditions)
        return sum(key not in self.kept for key in keys)

    def _gather(self, video: VideoPlan) -> None:
        """Put all cells of *video* to those that are asked next."""
        footage = Footage(video, self.plan.paths, self.settings, self.reel, self.also)
        for question in video.questions:
            for condition in self.plan.conditions:
                try:
                    entry = self._entry(question, condition, footage)
                except Exception:
                    self._settle(self.waiting.end())
                    raise
                self.window.add(entry)
                if self.window.full:
                    self._ask()

    def _entry(
        self, question: Question, condition: Condition, footage: Footage
    ) -> Entry:
        place = question.id, str(condition)
        elsewhere = place in self.elsewhere

        def known(cell: CellResult, *, kept: bool = False) -> Entry:
            return Entry(
                question=question,
                condition=condition,
                cell=cell,
                has_light=partial(footage.has_light, question.excerpt),
                kept=kept,
                elsewhere=elsewhere,
            )

        cell = self.kept.pop(place, None)
        if cell is not None:
            again = graded(cell, question, scoring=self.scoring)
            return known(again, kept=not elsewhere)
        source = shown = None
        try:
            if shows_video(condition):
                view = view_of(condition, self.settings.sampling)
                source = footage.clip(question.excerpt, view)
                self._load_once()  # by now the next videos are being read
                shown = altered(
                    source,
                    question,
                    condition,
                    footage,
                    plan=self.plan,
                    seed=self.settings.seed,
                    block=self.identity.block,
                )
        except MediaError as e:
            return known(unanswered(question, condition, Outcome.FAILED, str(e)))
        except ConditionNotApplicable as e:
            outcome = Outcome.NOT_APPLICABLE
            return known(unanswered(question, condition, outcome, str(e)))
        return Entry(
            question=question,
            condition=condition,
            has_light=footage.light_of(source, question.excerpt),
            source=source,
            prompt=prompt_for(question, self.settings.style),
            shown=shown,
        )

    def _new_window(self) -> Window:
        """Return an empty window, no larger than the time that is left."""
        cells = self.settings.window_cells if self.many else 1
        cells = self.pace.room(cells, self.deadline)
        return Window(cells=cells, room=self.settings.window_bytes)

    def _ask(self) -> None:
        """Ask what has gathered, now or after what comes next was made ready."""
        self._settle(self.waiting.take(self.window))
        self.window = self._new_window()

    def _settle(self, windows: Iterable[Window]) -> None:
        """Ask what is in *windows*, and check and keep it cell by cell."""
        for window in windows:
            done, new = list[CellResult](), list[CellResult]()
            said = replies(self.backend, window)
            try:
                for entry in window.entries:
                    cell = entry.cell or self._answered(entry, next(said))
                    check_cell(cell)
                    others = self._others(entry.question)
                    check_against(
                        cell, others, has_light=entry.has_light, planned=self.planned
                    )
                    self.cells[cell.question_id, cell.condition] = cell
                    done.append(cell)
                    if not entry.kept:
                        new.append(cell)
            finally:
                self._keep(new)
            self.to_ask -= len(new)
            self._report(done, window.asked)

    def _answered(self, entry: Entry, reply: Reply | BackendError) -> CellResult:
        question, condition = entry.question, entry.condition
        if isinstance(reply, BackendError):
            cell = unanswered(question, condition, Outcome.FAILED, str(reply))
            self.patience.failed(cell)
            return cell
        self.patience.answered()
        return answered(
            question, condition, reply, clip=entry.shown, scoring=self.scoring
        )

    def _others(self, question: Question) -> list[CellResult]:
        keys = ((question.id, str(c)) for c in self.plan.conditions)
        return [self.cells[key] for key in keys if key in self.cells]

    def _keep(self, cells: list[CellResult]) -> None:
        if self.store is None:
            return
        keys = ((self.keys.get((c.question_id, c.condition)), c) for c in cells)
        pairs = [(key, cell) for key, cell in keys if key is not None]
        if self.share is not None:
            self.share.note(pairs)
        pairs = [(key, c) for key, c in pairs if c.outcome is not Outcome.FAILED]
        if pairs:
            self.store.put_many(pairs, origin=self.origin)

    def _report(self, cells: list[CellResult], asked: int) -> None:
        self.cached += sum(cell.cached for cell in cells)
        self.failed += sum(cell.outcome is Outcome.FAILED for cell in cells)
        if asked:
            self.pace.note(asked)
        if self.progress is not None and cells:
            self.progress(
                Progress(
                    done=len(self.cells),
                    total=self.plan.total,
                    cached=self.cached,
                    failed=self.failed,
                    seconds=time.monotonic() - self.start,
                    to_ask=self.to_ask,
                    rate=self.pace.rate,
                )
            )
