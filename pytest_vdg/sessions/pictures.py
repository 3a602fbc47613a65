"""What a model was shown, found again for a report, and what past runs came to.

Apart from the results, which every report reads, because only one shows
pictures, and making them reads every video once more. Whatever goes wrong here
is told on the page, and changes no verdict.

Frames are shown only where they are known to be those that the model saw: of
the same questions and videos, read by the same reader at the times that each
cell has recorded. Else the page says why there are none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import MediaError, VdgError
from pytest_vdg.reports.album import Album, Pictures, Shown
from pytest_vdg.reports.results import Results, RunResult
from pytest_vdg.runs import CellResult, Run
from pytest_vdg.sessions.asks import Ask, take_slice
from pytest_vdg.store.history import PastRun, past_runs

if TYPE_CHECKING:
    from pytest_vdg.benchmarks.schema import Question
    from pytest_vdg.benchmarks.slices import Slice
    from pytest_vdg.engine.settings import RunSettings
    from pytest_vdg.frames.clip import Clip

_OF_FRAMES = ("reader", "sampling", "size")
"""What must be set as it was, for the same frames to be read."""
_TROUBLE = (VdgError, OSError, ValueError)
"""What must end in words on the page, and not in the session."""


def for_page(settings: Settings, results: Results) -> Results:
    """Return *results* with pictures, past runs, and texts where they were lacking.

    What is configured now must be what the runs were made with; where it is not,
    the run has no pictures, and says so.
    """
    return replace(
        results,
        runs=tuple(_with_pictures(settings, results.runs)),
        history=_history(settings),
    )


def _history(settings: Settings) -> tuple[PastRun, ...]:
    try:
        return past_runs(settings.cache_dir)
    except VdgError:  # whoever writes to it tells what is wrong with it
        return ()


@dataclass(frozen=True, kw_only=True)
class _Source:
    """Where the frames of a run come from."""

    slice: Slice
    settings: RunSettings
    block: int

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for runs whose frames are read together."""
        root = str(self.slice.benchmark.root)
        return root, self.slice.digest, self.settings, self.block


def _with_pictures(
    settings: Settings, runs: Sequence[RunResult]
) -> Sequence[RunResult]:
    """Return *runs* with pictures; those that saw the same videos are made together."""
    sources: dict[int, _Source] = {}
    done = list(runs)
    for place, result in enumerate(runs):
        try:
            sources[place] = source = _source(settings, result)
        except _TROUBLE as error:  # noqa: PERF203 - a run at a time
            done[place] = replace(result, pictures=Pictures(reason=str(error)))
        else:
            done[place] = _with_texts(result, source.slice)
    groups: dict[tuple[object, ...], list[int]] = {}
    for place, source in sources.items():
        groups.setdefault(source.key, []).append(place)
    for places in groups.values():
        made = _made(sources[places[0]], [runs[place].run for place in places])
        for place, pictures in zip(places, made, strict=True):
            done[place] = replace(done[place], pictures=pictures)
    return done


def _with_texts(result: RunResult, slice_: Slice) -> RunResult:
    from pytest_vdg.sessions.results import texts_of

    return result if result.texts else replace(result, texts=texts_of(slice_))


def _source(settings: Settings, result: RunResult) -> _Source:
    """Return where the frames of a run come from.

    Raises `VdgError` where the same frames cannot be read again.
    """
    run = result.run
    comparable = run.fingerprint.comparable
    slice_ = _as_asked(run, _slice(settings, result))
    own = settings.run_settings()
    now = own.comparable()
    other = [n for n in _OF_FRAMES if comparable.get(n, now[n]) != now[n]]
    if other:
        told = "; ".join(f"{n} is {now[n]}, was {comparable[n]}" for n in other)
        raise MediaError(f"the configuration reads other frames: {told}")
    try:
        seed = int(comparable.get("seed", own.seed))
        block = int(comparable["frames_per_token"])
    except (KeyError, ValueError):
        raise MediaError("the run does not say how its frames were made") from None
    return _Source(slice=slice_, settings=replace(own, seed=seed), block=block)


def _slice(settings: Settings, result: RunResult) -> Slice:
    """Return the slice that a run was asked: as it was named then, or by its name."""
    known = {name: _plain(value) for name, value in result.ask.items()}
    if not known:  # asked for by its own name, or nobody knows how
        known = {"slice": result.run.slice_name}
    ask = Ask(**known)  # type: ignore[arg-type]
    return take_slice(settings, replace(ask, conditions=None, checkpoint=None))


def _plain(value: object) -> object:
    """Return a list that comes from a file as what it was."""
    return tuple(value) if isinstance(value, list) else value


