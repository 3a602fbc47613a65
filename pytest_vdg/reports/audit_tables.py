"""The tables of an audit: every number in words once, for all that show them.

Apart from terminal, Markdown and page, which lay them out, so that a number reads
the same in all three. A dash is what was not measured.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vdg.audits.audit import Audit
from pytest_vdg.audits.key import KeyBalance
from pytest_vdg.audits.measures import Measures
from pytest_vdg.audits.shortcut import Scores
from pytest_vdg.audits.text import TextShortcuts
from pytest_vdg.reports._format import MISSING, points, pvalue, share, share_span, span
from pytest_vdg.reports.run_tables import ALL, Table
from pytest_vdg.stats.filtering import THRESHOLD, keep_grounded
from pytest_vdg.stats.paired import PairedDifference
from pytest_vdg.stats.positions import Positions
from pytest_vdg.stats.proportion import Proportion
from pytest_vdg.stats.shortcut import AboveChance

AT_CHANCE = 0.05
"""How near to chance shuffled accuracy must be shown to lie: five points."""


def audit_tables(audit: Audit, *, every: bool = True) -> dict[str, Table]:
    """Return the tables of *audit* by name; *every* model by task, or only means.

    A panel of text models has no ladder, and one that never answered no positions.
    """
    level = f"{100 * audit.confidence:g}% CI"
    shown = [m for m in audit.measures if every or m.task is None or _leads(audit, m)]
    tables = {"key": key_table(audit.keys, level)}
    if shown:
        tables["gaps"] = _gaps(shown, audit, level)
    if video := [m for m in shown if m.kind == "video"]:
        tables["ladder"] = _ladder(video, level)
        tables["order"] = _order(video, level)
        tables["agreement"] = _agreement(video, level)
    if placed := [m for m in shown if m.positions and m.task is None]:
        tables["positions"] = _positions(placed, level)
    if audit.scores is not None:
        tables["scores"] = scores_table(audit.scores)
    return tables


def _leads(audit: Audit, seen: Measures) -> bool:
    """Whether *seen* is the mean of its kind, or the only one of it."""
    alike = [m for m in audit.measures if (m.kind, m.task) == (seen.kind, seen.task)]
    return seen is max(alike, key=lambda m: m.members)


def key_table(keys: Sequence[KeyBalance], level: str) -> Table:
    """Return how often each label is the answer, and what always saying one earns."""
    rows = []
    for key in keys:
        spread = key.distribution
        counts = ", ".join(
            f"{each.label} {each.right} ({each.expected:.1f})" for each in key.labels
        )
        floor = key.floor
        rows.append(
            (
                ALL if key.task is None else key.task,
                str(key.n),
                share(key.chance),
                f"{share(floor.estimate)} {share_span(floor.low, floor.high)}",
                spread.mode,
                f"{spread.entropy:.3f}",
                pvalue(spread.fit.pvalue),
                counts,
            )
        )
    heads = ("task", "n", "chance", f"majority floor [{level}]", "always")
    return Table(
        caption="Answer key: label, how often it is the answer (expected)",
        heads=(*heads, "entropy, bits", "p", "labels"),
        rows=tuple(rows),
    )


def _gaps(shown: Sequence[Measures], audit: Audit, level: str) -> Table:
    floors = {key.task: key.floor.estimate for key in audit.keys}
    rows = [
        (
            *_whose(m),
            str(m.n),
            share(m.chance),
            share(floors.get(m.task)),
            _accuracy(m.above.get("text_only")),
            _points(m.above.get("text_only")),
            _accuracy(m.above.get("original")),
            _points(m.gain),
            _points(m.gains.get("VDG")),
        )
        for m in shown
    ]
    heads = ("task", "model", "n", "chance", "floor", "blind")
    effects = (f"blind gap, pp [{level}]", "video", f"visual gain, pp [{level}]")
    return Table(
        caption="What text alone earns, and what the video adds",
        names=2,
        heads=(*heads, *effects, f"VDG, pp [{level}]"),
        rows=tuple(rows),
    )


def _ladder(shown: Sequence[Measures], level: str) -> Table:
    rungs = ("black", "single_frame", "shuffled", "original")
    rows = []
    for m in shown:
        steps = (None, None, None) if m.ladder is None else m.ladder.steps
        accuracies = (_accuracy(m.above.get(name)) for name in rungs)
        n = MISSING if m.ladder is None else str(m.ladder.vdg.questions)
        rows.append((*_whose(m), n, *accuracies, *map(_points, steps)))
    names = (f"{name}, pp [{level}]" for name in ("spatial", "diversity", "temporal"))
    return Table(
        caption="Ladder: accuracy on each rung, and what each step adds",
        names=2,
        heads=("task", "model", "n", *rungs, *names),
        rows=tuple(rows),
    )


def _order(shown: Sequence[Measures], level: str) -> Table:
    rows = [
        (
            *_whose(m),
            MISSING
            if (loss := m.gains.get("shuffled loss")) is None
            else str(loss.questions),
            _points(m.above.get("shuffled")),
            _points(m.above.get("reversed")),
            _points(m.gains.get("shuffled loss")),
            _points(m.gains.get("reversed loss")),
            order_words(m),
        )
        for m in shown
    ]
    heads = (
        f"shuffled - chance [{level}]",
        f"reversed - chance [{level}]",
        f"original - shuffled [{level}]",
        f"original - reversed [{level}]",
        "order is",
    )
    return Table(
        caption="Order of frames: levels against chance, and losses, in points",
        names=2,
        heads=("task", "model", "n", *heads),
        rows=tuple(rows),
    )


def order_words(m: Measures) -> str:
    """Return what *m* shows of the need of order, by one-sided bounds.

    ``needed``: shuffling costs accuracy; ``all there is``: shuffled lies within
    `AT_CHANCE` of chance as well; ``not needed``: it costs less than that much.
    """
    loss, left = m.gains.get("shuffled loss"), m.above.get("shuffled")
    if loss is None or left is None:
        return MISSING
    if loss.lower_bound > 0:
        inside = left.lower_bound > -AT_CHANCE and left.upper_bound < AT_CHANCE
        return "all there is" if inside else "needed"
    return "not needed" if loss.upper_bound < AT_CHANCE else "open"


def _agreement(shown: Sequence[Measures], level: str) -> Table:
    names = list(dict.fromkeys(name for m in shown for name in m.agreement))
    rows = [
        (*_whose(m), *(_proportion(m.agreement.get(name)) for name in names))
        for m in shown
    ]
    return Table(
        caption="Agreement: of what is right under an input, right with the video, "
        f"too [{level}]",
        names=2,
        heads=("task", "model", *names),
        rows=tuple(rows),
    )


def _positions(shown: Sequence[Measures], level: str) -> Table:
    rows = []
    for m in shown:
        for condition, found in m.positions.items():
            told = _of_positions(found, above=m.above.get(condition))
            rows.append((m.who, condition, *told))
    heads = ("model", "condition", "answers (key)", "unanswered")
    bias = (f"largest excess, pp [{level}]", "p", "explained by its habit")
    return Table(
        caption="Labels answered against the key, all tasks",
        names=2,
        heads=(*heads, *bias),
        rows=tuple(rows),
    )


def _of_positions(found: Positions, above: AboveChance | None) -> tuple[str, ...]:
    key = found.key.counts
    given = {} if found.answers is None else found.answers.counts
    label = found.largest_excess
    most = found.excess[label]
    # A share of what is not shown to be there says nothing.
    shown = above is not None and above.lower_bound > 0
    explained = found.explained if shown else None
    return (
        ", ".join(f"{name} {given.get(name, 0)} ({key[name]})" for name in key),
        str(found.unanswered),
        f"{label} {points(most.estimate)} {span(most.low, most.high)}",
        pvalue(found.homogeneity.pvalue),
        MISSING if explained is None else f"{100 * explained:.0f}%",
    )


def scores_table(scores: Scores, tau: float = THRESHOLD) -> Table:
    """Return means of T, V and S, each model's part, and how many lie above *tau*."""
    above = int((~keep_grounded(scores.score, tau)).sum())
    rows = [
        ("T, text tells", "mean", f"{scores.textual.mean():+.3f}", MISSING),
        *(
            ("", n, f"{p.mean():+.3f}", MISSING)
            for n, p in scores.textual_parts.items()
        ),
        ("V, video tells", "mean", f"{scores.visual.mean():+.3f}", MISSING),
        *(("", n, f"{p.mean():+.3f}", MISSING) for n, p in scores.visual_parts.items()),
        (
            "S = T - V",
            "mean",
            f"{scores.score.mean():+.3f}",
            f"{above} of {len(scores.ids)}",
        ),
        *(("", name, MISSING, why) for name, why in scores.silent.items()),
    ]
    return Table(
        caption="Shortcut score, mean over questions",
        names=2,
        heads=("score", "model", "mean", f"questions above {tau:g}"),
        rows=tuple(rows),
    )


