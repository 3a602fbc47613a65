"""What the text of a benchmark gives away, as the lines of a terminal.

Apart from the search itself, which knows numbers only; and from the audit of a
panel, which shows this beside what models say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pytest_vdg.audits.text import LEARNT, GiveAway, Regularity, Sureness, TextShortcuts
from pytest_vdg.reports._format import (
    MISSING,
    columns,
    fitted,
    plain,
    points,
    pvalue,
    share,
    span,
    wrapped,
)
from pytest_vdg.spelling import count

_NAME = 32
_ABOVE = "ABOVE"
_WHY = {
    "named": "named in the question",
    "overlap": "shares the question's words",
    "fit": "goes with the question",
    "wording": "its wording",
    "label": "its label",
    "length": "its length",
    "longest": "the longest",
    "shortest": "the shortest",
    "odd length": "unlike the others in length",
}
SHOWN = 20
"""Questions that are listed, of those that give themselves away."""


def text_lines(found: TextShortcuts, *, most: int = SHOWN) -> list[str]:
    """Return the report on *found*; at most so many questions are listed."""
    heading = (
        f"text without video: {count(found.n, 'question')} on "
        f"{count(found.n_videos, 'video')}, chance {share(found.chance)}"
    )
    return [
        *wrapped(heading),
        *wrapped(_verdict(found), later="  "),
        "",
        *_baselines(found),
        *_tasks(found),
        *_sureness(found),
        *_giveaways(found, most),
        *(x for note in found.notes for x in wrapped(f"note: {plain(note, 240)}")),
    ]


def _verdict(found: TextShortcuts) -> str:
    over_all = [each for each in found.of() if each.shown]
    tasks = dict.fromkeys(each.task for each in found.shown if each.task is not None)
    if not found.shown:
        if not any(each.gap for each in found.regularities):
            return "too few questions to say anything"
        return "no baseline is shown to be above chance"
    names = ", ".join(each.name for each in over_all) or "none over all questions"
    within = ""
    if tasks and len(found.tasks) > 1:
        within = f"; within tasks: {', '.join(plain(str(t), _NAME) for t in tasks)}"
    return f"above chance: {names}{within}"


def _baselines(found: TextShortcuts) -> list[str]:
    numbers = "of", "right", "chance", "above", _called(found), "Holm", "worth"
    rows = [("picks", *numbers, ""), *(_row(each, each.name) for each in found.of())]
    legend = "of: questions of which it picks an option; worth: points over all "
    legend += f"questions; {_ABOVE}: shown to be above chance, by p-values after Holm"
    lines = [
        legend,
        f"learnt forwards over {found.folds} folds of videos: {', '.join(LEARNT)}",
        *(
            f"{each.name}: {plain(each.detail, 60)}"
            for each in found.of()
            if each.detail
        ),
        *(f"{e.name} not judged: {e.reason}" for e in found.of() if e.gap is None),
    ]
    told = [line for text in lines for line in wrapped(text, later="  ")]
    return [*fitted(rows, align="lrrrrrrrl"), *told]


def _called(found: TextShortcuts) -> str:
    return f"{100 * found.confidence:g}%"


def _detailed(each: Regularity) -> str:
    return each.name + (f" ({plain(each.detail, 20)})" if each.detail else "")


def _row(each: Regularity, name: str) -> tuple[str, ...]:
    if each.gap is None:
        return name, str(each.askings), *[MISSING] * 6, ""
    return (
        name,
        str(each.askings),
        share(each.gap.accuracy),
        share(each.gap.chance),
        points(each.gap.estimate),
        span(each.gap.low, each.gap.high),
        MISSING if each.adjusted is None else pvalue(each.adjusted),
        points(each.worth),
        _ABOVE if each.shown else "",
    )


def _tasks(found: TextShortcuts) -> Iterator[str]:
    shown = [each for each in found.shown if each.task is not None]
    if not shown:
        return
    head = ("task", "above chance", "of", "right", "chance", "above", _called(found))
    rows = [
        (plain(str(each.task), _NAME), *_row(each, _detailed(each))[:6])
        for each in shown
    ]
    yield ""
    yield from fitted([head, *rows], align="llrrrrr", keys=2)


def _sureness(found: TextShortcuts) -> Iterator[str]:
    if not found.sureness:
        return
    head = ("at least this sure", "picks", "right", "above chance", _called(found))
    rows = [head, *map(_sure, found.sureness)]
    yield ""
    yield "the classifier of all together, taught on other videos:"
    yield from columns(rows, align="lrrrr")


def _sure(each: Sureness) -> tuple[str, str, str, str, str]:
    return (
        f"{100 * each.least:.0f}% from chance to certain",
        str(each.askings),
        share(each.gap.accuracy),
        points(each.gap.estimate),
        span(each.gap.low, each.gap.high),
    )


def _giveaways(found: TextShortcuts, most: int) -> Iterator[str]:
    if not found.shown:
        return
    yield ""
    told = found.giveaways
    if not told:
        yield (
            "no question gives itself away: nothing is right half-way to always, even "
            "where it is surest"
        )
        return
    yield f"{len(told)} of {count(found.askings, 'question')} give themselves away"
    reasons = Counter(each.why[0] for each in told)
    first = (f"{_WHY.get(name, name)} {n}" for name, n in reasons.most_common())
    yield from wrapped(f"first by: {', '.join(first)}", later="  ")
    rows = [("question", "answer", "probability", "why"), *map(_told, told[:most])]
    yield from fitted(rows, align="llrl", keys=3)
    if len(told) > most:
        yield f"and {len(told) - most} more"


def _told(each: GiveAway) -> Sequence[str]:
    why = ", ".join(_WHY.get(name, name) for name in each.why)
    return plain(each.id, _NAME), plain(each.answer, 8), share(each.probability), why
