"""A diff of baselines as lines for a terminal, and as Markdown for a review.

Apart from the diff itself because ids, names and replies are written by others
and shown where they could be taken for markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pytest_vdg.reports import _markdown as md
from pytest_vdg.reports._format import plain, points, share, span
from pytest_vdg.reports.baseline_diff import BaselineDiff, Field, Interval, Moved
from pytest_vdg.reports.comparison import ConditionTest, Flipped
from pytest_vdg.spelling import count

_MOST = 8
_MOST_IN_A_COMMENT = 12
_NAME = 60
_ID = 40

Write = Callable[[str], str]
"""Spell text of others."""


def head_lines(diff: BaselineDiff) -> list[str]:
    """Return what changes in numbers: VDG, then a line a condition."""
    lines = [f"not comparable: {plain(why, 120)}" for why in diff.not_comparable]
    if diff.gap is not None:
        gap = diff.gap
        lines.append(
            f"VDG {_gap(gap.old)} -> {_gap(gap.new)}, change {_gap(gap.change)}; "
            f"lost grounding {len(gap.lost)}, gained {len(gap.gained)} of {gap.n}"
        )
    for test in diff.conditions:
        right = [f.first_right for f in test.flipped]
        lines.append(
            f"{plain(test.condition, 20)} {share(test.first_accuracy)} -> "
            f"{share(test.second_accuracy)}, change {_change(test)}; "
            f"{right.count(True)} became wrong, {right.count(False)} right of {test.n}"
        )
    return lines


def diff_lines(diff: BaselineDiff) -> list[str]:
    """Return *diff* as lines of ASCII."""
    old, new = (plain(name, 120) for name in diff.names)
    lines = [f"slice {plain(diff.slice_name, _NAME)}: {old} -> {new}"]
    if diff.alike:
        when = "; written at another time" if diff.fields else ""
        return [*lines, f"  the same answers and settings{when}"]
    lines += [f"  {line}" for line in head_lines(diff)]
    lines += _asked(diff, lambda text: plain(text, _ID))
    if diff.fields:
        lines += ["header, old -> new", *_indented(_field_table(diff.fields))]
    if diff.gap is not None:
        for what, moved in (("lost", diff.gap.lost), ("gained", diff.gap.gained)):
            if moved:
                listed = _shown([_move(m) for m in moved], _MOST)
                lines.append(f"{what} grounding ({len(moved)}): {listed}")
    for test in diff.conditions:
        lines += _flips(test)
    return lines


def _field_table(fields: Sequence[Field]) -> list[str]:
    """Return two lines a field, as digests side by side are wider than a screen."""
    lines = []
    for field in fields:
        name = plain(field.name, _NAME)
        lines += [f"{name}: {plain(field.old or '-', _NAME)}", f"  -> {_new(field)}"]
    return lines


def _new(field: Field) -> str:
    return plain(field.new or "-", _NAME)


def _asked(diff: BaselineDiff, write: Write) -> list[str]:
    """Return which questions are not in both."""
    parts = (
        ("only in the old one", diff.only_old),
        ("only in the new one", diff.only_new),
        ("ask something else", diff.altered),
    )
    return [
        f"{count(len(ids), 'question')} {what}: {_shown(map(write, ids), _MOST)}"
        for what, ids in parts
        if ids
    ]


def _flips(test: ConditionTest) -> list[str]:
    lines = []
    for what, right in (("became wrong", True), ("became right", False)):
        shown = [_flip(f) for f in test.flipped if f.first_right is right]
        if shown:
            name = plain(test.condition, 20)
            lines.append(f"{name} {what} ({len(shown)}): {_shown(shown, _MOST)}")
    return lines


def _flip(flipped: Flipped) -> str:
    old, new = flipped.first_choice, flipped.second_choice
    return f"{plain(flipped.question_id, _ID)} ({plain(old, 20)}->{plain(new, 20)})"


def _move(moved: Moved) -> str:
    choices = ", ".join(
        f"{c} {plain(old, 20)}->{plain(new, 20)}" for c, old, new in moved.choices
    )
    return f"{plain(moved.question_id, _ID)} ({choices})"


def _shown(items: Iterable[str], most: int) -> str:
    listed = list(items)
    more = len(listed) - most
    return ", ".join(listed[:most]) + (f", and {more} more" if more > 0 else "")


def _gap(interval: Interval) -> str:
    low, high = interval.low, interval.high
    return f"{points(interval.estimate)}pp {span(low, high)}"


def _change(test: ConditionTest) -> str:
    found = test.difference
    return f"{points(found.estimate)}pp {span(found.low, found.high)}"


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def diff_markdown(diff: BaselineDiff) -> list[str]:
    """Return *diff* as GitHub-flavoured Markdown, for a comment on a change.

    Text of others stands in code spans: it can be no markup, no link, and it
    calls nobody by name.
    """
    lines = [f"### Baseline of slice {code(diff.slice_name)}", ""]
    if diff.alike:
        return [*lines, "The same answers and settings."]
    listed = [f"- **not comparable**: {code(w, 160)}" for w in diff.not_comparable]
    listed += [f"- {line}" for line in _asked(diff, lambda text: code(text, _ID))]
    lines += [*listed, ""] if listed else []
    lines += _numbers(diff)
    lines += _details("Header", _md_fields(diff.fields))
    if diff.gap is not None:
        for what, moved in (("Lost", diff.gap.lost), ("Gained", diff.gap.gained)):
            rows = [f"- {code(m.question_id, _ID)}: {_md_move(m)}" for m in moved]
            lines += _details(f"{what} grounding", rows)
    for test in diff.conditions:
        rows = [
            f"- {code(f.question_id, _ID)}: {code(f.first_choice, 20)} → "
            f"{code(f.second_choice, 20)} ({'wrong' if f.first_right else 'right'} now)"
            for f in test.flipped
        ]
        lines += _details("Flipped under", rows, what=test.condition)
    return lines


def _numbers(diff: BaselineDiff) -> list[str]:
    level = f"{100 * diff.confidence:g}%"
    rows = md.heads(["", "old", "new", f"change [{level} CI]", "n"], "lrrlr")
    if diff.gap is not None:
        gap = diff.gap
        pair = [f"{points(each.estimate)}pp" for each in (gap.old, gap.new)]
        rows.append(md.row(["**VDG**", *pair, _gap(gap.change), str(gap.n)]))
    for test in diff.conditions:
        pair = [share(each) for each in (test.first_accuracy, test.second_accuracy)]
        name = code(test.condition, 20)
        rows.append(md.row([name, *pair, _change(test), str(test.n)]))
    return [*rows, ""]


def _md_fields(fields: Sequence[Field]) -> list[str]:
    return [
        f"- {code(f.name)}: {code(f.old or '-')} → {code(f.new or '-')}" for f in fields
    ]


def _md_move(moved: Moved) -> str:
    return ", ".join(
        f"{code(c, 20)} {code(old, 20)} → {code(new, 20)}"
        for c, old, new in moved.choices
    )


def _details(title: str, rows: Sequence[str], *, what: str = "") -> list[str]:
    """Return *rows* folded under their title, as many as a comment should hold."""
    if not rows:
        return []
    shown = list(rows[:_MOST_IN_A_COMMENT])
    if len(rows) > len(shown):
        shown.append(f"- and {len(rows) - len(shown)} more")
    named = f"{title} {code(what)}" if what else title
    before, after = md.folded(f"{named} ({len(rows)})")
    return [*before, *shown, *after]


def code(text: str, longest: int = _NAME) -> str:
    """Return *text* of others as code that it cannot leave; a dash where it is empty.

    >>> code("a|b"), code("")
    ('<code>a&#124;b</code>', '<code>-</code>')
    """
    return md.code(plain(text, longest) or "-", longest)
