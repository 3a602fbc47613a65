"""`text_shortcuts`: what the text of a benchmark gives away, found without any model.

Apart from the panel because it needs nobody's answers: where a rule of one line,
or a bag of words, is right more often than chance, a language model will be, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pytest_vdg.audits import _giveaways as giveaways
from pytest_vdg.audits._features import FAMILIES, Table
from pytest_vdg.audits._giveaways import GiveAway, Sureness
from pytest_vdg.audits._items import Item, items_of
from pytest_vdg.audits._learner import Learner, require_learner
from pytest_vdg.audits._picks import FREQUENT, RULES, commonest, frequent, ruled
from pytest_vdg.audits._regularity import LEARNT, Regularity, adjusted, regularity
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.errors import ConfigError
from pytest_vdg.spelling import count
from pytest_vdg.stats import _validate

TOGETHER = "all together"
"""The classifier that sees all that the others see."""


@dataclass(frozen=True, kw_only=True)
class TextShortcuts:
    """Result of `text_shortcuts`."""

    n: int
    """Distinct questions."""
    n_videos: int
    askings: int
    """Questions, each order of options by itself."""
    chance: float
    """Mean of 1/K."""
    tasks: tuple[str, ...]
    """In order of first appearance."""
    regularities: tuple[Regularity, ...]
    """Each baseline over all questions, then within each task."""
    giveaways: tuple[GiveAway, ...] = field(repr=False)
    """Questions that give themselves away, by id; empty where nothing is shown."""
    sureness: tuple[Sureness, ...]
    """How right the classifier is where it is sure; empty where it is not shown to
    be above chance."""
    seed: int
    folds: int
    confidence: float
    notes: tuple[str, ...] = ()
    """What could not be looked at, and why."""

    @property
    def shown(self) -> tuple[Regularity, ...]:
        """What is shown to be right more often than chance."""
        return tuple(each for each in self.regularities if each.shown)

    def of(self, task: str | None = None) -> tuple[Regularity, ...]:
        """Return the baselines within *task*; None for all questions."""
        return tuple(each for each in self.regularities if each.task == task)

    def named(self, name: str, task: str | None = None) -> Regularity:
        """Return the baseline *name* within *task*; ``ValueError`` if there is none."""
        for each in self.of(task):
            if each.name == name:
                return each
        raise ValueError(f"no baseline {name!r} within task {task!r}")

    def to_dict(self) -> dict[str, object]:
        """Return all of it as plain values, for JSON."""
        return {
            "n": self.n,
            "n_videos": self.n_videos,
            "askings": self.askings,
            "chance": self.chance,
            "tasks": list(self.tasks),
            "regularities": [each.to_dict() for each in self.regularities],
            "giveaways": [each.to_dict() for each in self.giveaways],
            "sureness": [each.to_dict() for each in self.sureness],
            "seed": self.seed,
            "folds": self.folds,
            "confidence": self.confidence,
            "notes": list(self.notes),
        }


def text_shortcuts(
    questions: Sequence[Question],
    *,
    seed: int = 0,
    folds: int = 5,
    confidence: float = 0.95,
) -> TextShortcuts:
    """Look for what tells the answers of *questions* without their videos.

    Parameters
    ----------
    questions : sequence of Question
        At least one. Several orders of a question's options are one question.
    seed : int
        Deals the videos into folds, and decides between options that a rule
        finds equal.
    folds : int
        Into how many parts the videos are dealt for what has to be learnt, at
        least 2. No video is in two.
    confidence : float
        Of each interval; and 1 - confidence is the chance that *anything* is
        called shown on questions whose key has nothing to do with their text.

    Returns
    -------
    TextShortcuts
        The same for the same questions in any order.

    Raises
    ------
    ConfigError
        When scikit-learn is not installed, or *folds* is no number of folds.
    ValueError
        For no question, two of one id, or a confidence that is none.

    Notes
    -----
    A rule that learns nothing (longest option, words shared with the question)
    is judged on every question where it prefers an option. What learns (most
    frequent answer, bags of words) is judged forwards: each fold is answered by
    what the folds *before* it teach, and the first by nothing. In ordinary
    cross-validation two folds learn from each other, so that their scores rise
    and fall together and an interval of independent questions is too narrow.
    Forwards, if the key has nothing to do with the text, each answer is right
    with probability 1/K whatever was answered before, and the interval, over
    videos as everywhere, holds. It covers the accuracy of what was taught by
    these folds on average, which more questions to learn from would raise.

    Whether a baseline is above chance is decided by Holm's adjustment over all
    baselines, over all questions and within each task together.
    """
    level = _validate.confidence(confidence)
    if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:
        raise ConfigError(f"folds must be a whole number of at least 2, got {folds!r}")
    if not questions:
        raise ValueError("no question tells nothing of a benchmark")
    if len({q.id for q in questions}) < len(questions):
        raise ValueError("two questions have one id")
    require_learner()
    items = items_of(questions, seed=seed, folds=folds)
    tasks = tuple(dict.fromkeys(q.task for q in questions))
    learners = _learners(items)
    picks = {rule: ruled(items, rule, seed) for rule in RULES}
    picks |= {name: learner.forward() for name, learner in learners.items()}
    found = [
        each
        for task in (None, *(tasks if len(tasks) > 1 else ()))
        for each in _within(items, picks, task, seed=seed, confidence=level)
    ]
    judged = adjusted(found, alpha=1 - level)
    shown = {each.name for each in judged if each.task is None and each.shown}
    told = giveaways.found(
        items,
        {rule: picks[rule] for rule in RULES if rule in shown},
        learners[TOGETHER] if TOGETHER in shown else None,
        confidence=level,
    )
    return TextShortcuts(
        n=len({item.of for item in items}),
        n_videos=len({item.video for item in items}),
        askings=len(items),
        chance=sum(1 / len(item.labels) for item in items) / len(items),
        tasks=tasks,
        regularities=tuple(judged),
        giveaways=told.giveaways,
        sureness=told.sureness,
        seed=seed,
        folds=folds,
        confidence=level,
        notes=tuple(_notes(judged)),
    )


def _learners(items: Sequence[Item]) -> dict[str, Learner]:
    table = Table(items)
    return {name: Learner(table, items, name) for name in FAMILIES}


def _within(
    items: Sequence[Item],
    picks: dict[str, list[int]],
    task: str | None,
    *,
    seed: int,
    confidence: float,
) -> list[Regularity]:
    """Return each baseline over the questions of *task*.

    What is frequent is counted within it: tasks have answers of their own.
    """
    rows = [i for i, item in enumerate(items) if task is None or item.task == task]
    own = [items[i] for i in rows]
    chosen = {name: [picks[name][i] for i in rows] for name in picks}
    chosen |= {rule: frequent(own, rule, seed) for rule in FREQUENT}
    return [
        regularity(
            own,
            chosen[name],
            name=name,
            task=task,
            confidence=confidence,
            detail=commonest(own, name) if name in FREQUENT else "",
        )
        for name in (*RULES, *FREQUENT, *FAMILIES)
    ]


def _notes(found: Sequence[Regularity]) -> list[str]:
    """Return what was not judged, a line for each reason."""
    lines = []
    for reason in dict.fromkeys(each.reason for each in found if each.reason):
        alike = [each for each in found if each.reason == reason]
        names = ", ".join(dict.fromkeys(each.name for each in alike))
        tasks = len({each.task for each in alike if each.task is not None})
        where = f" within {count(tasks, 'task')}" if tasks else ""
        over_all = any(each.task is None for each in alike)
        everywhere = " over all questions" if over_all else ""
        both = " and" if tasks and over_all else ""
        lines.append(f"not judged{everywhere}{both}{where}: {names} ({reason})")
    return lines


__all__ = [
    "LEARNT",
    "GiveAway",
    "Regularity",
    "Sureness",
    "TextShortcuts",
    "text_shortcuts",
]
