"""Did the model see the video? Checks on what backends report of each cell.

Apart from the runner because these checks carry the main claim: a model that
ignores a video and a video that never reached the model give the same
answers, and only the second is our mistake, not the model's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from pytest_vdg.engine.plan import shows_video
from pytest_vdg.errors import VideoNotConsumed
from pytest_vdg.frames.conditions import Condition, view_of
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.runs import CellResult

ADVICE = (
    "Check that the chat template renders the video, that the processor does not "
    "sample frames a second time, and that the backend passes the video on. "
    "Until then a low score says nothing of the model's sight"
)


@dataclass(frozen=True, kw_only=True)
class Planned:
    """What the plan says of the frames of each condition."""

    samplings: Mapping[str, str] = field(default_factory=dict)
    """Condition to the spec of its sampling; without those that show no video."""
    block: int = 1
    """Frames that the model merges into one visual token."""

    @classmethod
    def of(cls, conditions: Iterable[Condition], own: Sampling, block: int) -> Planned:
        """Return what holds where a run samples by *own*."""
        shown = filter(shows_video, conditions)
        specs = {str(c): view_of(c, own).sampling.spec() for c in shown}
        return cls(samplings=specs, block=block)

    def alike(self, one: CellResult, other: CellResult) -> bool:
        """Whether two cells of a question show the same frames of its video."""
        specs = [self.samplings.get(each.condition) for each in (one, other)]
        return specs[0] is not None and specs[0] == specs[1]

    def differ_in_tensors(self, one: CellResult, other: CellResult) -> bool:
        """Whether one of two cells shows more frames, even when they are merged."""
        counts = [math.ceil(len(each.times_s) / self.block) for each in (one, other)]
        return counts[0] != counts[1]


def check_cell(cell: CellResult) -> None:
    """Raise `VideoNotConsumed` unless as many frames were seen as were shown."""
    if not cell.outcome.judged:
        return
    shown = len(cell.times_s)
    if cell.frames_seen != shown:
        raise _not_consumed(
            cell, f"{_count(shown, 'frame')} reach the model", cell.frames_seen
        )
    if (cell.visual_tokens > 0) != (shown > 0):
        what = "at least one visual token" if shown else "no visual token"
        raise _not_consumed(cell, f"{what} in the input", cell.visual_tokens)


def check_against(
    cell: CellResult,
    others: Iterable[CellResult],
    *,
    has_light: Callable[[], bool],
    planned: Planned = Planned(),
) -> None:
    """Raise `VideoNotConsumed` if *cell* does not fit the question's *others*.

    Conditions that are *planned* to show the same frames must have shown those,
    conditions that show as many frames must cost as many tokens, and where one
    shows more, it must be another input. The original must reach the model as
    another input than black: *has_light* says whether it differs visibly; it is
    only called where it matters, and may decode.
    """
    if not _with_video(cell):
        return
    for other in filter(_with_video, others):
        as_long = len(other.times_s) == len(cell.times_s)
        if planned.alike(cell, other) and cell.times_s != other.times_s:
            expected = f"the frames that {other.condition!r} shows"
            raise _not_consumed(cell, expected, "frames of other times")
        if planned.differ_in_tensors(cell, other) and _equal_digests(cell, other):
            expected = (
                f"another input than under {other.condition!r}, which shows "
                f"{_count(len(other.times_s), 'frame')} and not {len(cell.times_s)}"
            )
            raise _not_consumed(cell, expected, "the very same tensors")
        if as_long and other.visual_tokens != cell.visual_tokens:
            expected = (
                f"as many visual tokens as under {other.condition!r} "
                f"({other.visual_tokens})"
            )
            raise _not_consumed(cell, expected, cell.visual_tokens)
        if _same_input(cell, other) and has_light():
            raise _not_consumed(
                cell,
                f"another input than under {other.condition!r}, since the frames "
                "differ",
                "the very same tensors",
            )


def check_slice(cells: Mapping[tuple[str, str], CellResult]) -> None:
    """Raise `VideoNotConsumed` if taking the video away changes nothing anywhere.

    A model may well choose the same options without the video; but to the
    last bit, on every question, neither its input nor its numbers agree unless
    the video is not in them.
    """
    for condition in _DIFFERENT_PICTURES:
        _check_inputs(cells, condition)
    # An original that is black itself reaches the model as the same input.
    pairs = [(a, b) for a, b in _pairs(cells, "black") if _scored(a) and _scored(b)]
    pairs = [(a, b) for a, b in pairs if a.input_digest != b.input_digest]
    if pairs and all(_numbers(a) == _numbers(b) for a, b in pairs):
        raise _not_consumed(
            pairs[0][0],
            "other probabilities than under 'black' on at least one question",
            f"bit-equal ones on all {_count(len(pairs), 'question')}",
        )


_DIFFERENT_PICTURES = ("shuffled", "shuffled:blocks", "reversed", "mismatched")
"""Conditions that apply only where they show other pictures than the original.

One clip may still look the same to a model once it is resized, all do not.
"""


def _check_inputs(cells: Mapping[tuple[str, str], CellResult], condition: str) -> None:
    pairs = [
        (a, b)
        for a, b in _pairs(cells, condition)
        if a.input_digest is not None and b.input_digest is not None
    ]
    if pairs and all(a.input_digest == b.input_digest for a, b in pairs):
        raise _not_consumed(
            pairs[0][1],
            "another input than under 'original' on at least one question",
            f"the very same tensors on all {_count(len(pairs), 'question')}",
        )


def _pairs(
    cells: Mapping[tuple[str, str], CellResult], condition: str
) -> list[tuple[CellResult, CellResult]]:
    """Return the cells of questions with a reply in original and *condition*."""
    found = [
        (cell, cells[question, condition])
        for (question, name), cell in cells.items()
        if name == "original" and (question, condition) in cells
    ]
    return [(a, b) for a, b in found if a.outcome.judged and b.outcome.judged]


def _with_video(cell: CellResult) -> bool:
    return cell.outcome.judged and len(cell.times_s) > 0


def _same_input(one: CellResult, other: CellResult) -> bool:
    pair = {one.condition, other.condition}
    return pair == {"original", "black"} and _equal_digests(one, other)


def _equal_digests(one: CellResult, other: CellResult) -> bool:
    return one.input_digest is not None and one.input_digest == other.input_digest


def _scored(cell: CellResult) -> bool:
    return cell.outcome.judged and cell.probabilities is not None


def _numbers(cell: CellResult) -> tuple[dict[str, float], float | None]:
    return dict(cell.probabilities or {}), cell.label_mass


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _not_consumed(cell: CellResult, expected: str, seen: object) -> VideoNotConsumed:
    return VideoNotConsumed(
        f"question {cell.question_id!r}, condition {cell.condition!r}: the video did "
        f"not reach the model as planned: expected {expected}, got {seen}.\n{ADVICE}"
    )
