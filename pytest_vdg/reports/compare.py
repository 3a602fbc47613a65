"""Two or more runs on one slice, side by side: who is right where.

Apart from the assertions because it claims nothing: it shows in what two
checkpoints differ, and whether what differs is accuracy or the use of the video.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes import Missing, Paired, pair_answers
from pytest_vdg.reports.comparison import Comparison, ConditionTest, Flipped
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.stats import counted
from pytest_vdg.stats.dissociation import Discordance, Dissociation, dissociations
from pytest_vdg.stats.holm import holm
from pytest_vdg.stats.mcnemar import Method, mcnemar
from pytest_vdg.stats.paired import PairedDifference

_DISSOCIATED = ("original", "black")


def compare_runs(
    runs: Sequence[Run],
    *,
    conditions: Sequence[str] | None = None,
    task: TaskFilter = None,
    missing: Missing = "drop",
    method: Method = "exact",
    confidence: float = 0.95,
    alpha: float = 0.05,
) -> Comparison:
    """Compare each pair of *runs* under each of *conditions*.

    Parameters
    ----------
    runs : sequence of Run
        Two at least, over the same questions and with the same settings.
    conditions : sequence of str, optional
        By default those that all runs hold, in the order of the first.
    task : str, collection of str, optional
        Compare these tasks only.
    missing : {"drop", "wrong"}
        What becomes of a question with a failed cell, see `outcomes`.
    method : {"exact", "mid-p", "vdg-paper"}
        Of McNemar's test; "vdg-paper" to reproduce, not to judge.
    confidence : float
        Of the intervals, which are not adjusted.
    alpha : float
        Below it, after Holm, a difference counts in the dissociation table.

    Raises
    ------
    NotComparable
        When two runs do not measure the same thing.
    CouldNotBeJudged
        When the runs share no condition, lack one that was named, or judged no
        question in common.
    ValueError
        For fewer than two runs, or an unknown *task*.

    Notes
    -----
    The tests take questions for independent, the intervals do not; caps on what
    is missing are the assertions' business, here it is counted. A question asked
    under several orders counts once in the tests, for the run that is right
    under more of them.
    """
    if len(runs) < 2:
        raise ValueError(f"a comparison needs two runs or more, got {len(runs)}")
    names = _names(runs)
    chosen = _conditions(runs, conditions)
    pairs = {
        (i, j, condition): pair_answers(
            runs[j], runs[i], condition=condition, task=task, missing=missing
        )
        for i, j in combinations(range(len(runs)), 2)
        for condition in chosen
    }
    raw = {
        str(number): mcnemar(
            treated_only=gained, control_only=lost, method=method
        ).pvalue
        for number, (gained, lost) in enumerate(map(_signs, pairs.values()))
    }
    adjusted = holm(raw)
    tests = tuple(
        ConditionTest(
            condition=condition,
            first=names[i],
            second=names[j],
            n=paired.extent.n,
            n_videos=paired.n_videos,
            excluded=len(paired.excluded),
            first_accuracy=float(np.mean(paired.control)),
            second_accuracy=float(np.mean(paired.treated)),
            difference=_difference(paired, confidence),
            pvalue=raw[str(number)],
            adjusted=adjusted[str(number)],
            flipped=_flipped(runs[i], runs[j], condition, paired),
        )
        for number, ((i, j, condition), paired) in enumerate(pairs.items())
    )
    return Comparison(
        slice_name=runs[0].slice_name,
        names=names,
        tests=tests,
        dissociations=_dissociations(names, pairs, method, alpha),
        method=method,
        missing=missing,
        confidence=confidence,
    )


def _names(runs: Sequence[Run]) -> tuple[str, ...]:
    often = Counter(run.checkpoint for run in runs)
    return tuple(
        run.checkpoint if often[run.checkpoint] == 1 else f"{run.checkpoint} #{number}"
        for number, run in enumerate(runs, start=1)
    )


def _conditions(
    runs: Sequence[Run], conditions: Sequence[str] | None
) -> tuple[str, ...]:
    if conditions is not None:
        names = (conditions,) if isinstance(conditions, str) else tuple(conditions)
        if not names:
            raise ValueError("no condition compares nothing; None is for all")
        return tuple(dict.fromkeys(names))
    common = tuple(
        c for c in runs[0].conditions if all(c in run.conditions for run in runs)
    )
    if not common:
        raise CouldNotBeJudged(
            "the runs share no condition: "
            + " | ".join(", ".join(run.conditions) for run in runs)
        )
    return common


def _difference(paired: Paired, confidence: float) -> PairedDifference:
    """Return second minus first."""
    return counted.difference(
        paired.differences, paired.video_ids, confidence, paired.asked_ids
    )


def _flipped(
    first: Run, second: Run, condition: str, paired: Paired
) -> tuple[Flipped, ...]:
    found = [
        Flipped(
            question_id=q,
            first_choice=_choice(first, q, condition),
            second_choice=_choice(second, q, condition),
            first_right=bool(then),
        )
        for q, now, then in zip(
            paired.question_ids, paired.treated, paired.control, strict=True
        )
        if now != then
    ]
    return tuple(sorted(found, key=lambda f: f.question_id))


def _choice(run: Run, question: str, condition: str) -> str:
    cell = run.cells[question, condition]
    return cell.choice if cell.choice is not None else cell.outcome.value


def _dissociations(
    names: tuple[str, ...],
    pairs: dict[tuple[int, int, str], Paired],
    method: Method,
    alpha: float,
) -> tuple[tuple[str, str, Dissociation], ...]:
    """Test the pairs that have both arms, over the questions judged in both."""
    which = dict.fromkeys((i, j) for i, j, _ in pairs)
    family: dict[str, tuple[Discordance, Discordance]] = {}
    for i, j in which:
        arms = [pairs.get((i, j, condition)) for condition in _DISSOCIATED]
        original, black = arms
        if original is None or black is None:
            return ()
        common = set(original.question_ids) & set(black.question_ids)
        if not common:
            return ()
        family[f"{i} {j}"] = (
            _discordance(original.kept(common)),
            _discordance(black.kept(common)),
        )
    found = dissociations(family, alpha=alpha, method=method)
    return tuple((names[i], names[j], found[f"{i} {j}"]) for i, j in which)


def _discordance(paired: Paired) -> Discordance:
    second, first = _signs(paired)
    return Discordance(first_only=first, second_only=second)


def _signs(paired: Paired) -> tuple[int, int]:
    """Return what McNemar's test may count: questions, not orders of one."""
    return counted.signs(paired.differences, paired.asked_ids)