def text_table(text: TextShortcuts, level: str) -> Table:
    """Return each baseline of the text over all questions, against chance."""
    rows = []
    for each in text.of():
        gap = each.gap
        rows.append(
            (
                each.name,
                each.words,
                str(each.askings),
                *(
                    (MISSING, MISSING, MISSING, MISSING)
                    if gap is None
                    else (
                        share(gap.accuracy),
                        share(gap.chance),
                        f"{points(gap.estimate)} {span(gap.low, gap.high)}",
                        MISSING if each.adjusted is None else pvalue(each.adjusted),
                    )
                ),
                "above chance" if each.shown else each.reason,
            )
        )
    heads = ("baseline", "picks", "of", "right", "chance")
    return Table(
        caption="What text alone tells, without any model",
        heads=(*heads, f"above, pp [{level}]", "p (Holm)", "is"),
        rows=tuple(rows),
    )


def _whose(m: Measures) -> tuple[str, str]:
    return (ALL if m.task is None else m.task), m.who


def _accuracy(value: AboveChance | None) -> str:
    return share(None if value is None else value.accuracy)


def _points(value: AboveChance | PairedDifference | None) -> str:
    if value is None:
        return MISSING
    return f"{points(value.estimate)} {span(value.low, value.high)}"


def _proportion(value: Proportion | None) -> str:
    if value is None:
        return MISSING
    return f"{share(value.estimate)} {share_span(value.low, value.high)}"
