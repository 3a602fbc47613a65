"""Whether a run allows any verdict at all, asked before a number is computed.

Apart from the assertions because all of them ask it first, and because its
answer is an error and not a failed claim: "could not be judged" must never
be read as "does not use the video", nor as "fine".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import compress

from pytest_vdg.assertions._caps import cap_message, cap_problems, reason_lines
from pytest_vdg.assertions._words import count, labelled, listed, plain
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes.columns import counted_in_all
from pytest_vdg.runs import AskedQuestion, Caps, CellResult, Run, TaskFilter

FIRST_WORDS = "COULD NOT BE JUDGED: "


@contextmanager
def first_words() -> Iterator[None]:
    """Let every `CouldNotBeJudged` raised inside begin with these words.

    The lower layers name the cause; the verdict's name is said here, because
    the first line is all that a CI summary shows.
    """
    try:
        yield
    except CouldNotBeJudged as error:
        raise type(error)(FIRST_WORDS + str(error)) from error


def require_judgeable(
    run: Run,
    conditions: Sequence[str],
    task: TaskFilter = None,
    *,
    caps: Caps | None = None,
    name: str = "slice",
) -> None:
    """Raise `CouldNotBeJudged` where no honest verdict on *run* exists.

    Parameters
    ----------
    run : Run
        The run; of it only *conditions* and the questions of *task* count.
    conditions : sequence of str
        The conditions that the claim compares, in any order.
    task : str, collection of str or None
        The questions of which the claim speaks.
    caps : Caps, optional
        What may be missing; by default ``run.caps``. A baseline is held to
        the caps of the run that it is compared with.
    name : str
        What to call the run in messages: "slice" or "baseline".

    Raises
    ------
    CouldNotBeJudged
        When there is no question; a condition was not run; too many cells
        failed or were unparsed, or more under one condition than under
        another; no question was judged in all *conditions*; or every reply is
        the same, to the last bit, whatever was done to the video.
    ValueError
        When *task* is not in the slice.
    """
    with first_words():
        if not run.questions:
            raise CouldNotBeJudged(
                f"{name} {plain(run.slice_name)} holds no question, and nothing can "
                "be learnt from none"
            )
        questions = run.selected(task)
        run.require(*conditions)
        problems = cap_problems(run, conditions, task, caps or run.caps)
        if problems:
            raise CouldNotBeJudged(cap_message(run, conditions, task, problems, name))
        judged = list(compress(questions, counted_in_all(run, conditions, task)))
        if not judged:
            raise CouldNotBeJudged(_nothing_judged(run, conditions, questions, name))
        _require_influence(run, conditions, judged, name)


def _nothing_judged(
    run: Run,
    conditions: Sequence[str],
    questions: Sequence[AskedQuestion],
    name: str,
) -> str:
    cells = [run.cells[q.id, c] for q in questions for c in conditions]
    lost = [cell for cell in cells if not cell.outcome.judged]
    first = (
        f"no question of {name} {plain(run.slice_name)} was judged under "
        f"{' and '.join(plain(c) for c in conditions)} "
        f"({count(len(questions), 'question')} asked)"
    )
    advice = (
        "remove the cause, or choose clips and conditions that fit: order, for "
        "example, has no meaning on a single frame"
    )
    return "\n".join([first, *reason_lines(lost), *labelled("next", advice)])


def _require_influence(
    run: Run,
    conditions: Sequence[str],
    judged: Sequence[AskedQuestion],
    name: str,
) -> None:
    """Refuse a run in which nothing done to the video changed a single bit.

    The first condition that shows a video is compared with the others: the
    original where the claim is about it. Black frames are the strongest thing a
    video can be replaced by, so where the run has them they decide. Blindness
    to *order* to the last bit can be real, and is evidence, where black frames
    do move the answers or where the inputs are known to have differed. Without
    recorded probabilities, equal letters are ordinary and are judged.
    """
    seen = sorted(
        (c for c in conditions if c not in ("black", "text_only")),
        key=lambda c: c != "original",
    )
    if not seen:
        return
    real = seen[0]
    has_black = "black" in run.conditions
    others = ["black"] if has_black else [c for c in conditions if c != real]
    pairs = (
        (run.cells[q.id, real], run.cells[q.id, c]) for q in judged for c in others
    )
    compared = []
    for first, second in pairs:
        if not second.outcome.judged:
            continue
        if not _same_to_the_last_bit(first, second):
            return
        compared.append((first, second))
    if not compared:
        return
    if not has_black and any(_inputs_differed(a, b) for a, b in compared):
        return
    raise CouldNotBeJudged(_no_influence(run, real, others, len(judged), name))


def _same_to_the_last_bit(first: CellResult, second: CellResult) -> bool:
    if first.probabilities is None or second.probabilities is None:
        return False
    return (
        first.choice == second.choice
        and first.reply == second.reply
        and dict(first.probabilities) == dict(second.probabilities)
    )


def _inputs_differed(first: CellResult, second: CellResult) -> bool:
    digests = first.input_digest, second.input_digest
    return None not in digests and digests[0] != digests[1] and second.visual_tokens > 0


def _no_influence(
    run: Run, real: str, others: Sequence[str], asked: int, name: str
) -> str:
    first = (
        f"every reply and every probability is the same under {plain(real)} and "
        f"{listed([plain(c) for c in others])}, {name} {plain(run.slice_name)}"
    )
    why = (
        f"{count(asked, 'question')} compared. Probably the video never reached "
        "the model: even one that does not look changes in the last digits when its "
        "frames change"
    )
    advice = "check the backend's chat template and the frames that it passes on"
    if "black" not in run.conditions:
        advice += (
            "; or add the condition 'black', under which a model that is blind to "
            "order only does change"
        )
    return "\n".join([first, *labelled("why", why), *labelled("next", advice)])
