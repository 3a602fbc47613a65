"""Filters: which questions stay, by rules of the traffic paper, judged by others.

Apart from the scores because here a choice is made, and because the one law of
choosing is kept here: a model that filtered does not judge the filter. It would
find its own luck removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from pytest_vdg.audits.measures import Measures, measure
from pytest_vdg.audits.panel import ORIGINAL, TEXT_ONLY, BoolArray, Kind, Member, Panel
from pytest_vdg.audits.shortcut import SCORES, Scores, shortcut_scores
from pytest_vdg.errors import CouldNotBeJudged, did_you_mean
from pytest_vdg.outcomes.columns import COUNTED, among
from pytest_vdg.runs import Outcome
from pytest_vdg.stats.filtering import (
    THRESHOLD,
    Kept,
    keep_grounded,
    keep_unless_blindly_right,
    sweep,
)

By = Literal["shortcut", "inspector", "bclean"]
RULES: Mapping[By, str] = {
    "shortcut": "S-score",
    "inspector": "LLM-Inspector",
    "bclean": "B-Clean",
}
"""Name on the command line to name in print."""
ALLOWED: Mapping[By, int] = {"inspector": 1, "bclean": 0}
"""How many blind models may be right on a question that stays."""
THRESHOLDS = tuple(round(-1 + 0.05 * i, 2) for i in range(41))
"""Of a sweep, from -1 to 1."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Filtered:
    """What a rule leaves of a panel's questions."""

    by: By
    tau: float | None
    """The threshold of S; None of a rule that has none."""
    used: tuple[str, ...]
    """Names of the models that the rule heard."""
    keep: BoolArray
    """Shape ``(n,)``, in the order of the panel's questions."""
    removed: tuple[str, ...]
    """Ids of the questions that the rule removes."""
    unknown: tuple[str, ...]
    """Ids of questions that the rule knows too little of; they do not stay."""
    scores: Scores | None = None
    """What S is made of; None of a rule without."""

    @property
    def kept(self) -> int:
        """How many stay, each order of a question by itself."""
        return int(self.keep.sum())


def filtered(
    panel: Panel,
    by: By = "shortcut",
    *,
    tau: float = THRESHOLD,
    judge: str | None = None,
) -> Filtered:
    """Return what the rule *by* leaves, by all models but the *judge*.

    Parameters
    ----------
    panel
        Holds the judge, too, where there is one.
    by : {"shortcut", "inspector", "bclean"}
        "shortcut" keeps S <= *tau*; "inspector" drops what more than one text
        model answers, "bclean" what any video model answers without the video.
    tau : float
        Threshold of S.
    judge
        Name of the model that is held out, and not heard.

    Raises
    ------
    CouldNotBeJudged
        Where no model is left that the rule could hear.
    """
    if by not in get_args(By):
        hint = did_you_mean(str(by), get_args(By))
        raise ValueError(
            f"by must be one of {', '.join(get_args(By))}, got {by!r}.{hint}"
        )
    held_out = () if judge is None else (panel.member(judge).name,)
    if by == "shortcut":
        return _by_score(panel, shortcut_scores(panel, without=held_out), tau)
    kind: Kind = "text" if by == "inspector" else "video"
    heard = [m for m in panel.of(kind) if m.name not in held_out]
    if not heard:
        raise CouldNotBeJudged(
            f"{RULES[by]} takes the answers of {kind} models without the video, and no "
            f"{kind} model of the panel may filter"
        )
    if by == "inspector" and len(heard) < 2:
        raise CouldNotBeJudged(
            "LLM-Inspector removes what more than one text model answers: it takes two "
            "text models at least, and one may filter. Name another with --text-models"
        )
    return _by_answers(panel, by, heard)


def _by_score(panel: Panel, scores: Scores, tau: float) -> Filtered:
    kept = keep_grounded(scores.score, tau)
    stays = {i for i, stay in zip(scores.ids, kept, strict=True) if stay}
    return Filtered(
        by="shortcut",
        tau=tau,
        used=scores.used,
        keep=np.array([q.id in stays for q in panel.questions]),
        removed=tuple(i for i in scores.ids if i not in stays),
        unknown=scores.unscored,
        scores=scores,
    )


