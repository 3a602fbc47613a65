"""`Audit`: all that a panel of models says of a benchmark, flaws first.

Apart from the single numbers because here they are put together: the mean of the
video models, the mean of the text models, and each model, over all tasks and
within each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_vdg.audits.findings import (
    Flaw,
    blind_flaws,
    key_flaws,
    unused_flaws,
)
from pytest_vdg.audits.key import KeyBalance, key_balance
from pytest_vdg.audits.measures import Measures, measure
from pytest_vdg.audits.panel import Kind, Panel
from pytest_vdg.audits.shortcut import Scores, shortcut_scores
from pytest_vdg.audits.told import Told, text_flaws
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes.extent import Extent
from pytest_vdg.runs import AskedQuestion

if TYPE_CHECKING:
    from pytest_vdg.audits.text import TextShortcuts


@dataclass(frozen=True, kw_only=True)
class Heard:
    """One model of the panel, as a report names it."""

    name: str
    kind: Kind
    weights: str


@dataclass(frozen=True, kw_only=True)
class Audit:
    """Result of `audit`."""

    slice_name: str
    confidence: float
    """Of the intervals that are shown; flaws are claimed at higher ones."""
    extent: Extent
    flaws: tuple[Flaw, ...]
    """Empty where none was found."""
    keys: tuple[KeyBalance, ...]
    """Over all questions, then of each task where there are several."""
    models: tuple[Heard, ...] = ()
    """Empty where no model was asked."""
    measures: tuple[Measures, ...] = ()
    """Means first, then each model; over all tasks, then by task."""
    scores: Scores | None = None
    """T, V and S; None where they cannot be made, see `unscored`."""
    unscored: str = ""
    """Why there are no scores; empty where there are, or no model was asked."""
    text: TextShortcuts | None = field(default=None, repr=False)
    """None where the questions' text is not at hand, or was not looked at."""
    notes: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """Whether any flaw was found."""
        return bool(self.flaws)

    def of(self, who: str, task: str | None = None) -> Measures:
        """Return the measures of *who* on *task*; ``ValueError`` where none are."""
        for each in self.measures:
            if (each.who, each.task) == (who, task):
                return each
        raise ValueError(f"no measures of {who!r} on task {task!r}")

    @property
    def leading(self) -> Measures | None:
        """The mean of the video models over all tasks, or their only one."""
        return next((m for m in self.measures if m.kind == "video"), None)


def asked_of(questions: Sequence[Question]) -> list[AskedQuestion]:
    """Return a benchmark's *questions* as a run would hold them."""
    from pytest_vdg.benchmarks.rotation import as_asked

    return [as_asked(each) for each in questions]


def audit_key(
    slice_name: str,
    questions: Sequence[Question],
    *,
    text: TextShortcuts | None = None,
    confidence: float = 0.95,
    notes: tuple[str, ...] = (),
) -> Audit:
    """Audit *questions* without any model: their key, and what *text* found."""
    asked = asked_of(questions)
    return Audit(
        slice_name=slice_name,
        confidence=confidence,
        extent=Extent.over(asked),
        flaws=tuple(_of_questions(asked, text)),
        keys=_keys(asked, confidence),
        text=text,
        notes=notes,
    )


def audit(
    panel: Panel, *, text: TextShortcuts | None = None, confidence: float = 0.95
) -> Audit:
    """Audit the questions of *panel* by its models.

    Parameters
    ----------
    panel
        At least one video model, or one text model.
    text
        What was found in the text of the questions, if it was looked for.
    confidence : float
        Of the intervals that are shown. Flaws are claimed at higher levels, see
        `findings`.
    """
    scores, why = None, ""
    try:
        scores = shortcut_scores(panel)
    except CouldNotBeJudged as error:
        why = str(error)
    return Audit(
        slice_name=panel.slice_name,
        confidence=confidence,
        extent=Extent.over(panel.questions),
        flaws=(
            *_of_questions(panel.questions, text),
            *blind_flaws(panel),
            *unused_flaws(panel),
        ),
        keys=_keys(panel.questions, confidence),
        models=tuple(
            Heard(name=m.name, kind=m.kind, weights=m.weights) for m in panel.members
        ),
        measures=tuple(_measures(panel, confidence)),
        scores=scores,
        unscored=why,
        text=text,
        notes=panel.notes,
    )


def _of_questions(
    asked: Sequence[AskedQuestion], text: TextShortcuts | None
) -> list[Flaw]:
    """Return flaws of text and key; the key also of what the text does not tell."""
    of_key = key_flaws(asked)
    skewed = {flaw.task for flaw in of_key}
    told = Told() if text is None else text_flaws(text, skewed=skewed)
    flaws = [*told.flaws, *of_key]
    rest = [q for q in asked if q.question not in told.questions]
    if told.questions and rest:
        flaws += key_flaws(rest, among=" that the text does not tell", tasks=False)
    return flaws


def _keys(asked: Sequence[AskedQuestion], confidence: float) -> tuple[KeyBalance, ...]:
    tasks = list(dict.fromkeys(q.task for q in asked))
    scopes = [None, *(tasks if len(tasks) > 1 else [])]
    return tuple(
        key_balance(
            [q for q in asked if task is None or q.task == task],
            task=task,
            confidence=confidence,
        )
        for task in scopes
    )


def _measures(panel: Panel, confidence: float) -> list[Measures]:
    tasks = [None, *(panel.tasks if len(panel.tasks) > 1 else ())]
    groups = []
    for kind in ("video", "text"):
        members = panel.of(kind)
        if len(members) > 1:
            groups.append((f"mean of {len(members)} {kind} models", members))
    groups += [(m.name, (m,)) for kind in ("video", "text") for m in panel.of(kind)]
    return [
        measure(panel, members, who=who, task=task, confidence=confidence)
        for task in tasks
        for who, members in groups
    ]
