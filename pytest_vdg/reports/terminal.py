"""The lines that a session shows: one header, one table, one "wrote".

Apart from the plugin so that how it looks is tested without a session, and so
that the same table serves the terminal, a CI summary and the command line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_vdg.frames.conditions import RATES
from pytest_vdg.outcomes.extent import unknown_videos
from pytest_vdg.reports._format import (
    columns,
    plain,
    points,
    share,
    share_span,
    span,
)
from pytest_vdg.runs import Run
from pytest_vdg.spelling import count, detectable
from pytest_vdg.verdicts import Finding

WIDTH = 100
_SHORT = {
    "original": "orig",
    "single_frame": "single",
    "shuffled": "shuf",
    "reversed": "rev",
    "text_only": "text",
    "mismatched": "mism",
    "compressed": "crf",
}
_SHARES = ("accuracy", "coverage", "broken share", "stable share")
"""How the measures begin that are shares of one..."""
_DIFFERENCES = (" change", " now-then")
"""... unless they end so: then they are what lies between two shares."""
_LADDER = ("original", "black", "single_frame", "shuffled", "reversed", "text_only")
_LONGEST_NAMES = (28, 24, 20, 16)


def header(fields: Mapping[str, object]) -> str:
    """Return the one line that opens a session, e.g. ``vdg: checkpoint=...``.

    Fields that are None or empty are left out.
    """
    parts = [
        f"{name}={plain(str(value), 60)}"
        for name, value in fields.items()
        if value is not None and value != ""
    ]
    return " ".join(["vdg:", *parts])


def headers(runs: Iterable[Mapping[str, str]]) -> list[str]:
    """Return one header line for each model that was asked, see `header`.

    *runs* are what is known of each, see ``sessions.judging.described``.
    """
    models: dict[tuple[str, str, str], dict[str, str]] = {}
    for run in runs:
        if not run:
            continue
        weights = run.get("weights", "").rpartition(":")[2][:8]
        name = run["checkpoint"] + (f"@{weights}" if weights else "")
        key = (name, run.get("backend", ""), run.get("device", ""))
        of = f"/{run['planned']}" if "planned" in run else ""
        models.setdefault(key, {})[run["slice"]] = run["questions"] + of
    return [
        header(
            {
                "checkpoint": name,
                "backend": backend,
                "device": device,
                "slices": ",".join(f"{s}:{n}" for s, n in slices.items()),
            }
        )
        for (name, backend, device), slices in models.items()
    ]


def wrote(path: object) -> str:
    """Return the line that tells where a file was written."""
    return f"vdg: wrote {plain(str(path), 200)}"


def table(rows: Sequence[Finding], *, width: int = WIDTH) -> list[str]:
    """Return one line a finding under one line of headings; none for none.

    Effects are in percentage points with their two-sided interval, accuracies
    are fractions. A claim holds when its value is shown to be above ``bound``:
    a floor, or minus the margin; or below it where it is a ceiling, with ``<``.
    ``MDE`` is the smallest drop (rise) that the slice would have shown, ``none``
    where not even one of 100 points would have been. Where several checkpoints were
    asked, each line ends in its own. Names are shortened until the lines fit
    *width*; numbers never are.
    """
    if not rows:
        return []
    lines: list[str] = []
    for longest in _LONGEST_NAMES:
        lines = _table(rows, longest)
        if max(len(line) for line in lines) <= width:
            break
    return lines


def _table(rows: Sequence[Finding], longest: int) -> list[str]:
    conditions = _conditions(rows)
    heads = [
        "slice/task",
        "measure",
        "n",
        *(_short(condition) for condition in conditions),
        f"value [{_confidence(rows)} CI]",
        "bound",
        "MDE",
        "verdict",
    ]
    body = [_row(row, conditions, longest) for row in rows]
    align = "ll" + "r" * (1 + len(conditions)) + "lrrl"
    if len({row.checkpoint for row in rows}) > 1:  # else two rows may read the same
        heads.append("checkpoint")
        align += "l"
        for cells, row in zip(body, rows, strict=True):
            cells.append(plain(row.checkpoint, longest))
    return columns([heads, *body], align=align)


def _row(row: Finding, conditions: Sequence[str], longest: int) -> list[str]:
    accuracies = dict(row.accuracies)
    name = row.slice_name + _task(row.task)
    value, interval = value_of(row)
    return [
        plain(name, longest),
        plain(_measure(row.measure), max(longest, 14)),
        f"{row.n}/{row.n_planned}" if row.n_planned else str(row.n),
        *(share(accuracies.get(condition)) for condition in conditions),
        f"{value:>5} {interval}",
        bound_of(row),
        detectable_of(row),
        row.verdict.value,
    ]


def is_share(row: Finding) -> bool:
    """Return whether the measure is an accuracy, and not a difference of two."""
    measure = row.measure
    return measure.startswith(_SHARES) and not measure.endswith(_DIFFERENCES)


def value_of(row: Finding) -> tuple[str, str]:
    """Return the estimate and its interval, as tables write them."""
    if is_share(row):
        return share(row.estimate), share_span(row.low, row.high)
    return points(row.estimate), span(row.low, row.high)


def bound_of(row: Finding) -> str:
    """Return the bound; with ``<`` where the claim holds below it."""
    text = share(row.bound) if is_share(row) else points(row.bound)
    return f"<{text}" if row.bound_is == "ceiling" else text


def detectable_of(row: Finding, unit: str = "") -> str:
    """Return the smallest change that the slice would have shown, or ``none``."""
    return detectable(row.smallest_detectable, unit)


def _task(task: str | None) -> str:
    """Return what follows the slice: one task by name, several by their number."""
    if task is None:
        return ""
    names = task.split(", ")
    return f"/{task}" if len(names) == 1 else f"/{len(names)} tasks"


def _conditions(rows: Sequence[Finding]) -> list[str]:
    present = dict.fromkeys(name for row in rows for name, _ in row.accuracies)
    first = [name for name in _LADDER if name in present]
    return first + [name for name in present if name not in first]


def _short(condition: str) -> str:
    base, colon, argument = condition.partition(":")
    return plain(_SHORT.get(base, base) + colon + argument, 12)


def _measure(measure: str) -> str:
    name, _, condition = measure.partition(" ")
    if name == "coverage":
        return f"{name} {_short(condition)}"
    return measure.replace("temporal delta", "temporal").replace(" change", " chg")


def _confidence(rows: Sequence[Finding]) -> str:
    levels = sorted({row.confidence for row in rows})
    return "/".join(f"{100 * level:g}%" for level in levels)


def unanswered_lines(run: Run) -> list[str]:
    """Return what has no answer in *run*, one line a condition that misses any.

    E.g. ``no answer: tvbench shuffled 3 failed, 1 unparsed of 300 (caps 2%, 2%)``.
    """
    lines = []
    for condition in run.conditions:
        counts = run.counts(condition)
        parts = [
            f"{number} {what}"
            for number, what in (
                (counts.failed, "failed"),
                (counts.unparsed, "unparsed"),
                (counts.not_applicable, "not applicable"),
            )
            if number
        ]
        if not parts:
            continue
        line = (
            f"no answer: {plain(run.slice_name, 40)} {plain(condition, 30)} "
            f"{', '.join(parts)} of {len(run.questions)}"
        )
        if counts.failed or counts.unparsed:  # what no condition means has no cap
            caps = run.caps
            line += f" (caps {100 * caps.failed:g}%, {100 * caps.unparsed:g}%)"
        lines.append(line)
    return lines


def short_lines(run: Run) -> list[str]:
    """Return whether clips held fewer frames than were asked for, or nothing.

    E.g. ``frames: 12 of 60 videos of tvbench hold fewer than 32; all were taken``.
    """
    rule, _, number = run.fingerprint.comparable.get("sampling", "").partition("=")
    if rule != "frames" or not number.isdecimal():
        return []  # at so many frames a second, the length of the clip decides
    videos = {question.id: question.video for question in run.questions}
    others = tuple(f"{name}:" for name in RATES)
    cells = (c for c in run.cells.values() if not c.condition.startswith(others))
    shown = [c for c in cells if c.times_s]
    short = {videos[c.question_id] for c in shown if len(c.times_s) < int(number)}
    if not short:
        return []
    name, total = plain(run.slice_name, 40), len(set(videos.values()))
    told = f"{len(short)} of {count(total, 'video')} of {name} hold fewer than {number}"
    return [f"frames: {told}; all were taken"]


def unknown_lines(run: Run) -> list[str]:
    """Return that the videos of *run* are not known, or nothing."""
    unknown = unknown_videos(run)
    name = plain(run.slice_name, 40)
    return [] if unknown is None else [f"videos of {name} {unknown}"]