def _by_answers(panel: Panel, by: By, heard: list[Member]) -> Filtered:
    columns = [panel.column(m, TEXT_ONLY) for m in heard]
    known = np.logical_and.reduce([among(c, COUNTED["drop"]) for c in columns])
    right = np.array([among(c, [Outcome.CORRECT]) for c in columns])
    stay = keep_unless_blindly_right(right, allowed=ALLOWED[by])
    # A question stays only where the rule knows enough of it; that it is to be
    # removed is known as soon as too many were right.
    ids = np.array([q.id for q in panel.questions])
    return Filtered(
        by=by,
        tau=None,
        used=tuple(m.name for m in heard),
        keep=np.asarray(stay & known),
        removed=tuple(ids[~stay].tolist()),
        unknown=tuple(ids[stay & ~known].tolist()),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class TableRow:
    """One column of the traffic paper's Table 2: a filter, judged by one model."""

    name: str
    judge: str
    filtered: Filtered | None
    """None of all questions."""
    measures: Measures | None
    """None where no question is left."""
    why: str = ""
    """Why the filter could not be made; empty where it was."""

    @property
    def n(self) -> int | None:
        """Questions left; None where the filter could not be made."""
        if self.measures is not None:
            return self.measures.n
        return None if self.filtered is None else 0


def judged(
    panel: Panel, found: Filtered | None, judge: str, *, confidence: float = 0.95
) -> Measures | None:
    """Return what *judge* measures on the questions that stay; None where none does.

    Raises
    ------
    CouldNotBeJudged
        Where *judge* is one of the models that filtered, by name or by weights,
        now or when the slice was made.
    """
    member = panel.member(judge)
    _require_held_out(panel, () if found is None else found.used, member)
    if found is not None and not found.keep.any():
        return None
    keep = None if found is None else found.keep
    return measure(panel, [member], keep=keep, confidence=confidence)


def _require_held_out(panel: Panel, used: Iterable[str], judge: Member) -> None:
    if judge.name in panel.filtered_before:
        raise CouldNotBeJudged(
            f"{judge.name!r} cannot judge on slice {panel.slice_name!r}: it took part "
            "in the filter that left these questions, and would find removed what it "
            "happened to answer. Judge by a model that did not"
        )
    for name in used:
        other = panel.member(name)
        same = judge.weights and judge.weights == other.weights
        if name == judge.name or same:
            raise CouldNotBeJudged(
                f"{judge.name!r} cannot judge this filter: it is one of the models "
                f"that filtered ({', '.join(used)}), and would find "
                "removed what it happened to answer. Hold a model out: --judge MODEL"
            )


def comparison(
    panel: Panel, judge: str, *, tau: float = THRESHOLD, confidence: float = 0.95
) -> tuple[TableRow, ...]:
    """Return the table of the traffic paper: no filter, then each rule.

    *judge* measures what each leaves; a rule that this panel cannot follow has a row
    that says why.
    """
    whole = judged(panel, None, judge, confidence=confidence)
    rows = [TableRow(name="no filter", judge=judge, filtered=None, measures=whole)]
    rules: tuple[By, ...] = ("inspector", "bclean", "shortcut")
    for by in rules:
        try:
            found = filtered(panel, by, tau=tau, judge=judge)
        except CouldNotBeJudged as error:
            why = str(error).partition("\n")[0]
            row = TableRow(
                name=RULES[by], judge=judge, filtered=None, measures=None, why=why
            )
        else:
            seen = judged(panel, found, judge, confidence=confidence)
            row = TableRow(name=RULES[by], judge=judge, filtered=found, measures=seen)
        rows.append(row)
    return tuple(rows)


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """What each threshold of one score would leave, as a held-out model sees it."""

    score: str
    """One of `SCORES`."""
    judge: str
    rows: tuple[Kept, ...]
    full: Kept
    """Without a threshold."""


def sweeps(
    panel: Panel,
    judge: str,
    *,
    thresholds: Iterable[float] = THRESHOLDS,
    scores: Scores | None = None,
) -> tuple[Sweep, ...]:
    """Sweep the threshold over S, T and -V, judged by *judge*, which is held out.

    Raises
    ------
    CouldNotBeJudged
        Where *scores* were made with *judge*, or cannot be made without, and where
        *judge* answered none of their questions.
    """
    member = panel.member(judge)
    if member.kind == "text":
        raise CouldNotBeJudged(
            f"{judge!r} is a text model: a video model judges a filter, as visual gain "
            "is asked for. Hold one out: --judge MODEL"
        )
    if scores is None:
        scores = shortcut_scores(panel, without=(judge,))
    _require_held_out(panel, scores.used, member)
    places = {q.id: i for i, q in enumerate(panel.questions)}
    at = np.array([places[i] for i in scores.ids])
    arms = [
        panel.column(member, str(member.condition(c))) for c in (TEXT_ONLY, ORIGINAL)
    ]
    there = np.logical_and.reduce([among(a, COUNTED["drop"])[at] for a in arms])
    if not there.any():
        raise CouldNotBeJudged(
            f"{judge!r} judged no question that has scores with and without its video: "
            "there is nothing to sweep"
        )
    blind, seen = (among(a, [Outcome.CORRECT])[at][there] for a in arms)
    options = np.array([len(panel.questions[i].labels) for i in at])[there]
    steps = list(thresholds)
    found = []
    for name in SCORES:
        *rows, full = sweep(
            score=scores.named(name)[there],
            thresholds=[*steps, 1e9],
            text_only=blind,
            video=seen,
            options=options,
        )
        found.append(Sweep(score=name, judge=judge, rows=tuple(rows), full=full))
    return tuple(found)
