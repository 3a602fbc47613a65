"""Checks on which labels are answered on black clips of Video-MME."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_vdg.runs import Run
from pytest_vdg.stats.positions import Positions, positions
from tools.reproduction import printed
from tools.reproduction.answers import Published
from tools.reproduction.check import Check, known
from tools.reproduction.printed import MODELS, OVERALL, TASKS

CHANCE = 0.25


def of_black(run: Run, task: str) -> Positions:
    """Return the distribution of answers on black clips beside the key's."""
    questions = run.selected(None if task == OVERALL else task)
    return positions(
        answers=[run.cells[q.id, "black"].choice for q in questions],
        key=[q.answer for q in questions],
        options=[q.labels for q in questions],
        clusters=[q.video for q in questions],
    )


def alignment(run: Run, task: str) -> float | None:
    """Return the "alignment" of a row of Table S5 in percent, None at chance.

    A task's is (share of questions where key and answer both are the key's
    mode, less 1/16) over (accuracy less 1/4), as in the paper's code; the
    overall row has another formula, that of `Positions.explained`.
    """
    found = of_black(run, task)
    if found.accuracy <= CHANCE:
        return None
    if task == OVERALL:
        return None if found.explained is None else 100 * found.explained
    mode = found.key.mode
    questions = [q for q in run.selected(task) if q.answer == mode]
    aligned = sum(run.cells[q.id, "black"].choice == mode for q in questions)
    earned = aligned / found.n - CHANCE * CHANCE
    return 100 * earned / (found.accuracy - CHANCE)


def alignments(published: Published) -> Iterator[Check]:
    """Table S5: accuracy on black clips, and how much of it one label explains."""
    for task in (*TASKS, OVERALL):
        for model, text in zip(MODELS, printed.TABLE_S5[task], strict=True):
            run = published.video_mme[model]
            found, share = of_black(run, task), known(alignment(run, task))
            yield Check(
                where="Table S5",
                what=f"{MODELS[model]}, {task}: accuracy on black, alignment percent",
                printed=tuple(text.split()),
                ours=(found.accuracy, share)[: len(text.split())],
                how=(
                    f"none missing, n {found.n}; "
                    + ("mode of the answers" if task == OVERALL else "mode of the key")
                ),
                why=_WHY.get((model, task), ""),
            )


_WHY = {
    ("llava", "OCR Problems"): "(.14 - 1/16) / .11 is 70.45 percent: printed as 71",
}


def distributions(published: Published) -> Iterator[Check]:
    """Section S5: how often each label is the key, and is answered."""
    some = of_black(next(iter(published.video_mme.values())), OVERALL)
    yield Check(
        where="Section S5",
        what="key: A, B, C, D, percent",
        printed=tuple(printed.KEY_SHARES.split()),
        ours=tuple(100 * n / some.key.n for n in some.key.counts.values()),
        how=f"n {some.key.n}",
    )
    for model, text in printed.BLACK_SHARES.items():
        answers = of_black(published.video_mme[model], OVERALL).answers
        if answers is None:
            continue  # nothing was answered on black clips
        labels, shares = text.split()[::2], text.split()[1::2]
        yield Check(
            where="Section S5",
            what=f"{MODELS[model]}, answers on black: {', '.join(labels)}, percent",
            printed=tuple(shares),
            ours=tuple(100 * answers.counts[label] / answers.n for label in labels),
            how=f"n {answers.n}",
        )
