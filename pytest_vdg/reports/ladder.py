"""What each kind of evidence in a video is worth to a checkpoint, as text.

Apart from the terminal table because it holds nothing against a bound: it
shows a run from the inside, for whoever wants to know why a claim failed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pytest_vdg.outcomes.extent import Extent, in_orders
from pytest_vdg.reports._format import (
    MISSING,
    columns,
    plain,
    points,
    share,
    share_span,
    span,
)
from pytest_vdg.reports.measured import OTHERS, STEPS, View
from pytest_vdg.reports.terminal import unknown_lines
from pytest_vdg.runs import Outcome, Run, TaskFilter
from pytest_vdg.spelling import count
from pytest_vdg.stats.paired import PairedDifference

_SHOWN = ("text_only", "black", "single_frame", "shuffled", "reversed", "original")
_NAME = 40


def ladder_lines(
    run: Run, *, task: TaskFilter = None, confidence: float = 0.95
) -> list[str]:
    """Return accuracies and effects of *run*, overall and for each task.

    Parameters
    ----------
    run : Run
        Any conditions; what was not run, or not judged, is shown as ``-``.
    task : str, collection of str, optional
        Show these tasks only.
    confidence : float
        Of each interval and each one-sided lower bound.

    Returns
    -------
    list of str
        Accuracies with Wilson's interval; VDG, visual gain and the three steps
        with Tango's, in percentage points; both with the design effect of the
        videos. Where all four rungs were run, the steps are over the questions
        judged in all of them, so that they sum to VDG over these.
    """
    questions = run.selected(task)
    lines = [
        f"checkpoint {plain(run.checkpoint, 60)}, slice {plain(run.slice_name, _NAME)}"
    ]
    if not questions:
        return [*lines, "  no question"]
    lines += unknown_lines(run)
    names = list(dict.fromkeys(q.task for q in questions))
    scopes = [names, *([name] for name in names if len(names) > 1)]
    for number, scope in enumerate(scopes):
        title = "all tasks" if task is None and number == 0 else ", ".join(scope)
        view = View(run=run, task=scope, confidence=confidence)
        lines += ["", *_view_lines(view, title)]
    return lines


def _view_lines(view: View, title: str) -> list[str]:
    run, task, confidence = view.run, view.task, view.confidence
    questions = run.selected(task)
    asked = Extent.over(questions)
    first = (
        f"{plain(title, _NAME)}: n={count(asked.n, 'question')}"
        f"{in_orders(asked.orders)}, "
        f"{count(asked.n_videos, 'video')}, "
        f"chance {share(run.chance(task))}"
    )
    level = f"{100 * confidence:g}%"
    accuracies = columns(
        [
            [
                "condition",
                f"accuracy [{level} CI]",
                "right",
                "judged",
                "unparsed",
                "failed",
                "n/a",
            ],
            *(_accuracy_row(view, condition) for condition in _conditions(view)),
        ],
        align="llrrrrr",
    )
    effects = columns(
        [
            ["effect, pp", f"value [{level} CI]", "lower bound", "n", "is"],
            *_effect_rows(view),
        ],
        align="llrrl",
    )
    return [first, *(f"  {line}" for line in [*accuracies, *effects])]


def _conditions(view: View) -> list[str]:
    """Return the ladder's conditions, run or not, then whatever else was run."""
    known = [view.present(name) or name for name in _SHOWN]
    return list(dict.fromkeys([*known, *view.run.conditions]))


def _accuracy_row(view: View, condition: str) -> list[str]:
    run, name = view.run, plain(condition, 20)
    if condition not in run.conditions:
        return [name, *[MISSING] * 6]
    asked = run.selected(view.task)
    outcomes = [run.cells[q.id, condition].outcome for q in asked]
    rate = view.accuracy(condition)
    lost = (Outcome.UNPARSED, Outcome.FAILED, Outcome.NOT_APPLICABLE)
    return [
        name,
        MISSING
        if rate is None
        else f"{share(rate.estimate):>4} {share_span(rate.low, rate.high)}",
        MISSING if rate is None else str(rate.successes),
        str(sum(outcome.judged for outcome in outcomes)),
        *(str(outcomes.count(outcome)) for outcome in lost),
    ]


@dataclass(frozen=True, kw_only=True)
class _Effect:
    """One line of the effects: a difference of two accuracies."""

    name: str
    meaning: str
    value: PairedDifference | None

    def row(self) -> list[str]:
        """Return the cells of the line."""
        if self.value is None:
            return [self.name, MISSING, MISSING, MISSING, self.meaning]
        return [
            self.name,
            f"{points(self.value.estimate):>6} {span(self.value.low, self.value.high)}",
            points(self.value.lower_bound),
            str(self.value.questions),
            self.meaning,
        ]


def _effect_rows(view: View) -> list[list[str]]:
    vdg = _effect(view, "VDG", "original", "black")
    steps = [_effect(view, *step) for step in STEPS]
    whole = view.ladder
    if whole is not None:
        steps = [
            replace(step, value=value)
            for step, value in zip(steps, whole.steps, strict=True)
        ]
        if vdg.value is None or vdg.value.n != whole.vdg.n:
            total = "VDG where all four were judged"
            steps.append(_Effect(name="sum of steps", meaning=total, value=whole.vdg))
    effects = [vdg, *steps, *(_effect(view, *other) for other in OTHERS)]
    return [*(effect.row() for effect in effects), _blind_gap(view)]


def _effect(view: View, name: str, treated: str, control: str) -> _Effect:
    first, second = view.present(treated), view.present(control)
    meaning = f"{plain(first or treated, 20)} - {plain(second or control, 20)}"
    value = None
    if first is not None and second is not None:
        value = view.difference(first, second)
    return _Effect(name=name, meaning=meaning, value=value)


def _blind_gap(view: View) -> list[str]:
    run, meaning = view.run, "text_only - chance"
    rate = view.accuracy("text_only") if "text_only" in run.conditions else None
    if rate is None:
        return ["blind gap", MISSING, MISSING, MISSING, meaning]
    chance = run.chance(view.task)
    ends = span(rate.low - chance, rate.high - chance)
    return [
        "blind gap",
        f"{points(rate.estimate - chance):>6} {ends}",
        points(rate.lower_bound - chance),
        str(rate.questions),
        meaning,
    ]
