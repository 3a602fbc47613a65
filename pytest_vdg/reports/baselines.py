"""Baselines as people look through them: a list of all, and one in full.

Apart from the diff because one file is shown by itself here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_vdg.reports._format import columns, plain, share_within
from pytest_vdg.runs import Run
from pytest_vdg.stats import counted
from pytest_vdg.store._parse import Recorded
from pytest_vdg.store.criteria import Criterion

_LABEL = 13


def list_lines(
    rows: Sequence[Mapping[str, object]], recorded: Sequence[Recorded | None]
) -> list[str]:
    """Return a line a baseline under one of headings.

    *rows* hold of each its ``environment``, ``slice``, ``candidate``, ``gap`` (VDG in
    words, or None) and whether it is ``unused``; *recorded* what its file says, None
    where there is none to read.
    """
    heads = ["environment", "slice", "n", "VDG [95% CI]", "conditions", "checkpoint"]
    body = [
        [
            plain(str(row["environment"]), 20),
            plain(str(row["slice"]), 40) + (" (unused)" if row["unused"] else ""),
            *_recorded(each, row["gap"]),
            str(row["candidate"]),
        ]
        for row, each in zip(rows, recorded, strict=True)
    ]
    table = [[*heads, "created", "reason", "candidate"], *body]
    return columns(table, align="llrllllll")


def _recorded(recorded: Recorded | None, gap: object) -> list[str]:
    if recorded is None:
        return ["-", "none yet", *["-"] * 4]
    run = recorded.run
    return [
        str(len(run.questions)),
        str(gap or "-"),
        plain(",".join(run.conditions), 40),
        plain(run.checkpoint, 28),
        plain(run.created[:10], 10) or "-",
        plain(recorded.reason, 40) or "-",
    ]


def recorded_lines(recorded: Recorded, gap: str | None) -> list[str]:
    """Return header, criteria, and counts with intervals of a stored run.

    *gap* is its VDG in words.
    """
    run = recorded.run
    lines = [
        _line("slice", run.slice_name),
        _line("checkpoint", run.checkpoint),
        _line("questions", _questions(run)),
        _line("environment", recorded.environment or "-"),
        _line("created", run.created or "-"),
        _line("reason", recorded.reason or "-"),
    ]
    prints = run.fingerprint
    for title, part in (
        ("subject", prints.subject),
        ("comparable", prints.comparable),
        ("versions", prints.informative),
    ):
        pairs = [f"{k}={plain(str(v), 60)}" for k, v in sorted(part.items())]
        lines += [
            _line("" if number else title, pair) for number, pair in enumerate(pairs)
        ]
    caps = ", ".join(f"{k} {100 * v:g}%" for k, v in vars(run.caps).items())
    lines.append(_line("caps", caps))
    if gap is not None:
        lines.append(_line("VDG", gap))
    lines += ["", *_counts(run), "", *_criteria(recorded)]
    return lines


def _line(label: str, text: str) -> str:
    return f"{label:<{_LABEL}}{plain(text, 160)}"


def _questions(run: Run) -> str:
    videos = len({q.video for q in run.questions})
    of = "" if run.planned is None else f" of {sum(run.planned.values())} planned"
    return f"{len(run.questions)}{of} on {videos} videos, {len(run.tasks)} tasks"


def _counts(run: Run) -> list[str]:
    heads = ["condition", "accuracy [95% CI]", "correct", "wrong", "unparsed"]
    rows = [[*heads, "failed", "n/a"]]
    for condition in run.conditions:
        c = run.counts(condition)
        rows.append(
            [
                plain(condition, 28),
                _accuracy(run, condition),
                *map(str, (c.correct, c.wrong, c.unparsed, c.failed)),
                str(c.not_applicable),
            ]
        )
    return columns(rows, align="lrrrrrr")


def _accuracy(run: Run, condition: str) -> str:
    judged = [q for q in run.questions if run.cells[q.id, condition].outcome.judged]
    if not judged:
        return "-"
    right = [run.cells[q.id, condition].outcome.value == "correct" for q in judged]
    found = counted.share(
        right, [q.video for q in judged], questions=[q.question for q in judged]
    )
    return share_within(found.estimate, found.low, found.high)


def _criteria(recorded: Recorded) -> list[str]:
    if not recorded.criteria:
        return ["no criteria are recorded; --vdg-update-baseline records them"]
    rows = [["criterion", "measure", "task", "margin", "confidence", "was", "reason"]]
    rows += [
        [
            plain(each.claim, 40),
            plain(each.measure, 40),
            "all" if each.task is None else plain(each.task, 40),
            f"{100 * each.margin:g}pp",
            "-" if each.confidence is None else f"{100 * each.confidence:g}%",
            _was(each),
            plain(each.reason, 60) or "-",
        ]
        for each in recorded.criteria
    ]
    return columns(rows, align="lllrrrl")


def _was(criterion: Criterion) -> str:
    """Return what was loosened, as it was before."""
    margin, sure = criterion.was, criterion.confidence_was
    parts = [
        *([] if margin is None else [f"{100 * margin:g}pp"]),
        *([] if sure is None else [f"{100 * sure:g}%"]),
    ]
    return ", ".join(parts) or "-"
