"""`evaluate`: ask a model all cells of a slice, and return the `Run`.

Apart from everything it calls, because this is the only place where frames,
questions, models and store meet: recall, decode, alter, ask, check, keep.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone

from pytest_vdg.backends.protocol import Backend, Reply
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.consumption import check_against, check_cell, check_slice
from pytest_vdg.engine.footage import Footage, digests
from pytest_vdg.engine.grading import answered, graded, unanswered
from pytest_vdg.engine.identity import RunIdentity, prompt_for
from pytest_vdg.engine.patience import Patience
from pytest_vdg.engine.plan import Plan, VideoPlan, make_plan, shows_video
from pytest_vdg.engine.preflight import preflight
from pytest_vdg.engine.progress import Progress, ProgressCallback
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.errors import (
    BackendError,
    BackendUnavailable,
    ConditionNotApplicable,
    MediaError,
)
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.conditions import Condition, apply, needs_partner
from pytest_vdg.runs import AskedQuestion, CellResult, Outcome, Run
from pytest_vdg.store.cells import CellStore

Cells = dict[tuple[str, str], CellResult]


def evaluate(
    slice_: Slice,
    backend: Backend,
    conditions: Sequence[str],
    settings: RunSettings,
    *,
    store: CellStore | None = None,
    progress: ProgressCallback | None = None,
) -> Run:
    """Ask *backend* every question of *slice_* under every condition, once.

    Parameters
    ----------
    slice_
        What to ask.
    backend
        Whom to ask. It stays open; whoever made it closes it. It is not asked,
        and so need not load, when *store* has all answers.
    conditions
        Specs such as ``original`` and ``single_frame:middle``; repeats count once.
    settings
        How to ask.
    store
        Where answers are looked up and kept; None keeps nothing.
    progress
        Called after each cell.

    Returns
    -------
    Run
        Questions in the order of the slice, conditions in the order given.

    Raises
    ------
    ConfigError
        For an unknown condition, before anything is opened or loaded.
    CouldNotBeJudged
        For videos that cannot be read, all named, before anything is loaded;
        and for a backend that answers nothing at all.
    VideoNotConsumed
        As soon as the video is seen not to reach the model.
    """
    plan = make_plan(slice_, conditions, seed=settings.seed)
    identity = RunIdentity.of(backend, settings)
    content = digests(plan.videos)
    kept = {} if store is None else _recall(plan, identity, content, store)
    if settings.on_bad_media == "fail":
        preflight(slice_, videos=_still_shown(plan, kept))
    job = _Job(
        plan=plan,
        backend=backend,
        settings=settings,
        identity=identity,
        digests=content,
        kept=kept,
        store=store,
        progress=progress,
    )
    for video in plan.videos:
        job.run_video(video)
    check_slice(job.cells)
    return Run(
        checkpoint=identity.name,
        slice_name=slice_.name,
        questions=tuple(_asked(q, content.get(q.video, "")) for q in slice_.questions),
        conditions=tuple(str(c) for c in plan.conditions),
        cells=job.cells,
        fingerprint=identity.fingerprint(slice_),
        caps=settings.caps,
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )


@dataclass(kw_only=True)
class _Job:
    """One run under way: the cells so far, and what the next one needs."""

    plan: Plan
    backend: Backend
    settings: RunSettings
    identity: RunIdentity
    digests: Mapping[str, str]
    kept: Cells
    store: CellStore | None
    progress: ProgressCallback | None
    cells: Cells = field(default_factory=dict)
    cached: int = 0
    failed: int = 0

    def __post_init__(self) -> None:
        self.patience = Patience(self._most_failures())
        self.scoring = self.identity.scoring
        self.paths = {video.video: video.path for video in self.plan.videos}
        self.start = time.monotonic()

    def _most_failures(self) -> int:
        """Return after how many failures the run is given up.

        A run that is taken up again asks first what failed the last time. It
        is given up when one condition is beyond its cap in any case.
        """
        if not self.kept:
            return self.settings.give_up_after
        allowed = math.floor(self.settings.caps.failed * self.plan.total)
        return max(self.settings.give_up_after, allowed + 1)

    def run_video(self, video: VideoPlan) -> None:
        """Answer all questions about *video*; its frames are freed afterwards."""
        footage = Footage(video, self.paths, self.settings)
        for question in video.questions:
            for condition in self.plan.conditions:
                self._run_cell(video, question, condition, footage)

    def _run_cell(
        self,
        video: VideoPlan,
        question: Question,
        condition: Condition,
        footage: Footage,
    ) -> None:
        cell = self.kept.pop((question.id, str(condition)), None)
        if cell is not None:
            cell = graded(cell, question, scoring=self.scoring)
        else:
            cell = self._new_cell(question, condition, footage)
        check_cell(cell)
        check_against(cell, self._others(question), has_light=footage.has_light)
        self._keep(video, question, condition, cell)
        self.cells[question.id, cell.condition] = cell
        self._report(cell)

    def _new_cell(
        self, question: Question, condition: Condition, footage: Footage
    ) -> CellResult:
        try:
            clip = self._shown(question, condition, footage)
        except MediaError as e:
            return unanswered(question, condition, Outcome.FAILED, str(e))
        except ConditionNotApplicable as e:
            return unanswered(question, condition, Outcome.NOT_APPLICABLE, str(e))
        try:
            reply = self._ask(question, clip)
        except BackendUnavailable:
            raise  # no other cell would fare better
        except BackendError as e:
            cell = unanswered(question, condition, Outcome.FAILED, str(e))
            self.patience.failed(cell)
            return cell
        self.patience.answered()
        return answered(question, condition, reply, clip=clip, scoring=self.scoring)

    def _shown(
        self, question: Question, condition: Condition, footage: Footage
    ) -> Clip | None:
        if not shows_video(condition):
            return None
        partner = None
        if needs_partner(condition):
            if self.plan.no_partner is not None:
                raise ConditionNotApplicable(self.plan.no_partner)
            partner = footage.partner()
        return apply(
            condition,
            footage.clip(),
            question_id=question.id,
            seed=self.settings.seed,
            block=self.identity.block,
            partner=partner,
        )

    def _ask(self, question: Question, clip: Clip | None) -> Reply:
        prompt = prompt_for(question, self.settings.instruction)
        return self.backend.ask(prompt, clip)

    def _others(self, question: Question) -> list[CellResult]:
        keys = ((question.id, str(c)) for c in self.plan.conditions)
        return [self.cells[key] for key in keys if key in self.cells]

    def _keep(
        self,
        video: VideoPlan,
        question: Question,
        condition: Condition,
        cell: CellResult,
    ) -> None:
        if self.store is None or cell.cached or cell.outcome is Outcome.FAILED:
            return
        key = self.identity.key(video, question, condition, self.digests)
        if key is not None:
            self.store.put(key, cell)

    def _report(self, cell: CellResult) -> None:
        self.cached += cell.cached
        self.failed += cell.outcome is Outcome.FAILED
        if self.progress is not None:
            self.progress(
                Progress(
                    done=len(self.cells),
                    total=self.plan.total,
                    cached=self.cached,
                    failed=self.failed,
                    seconds=time.monotonic() - self.start,
                )
            )


def _recall(
    plan: Plan, identity: RunIdentity, content: Mapping[str, str], store: CellStore
) -> Cells:
    """Return the cells of *plan* that *store* holds."""
    found: Cells = {}
    for video, question, condition in plan.cells():
        key = identity.key(video, question, condition, content)
        cell = None if key is None else store.get(key)
        if cell is not None:
            found[question.id, str(condition)] = cell
    return found


def _still_shown(plan: Plan, kept: Cells) -> set[str]:
    """Return the videos that cells still to be asked will show."""
    videos: set[str] = set()
    for video, question, condition in plan.cells():
        if (question.id, str(condition)) in kept or not shows_video(condition):
            continue
        videos.add(video.video)
        if needs_partner(condition) and video.partner is not None:
            videos.add(video.partner)
    return videos


def _asked(question: Question, video_digest: str) -> AskedQuestion:
    return AskedQuestion(
        id=question.id,
        video=question.video,
        task=question.task,
        labels=question.labels,
        answer=question.answer,
        digest=question.digest,
        video_digest=video_digest[:16],  # enough to tell, and short in a baseline
    )
