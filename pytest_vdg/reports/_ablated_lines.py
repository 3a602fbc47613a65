"""An ablation as text: a line a level, a line a task, and what they do not say.

Apart from the values so that they are read without the words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_vdg.reports._format import (
    MISSING,
    columns,
    plain,
    points,
    share,
    share_within,
    span,
)
from pytest_vdg.spelling import count, detectable

if TYPE_CHECKING:
    from pytest_vdg.reports.ablated import (
        Ablation,
        Agreement,
        Breaking,
        FramesShown,
        Level,
    )
    from pytest_vdg.stats.enrichment import Enrichment
    from pytest_vdg.stats.proportion import Proportion

_NAME = 24


def ablation_lines(found: Ablation) -> list[str]:
    """Return *found* as text, ASCII and aligned."""
    lines = [_header(found), *_indented(_table(found.levels, found.confidence))]
    if found.by_task:
        title = f"by task, Holm over {count(len(found.by_task), 'row')}"
        lines += ["", title, *_indented(_table(found.by_task, found.confidence))]
    notes = ablation_notes(found)
    return [*lines, *([""] if notes else []), *notes]


def ablation_notes(found: Ablation) -> list[str]:
    """Return what the table of *found* does not say, a line each."""
    return [
        *_unjudged([*found.levels, *found.by_task]),
        *_hidden(found.levels),
        *_enriched(found.levels),
        *_same_frames(found.levels),
        *_agreement(found.agreement),
    ]


def notes_in_one(found: Ablation) -> list[str]:
    """Return the notes of *found* with what is indented on the line it belongs to."""
    lines: list[str] = []
    for line in ablation_notes(found):
        if line.startswith(" "):
            lines[-1] += f"; {line.strip()}"
        else:
            lines.append(line)
    return lines


def _header(found: Ablation) -> str:
    policy = "counted wrong" if found.missing == "wrong" else "dropped"
    return (
        f"ablation of {plain(found.checkpoint, 40)} on slice "
        f"{plain(found.slice_name, 40)}, failed {policy}; changes are level - original "
        f"in points, FLAT within {points(found.margin)[1:]} either way"
    )


def _table(levels: Sequence[Level], confidence: float) -> list[str]:
    interval = f"[{100 * confidence:g}% CI]"
    tasks = any(level.task is not None for level in levels)
    rated = any(f is not None and f.as_original < f.n for f in _frames(levels))
    heads = [
        *(["task"] if tasks else []),
        "level",
        *(["frames"] if rated else []),
        "n",
        "orig",
        f"accuracy {interval}",
        f"change {interval}",
        "MDE",
        "broken",
        "mended",
        f"stable {interval}",
        "verdict",
    ]
    rows = [_row(level, tasks=tasks, rated=rated) for level in levels]
    align = "l" * tasks + "l" + "r" * rated + "rr" + "ll" + "rrr" + "l" + "l"
    return columns([heads, *rows], align=align)


def _frames(levels: Sequence[Level]) -> list[FramesShown | None]:
    return [level.frames for level in levels]


def _row(level: Level, *, tasks: bool, rated: bool) -> list[str]:
    first = [plain(level.task or "", _NAME)] if tasks else []
    first.append(plain(level.condition, _NAME))
    if rated:
        first.append(f"{level.frames.median:g}" if level.frames else MISSING)
    found = level.measured
    if found is None:
        return [*first, "0", *([MISSING] * 7), level.verdict]
    change = found.flips.change
    return [
        *first,
        str(found.n),
        share(found.original.estimate),
        _share(found.accuracy),
        f"{points(change.estimate):>5} {span(change.low, change.high)}",
        detectable(found.smallest_detectable),
        str(found.flips.correct_to_incorrect),
        str(found.flips.incorrect_to_correct),
        _share(found.flips.stable_share),
        level.verdict,
    ]


def _unjudged(levels: Sequence[Level]) -> list[str]:
    """Return what could not be judged, a line a task: its levels share their reason."""
    found: dict[str | None, list[Level]] = {}
    for level in levels:
        if level.verdict == "COULD NOT BE JUDGED":
            found.setdefault(level.task, []).append(level)
    return [
        f"{_named(first)}{_others(len(rest))} could not be judged: {first.why}"
        for first, *rest in found.values()
    ]


def _others(number: int) -> str:
    return f" and {count(number, 'other level')}" if number else ""


def _hidden(levels: Sequence[Level]) -> list[str]:
    """Return what a flat accuracy hides: flips that cancel out."""
    lines = []
    for level in levels:
        if level.verdict != "FLAT" or level.measured is None:
            continue
        flips = level.measured.flips
        if flips.flipped:
            lines.append(
                f"{_named(level)} is flat, not unchanged: {flips.flipped} of "
                f"{count(flips.n, 'answer')} flipped, {flips.correct_to_incorrect} "
                f"broken and {flips.incorrect_to_correct} mended"
            )
    return lines


def _enriched(levels: Sequence[Level]) -> list[str]:
    lines = []
    for level in levels:
        if level.measured is None or level.measured.enrichment is None:
            continue
        lines.append(f"{_named(level)}: {_odds(level.measured.enrichment)}")
        among = level.measured.breaking
        if among is not None:
            lines.append(
                f"  right under original, and broken: {_percent(among.needing)} of "
                f"{among.n_needing} that need the video, {_percent(among.others)} of "
                f"{among.n_others} others: {_ratios(among)}"
            )
    return lines


def _odds(found: Enrichment) -> str:
    shares = f"{_percent(found.flipped_share)} of the flipped and "
    shares += f"{_percent(found.stable_share)} of the stable questions need the video"
    return f"{shares}: {_ratios(found)}"


def _ratios(found: Enrichment | Breaking) -> str:
    ratio = MISSING if found.odds_ratio is None else _ratio(found.odds_ratio)
    ends = f"[{_ratio(found.low)}, {_ratio(found.high)}]"
    return f"odds ratio {ratio} {ends}, Fisher {_p(found.pvalue)}"


def _same_frames(levels: Sequence[Level]) -> list[str]:
    """Return at which levels of rate there was nothing to change."""
    lines = []
    for level in levels:
        frames = level.frames
        if frames is None or level.condition.startswith("compressed:"):
            continue
        if frames.as_original:
            lines.append(
                f"{_named(level)} showed the very frames of original in "
                f"{frames.as_original} of {count(frames.n, 'question')}: it asks for "
                "as many, max_frames allows no more, or there are no more"
            )
    return lines


def _agreement(found: Sequence[Agreement]) -> list[str]:
    return [
        f"same choice under original and all levels{_of(each.task)}: "
        f"{_share(each.share)} of {count(each.share.questions, 'question')}"
        for each in found
    ]


def _of(task: str | None) -> str:
    return "" if task is None else f", {plain(task, _NAME)}"


def _share(found: Proportion) -> str:
    return share_within(found.estimate, found.low, found.high)


def _named(level: Level) -> str:
    task = "" if level.task is None else f" on {plain(level.task, _NAME)}"
    return plain(level.condition, _NAME) + task


def _percent(value: float | None) -> str:
    return MISSING if value is None else f"{100 * value:.1f}%"


def _ratio(value: float) -> str:
    return "inf" if math.isinf(value) else f"{value:.2f}"


def _p(value: float) -> str:
    return "p<.001" if value < 0.001 else f"p={value:.3f}".replace("=0.", "=.")


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]