def _as_asked(run: Run, slice_: Slice) -> Slice:
    """Return what of *slice_* was put to *run*: all of it, or its beginning.

    Which video stands in for another depends on all that was planned. Raises
    `MediaError` where it is another slice.
    """
    wanted = run.fingerprint.comparable.get("slice")
    first = replace(slice_, ids=slice_.ids[: len(run.questions)])
    for each in (slice_, first):
        if each.digest == wanted:
            return each
    asked = {question.id: question.digest for question in slice_.questions}
    other = [q.id for q in run.questions if asked.get(q.id) != q.digest]
    if not other and run.planned is not None and _size(run) == len(slice_):
        return slice_  # cut short by the time
    raise MediaError(
        f"slice {slice_.name!r} is not what was asked: "
        + (f"question {other[0]!r} differs" if other else "it holds other questions")
    )


def _size(run: Run) -> int:
    return sum((run.planned or {}).values())


def _made(source: _Source, runs: Sequence[Run]) -> Sequence[Pictures]:
    """Return the pictures of *runs*, which saw the same videos."""
    from pytest_vdg.engine.showing import clips

    album = Album()
    frames = [_Frames(run=run, changed=_changed(run, source.slice)) for run in runs]
    try:
        for question, condition, clip in clips(
            source.slice,
            [
                c
                for c in dict.fromkeys(c for r in runs for c in r.conditions)
                if _known(c)
            ],
            source.settings,
            block=source.block,
            ids={question.id for run in runs for question in run.questions},
        ):
            for each in frames:
                each.add(album, question, condition, clip)
    except _TROUBLE as error:
        return [Pictures(reason=str(error)) for _ in runs]
    return [Pictures(cells=each.all(), images=album.images) for each in frames]


def _known(condition: str) -> bool:
    """Return whether *condition* can be shown here; an imported run may have others."""
    from pytest_vdg.frames.conditions import Condition

    try:
        Condition.parse(condition)
    except VdgError:
        return False
    return True


def _changed(run: Run, slice_: Slice) -> frozenset[str]:
    """Return the videos of *run* that have another content by now, or none."""
    from pytest_vdg.frames.decode import file_digest

    digests = {q.video: q.video_digest for q in run.questions if q.video_digest}
    found = set()
    for question in slice_.questions:
        then = digests.pop(question.video, None)
        if then is None:
            continue
        try:
            now = file_digest(slice_.benchmark.video_path(question))
        except MediaError:
            continue  # it cannot be read, and says so
        if not now.startswith(then):
            found.add(question.video)
    return frozenset(found)


@dataclass(kw_only=True)
class _Frames:
    """What one run showed, as it is found."""

    run: Run
    changed: frozenset[str]
    cells: dict[tuple[str, str], Shown] = field(default_factory=dict)

    def add(
        self,
        album: Album,
        question: Question,
        condition: str,
        clip: Clip | VdgError,
    ) -> None:
        """Take in what was made for one cell, if the run has it and got an answer."""
        key = question.id, condition
        cell = self.run.cells.get(key)
        if cell is None or not cell.outcome.judged:
            return
        why = self._fault(cell, question, clip)
        if why:
            self.cells[key] = Shown(reason=why)
        elif not isinstance(clip, VdgError):
            self.cells[key] = album.shown(clip.frames, clip.timestamps_s.tolist())

    def _fault(
        self, cell: CellResult, question: Question, clip: Clip | VdgError
    ) -> str:
        """Return why *clip* is not what the model saw; empty where it is."""
        from pytest_vdg.frames.conditions import Condition, needs_partner

        if isinstance(clip, VdgError):
            return str(clip)
        partnered = needs_partner(Condition.parse(cell.condition))
        if question.video in self.changed or (partnered and self.changed):
            return "the video has another content by now"
        if cell.reader is None or not cell.times_s:
            return "the run does not record which frames were shown"
        if _program(cell.reader) != _program(clip.reader):
            return f"they were read by {cell.reader}, and now by {clip.reader}"
        if cell.times_s != tuple(clip.timestamps_s.tolist()):
            return "frames of other times would be read now"
        return ""

    def all(self) -> Mapping[tuple[str, str], Shown]:
        """Return each cell of the run, those without a video, too."""
        found = {}
        for key, cell in self.run.cells.items():
            found[key] = self.cells.get(key) or Shown(reason=_nothing(cell))
        return found


def _program(reader: str) -> str:
    """Return the name in ``pyav-18.1``: its pictures are tested to stay the same."""
    return reader.rpartition("-")[0] or reader


def _nothing(cell: CellResult) -> str:
    """Return why a cell has no frames although all could be read."""
    if not cell.outcome.judged:
        return "the model was asked nothing"
    if cell.frames_seen == 0 and not cell.times_s:
        return "none were shown under this condition"
    return f"condition {cell.condition!r} cannot be shown here"
