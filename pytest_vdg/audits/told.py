"""What the text of questions gives away, as flaws beside those of the panel.

Apart from the search for shortcuts, which tries everything: here what says the
same twice is told once, in the words of whoever has to mend the questions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vdg.audits.findings import Flaw

if TYPE_CHECKING:
    from pytest_vdg.audits._regularity import Regularity
    from pytest_vdg.audits.text import TextShortcuts

_TOGETHER, _LABEL = "all together", "frequent label"
_WORDS = {
    "named": "answer named in the question",
    "question words": "the option that fits the question's words is right",
    "option words": "options are told by their own words",
    "overlap": "the option that shares the question's words is right",
    "longest": "the longest option is right",
    "shortest": "the shortest option is right",
    "odd length": "the option of another length is right",
    "frequent text": "texts that are answers elsewhere are answers again",
    _TOGETHER: "words, lengths and labels together tell the answer",
}
"""Baseline to flaw, in the order told. The label that is right most often is not
among them: that is the key's flaw, which is looked for by itself."""
_COVERED = {
    "overlap": ("named",),
    "option words": ("question words",),
    _TOGETHER: tuple(name for name in _WORDS if name != _TOGETHER),
}
"""Flaws that say nothing new where one of these is told of the same questions."""
_REASONS = {"question words": "fit", "option words": "wording"}
"""Baseline to what a give-away calls it, where that is not its own name."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """Flaws that the text has, and the questions that give themselves away."""

    flaws: tuple[Flaw, ...] = ()
    questions: frozenset[str] = frozenset()
    """Ids of those that something tells before the label does."""


def text_flaws(text: TextShortcuts, *, skewed: Collection[str | None] = ()) -> Told:
    """Return the shortcuts of *text* that are shown to be above chance, as flaws.

    Over all questions first; within a task only what is not told over all. *skewed*
    are the tasks, None for all, of whose key it is told that it prefers labels: what
    tells no more than these do is not told again.
    """
    flaws = list(_flaws(text, None, skewed))
    over_all = {
        _WORDS[r.name]
        for r in text.of()
        if r.shown and r.name in _WORDS and not _by_label(text, r, skewed)
    }
    for task in text.tasks if len(text.tasks) > 1 else ():
        flaws += _flaws(text, task, skewed, over_all)
    given = {g.id for g in text.giveaways if not g.why[0].endswith("label")}
    return Told(flaws=tuple(flaws), questions=frozenset(given))


def _flaws(
    text: TextShortcuts,
    task: str | None,
    skewed: Collection[str | None],
    known: Collection[str] = (),
) -> Iterator[Flaw]:
    """Yield what is shown within *task*, but for what is *known* over all."""
    shown = {each.name: each for each in text.of(task) if each.shown}
    for name, words in _WORDS.items():
        found = shown.get(name)
        if found is None or words in known or _covered(name, shown, known):
            continue
        if not _by_label(text, found, skewed):
            yield _flaw(text, found, words)


def _by_label(
    text: TextShortcuts, found: Regularity, skewed: Collection[str | None]
) -> bool:
    """Return whether *found* is not shown to tell more than the label, told already."""
    told = {None, found.task} & {*skewed} if found.task is not None else skewed
    if found.name != _TOGETHER or not told or found.gap is None:
        return False
    label = text.named(_LABEL, found.task).gap
    return label is not None and found.gap.low + found.gap.chance <= label.accuracy


def _covered(
    name: str, shown: Mapping[str, Regularity], known: Collection[str]
) -> bool:
    others = _COVERED.get(name, ())
    return any(other in shown or _WORDS[other] in known for other in others)


def _flaw(text: TextShortcuts, found: Regularity, words: str) -> Flaw:
    gap = found.gap
    assert gap is not None  # else it were not shown
    detail = f" (most often {found.detail!r})" if found.detail else ""
    reason = _REASONS.get(found.name, found.name)
    return Flaw(
        kind="text",
        words=(
            f"{words}{detail}: {found.right} of {found.askings} questions "
            f"({gap.chance * found.askings:.1f} by chance)"
        ),
        task=found.task,
        estimate=gap.accuracy,
        low=gap.low + gap.chance,
        high=gap.high + gap.chance,
        bound=gap.chance,
        n=found.askings,
        questions=tuple(
            g.id
            for g in text.giveaways
            if reason in g.why and found.task in (None, g.task)
        ),
    )
