"""`evaluate`: ask a model all cells of a slice, and return the `Run`.

Apart from everything it calls, because this is the only place where frames,
questions, models and store meet: recall, decode, alter, ask, check, keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace

from pytest_vdg.backends.protocol import Backend
from pytest_vdg.benchmarks.rotation import as_asked, turned_from
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.asking import check_conditions, import_libraries, observed
from pytest_vdg.engine.consumption import check_slice
from pytest_vdg.engine.footage import digests
from pytest_vdg.engine.hands import Hands
from pytest_vdg.engine.identity import RunIdentity
from pytest_vdg.engine.job import Cells, Job
from pytest_vdg.engine.plan import fair_order, make_plan
from pytest_vdg.engine.preflight import places, preflight
from pytest_vdg.engine.progress import ProgressCallback
from pytest_vdg.engine.recall import cell_keys, recall, still_shown
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.engine.views import check_views
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.frames.decoding import Decoders
from pytest_vdg.frames.shelf import Shelf
from pytest_vdg.outcomes.extent import by_task
from pytest_vdg.runs import Run
from pytest_vdg.spelling import moment
from pytest_vdg.store.cells import CellStore
from pytest_vdg.store.claims import Claims


def evaluate(
    slice_: Slice,
    backend: Backend,
    conditions: Sequence[str],
    settings: RunSettings,
    *,
    store: CellStore | None = None,
    progress: ProgressCallback | None = None,
    until: float | None = None,
    decoders: Decoders | None = None,
    shelf: Shelf | None = None,
    share: Claims | None = None,
    hands: Hands | None = None,
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
        Called after each cell, or each few that were asked together.
    until
        No video is begun after this moment of `time.monotonic`, and the run
        holds the questions of those that were finished. Videos are then asked
        about in an order whose every beginning is a fair sample. None: no end.
    decoders
        What reads the videos; made, and ended, here where it is None.
    shelf
        Where clips are kept for the next run of the same frames, and taken from;
        for *decoders* that are made here.
    share
        What other processes of the same job have taken: their cells are waited
        for, and come through *store*, which must be there. None: no others.
    hands
        What asks in place of *backend*, which then only says who is asked.

    Returns
    -------
    Run
        Questions in the order of the slice, conditions in the order given.

    Raises
    ------
    ConfigError
        For an unknown condition, one that needs an encoder where there is none
        or that *backend* cannot be asked under, or a template that a question
        does not fit, before anything is opened or loaded.
    CouldNotBeJudged
        For videos that cannot be read, or end before the part that a question
        is about, all named, before anything is loaded; for a backend that
        answers nothing at all; and when no question was finished in time.
    VideoNotConsumed
        As soon as the video is seen not to reach the model.
    """
    with _begun(
        slice_,
        backend,
        conditions,
        settings,
        store=store,
        progress=progress,
        until=until,
        decoders=decoders,
        shelf=shelf,
        share=share,
        hands=hands,
    ) as job:
        job.run()
    check_slice(job.cells)
    finished = _finished(slice_, job.cells)
    return Run(
        checkpoint=job.identity.name,
        slice_name=slice_.name,
        questions=tuple(
            # Enough of a digest to tell, and short in a baseline.
            as_asked(q, job.digests.get(q.video, "")[:16])
            for q in finished.questions
        ),
        conditions=tuple(str(c) for c in job.plan.conditions),
        cells=job.cells,
        fingerprint=job.identity.fingerprint(
            finished, job.plan.conditions, observed=observed(backend)
        ),
        caps=settings.caps,
        planned=_by_task(slice_) if len(finished) < len(slice_) else None,
        created=moment(),
    )


def contribute(
    slice_: Slice,
    backend: Backend,
    conditions: Sequence[str],
    settings: RunSettings,
    *,
    store: CellStore,
    share: Claims,
    until: float | None = None,
    decoders: Decoders | None = None,
    shelf: Shelf | None = None,
) -> None:
    """Ask what no other process of the job has taken, until all is taken.

    Parameters and errors are those of `evaluate`, which the process that needs
    the run calls afterwards: it then asks what is left, and waits for the rest.
    """
    with _begun(
        slice_,
        backend,
        conditions,
        settings,
        store=store,
        until=until,
        decoders=decoders,
        shelf=shelf,
        share=share,
    ) as job:
        job.run(whole=False)


@contextmanager
def _begun(
    slice_: Slice,
    backend: Backend,
    conditions: Sequence[str],
    settings: RunSettings,
    *,
    store: CellStore | None,
    share: Claims | None,
    until: float | None,
    decoders: Decoders | None,
    shelf: Shelf | None,
    progress: ProgressCallback | None = None,
    hands: Hands | None = None,
) -> Iterator[Job]:
    """Give the job, planned and looked up, and end what it started."""
    if share is not None and store is None:
        raise ValueError(
            "processes share their work through a store, and there is none"
        )
    settings = settings.on(slice_)
    plan = make_plan(slice_, conditions, seed=settings.seed)
    if until is not None:
        plan = plan.in_order(fair_order(slice_, settings.seed))
    check_conditions(backend, plan.conditions)
    check_views(plan.conditions, settings)
    identity = RunIdentity.of(backend, settings)
    content = digests(plan.paths)
    keys = cell_keys(plan, identity, content)
    kept = recall(keys, store, share)
    with (
        _reading(settings, shelf)
        if decoders is None
        else nullcontext(decoders) as reader
    ):
        shown = still_shown(plan, kept)
        if settings.on_bad_media == "fail":
            reader.look_ahead(places(slice_, shown))
        if len(kept) < plan.total:
            import_libraries(backend)  # while the first videos are looked at
        if settings.on_bad_media == "fail":
            preflight(slice_, shown=shown, look=reader.look)
        try:
            yield Job(
                plan=plan,
                backend=backend,
                settings=settings,
                identity=identity,
                keys=keys,
                kept=kept,
                decoders=reader,
                store=store,
                progress=progress,
                digests=content,
                share=share,
                deadline=until,
                hands=hands,
            )
        finally:
            if share is not None:
                share.release()  # whatever happened, nobody waits for us any more


def _reading(settings: RunSettings, shelf: Shelf | None) -> Decoders:
    return Decoders(
        sampling=settings.sampling,
        reader=settings.reader,
        workers=settings.decode_workers,
        timeout_s=settings.decode_timeout_s,
        shelf=shelf,
    )


def _finished(slice_: Slice, cells: Cells) -> Slice:
    """Return the part of *slice_* whose questions have all their cells."""
    asked = {question_id for question_id, _ in cells}
    ids = tuple(i for i in slice_.ids if i in asked)
    if not ids:
        raise CouldNotBeJudged(
            f"slice {slice_.name!r}: the time was used up before a question was asked, "
            "so there is nothing to judge. Give more with --vdg-time-budget"
        )
    return slice_ if len(ids) == len(slice_) else replace(slice_, ids=ids)


def _by_task(slice_: Slice) -> Mapping[str, int]:
    return by_task((q.task, turned_from(q) or q.id) for q in slice_.questions)
