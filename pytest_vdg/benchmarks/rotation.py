"""`rotated`: each question asked under several orders of its options.

Apart from slices because it makes questions that no file holds. A model that
likes the first place is right under one order and wrong under the next, so
that its liking leaves the mean. Each rotation says what it is one of, so that
asking the same again adds no certainty.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pytest_vdg.benchmarks.schema import Option, Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.errors import ConfigError
from pytest_vdg.runs import AskedQuestion

_ABOVE = re.compile(
    r"\b(?:of\s+)?the\s+(?:above|below)\W*$"
    r"|\b(?:above|below|preceding|previous|following|other)\s+"
    r"(?:options?|choices?|answers?|statements?)\b"
    r"|\b(?:all|none|both|neither|any|either|some|most)(?:\s+of)?\s+"
    r"(?:(?:the|these|those)\s+)?(?:above|options?|choices?|answers?)\b"
    r"|^\W*(?:all|none|both|neither|any|either)\s+of\s+(?:these|those)\W*$",
    re.IGNORECASE,
)
"""Words for the other options, which mean others in another place."""


def rotated(slice_: Slice, rotations: int) -> Slice:
    """Return *slice_* with each question under several rotations of its options.

    Labels stay in their order; the texts move, and the key with its text. The
    rotations of a question with n options are spread evenly over its n, the
    order as published among them::

        n=4, 2 rotations   a b c d | c d a b
        n=5, 3 rotations   a b c d e | b c d e a | d e a b c

    Parameters
    ----------
    slice_
        What to ask; its benchmark is left as it is.
    rotations
        How many, at least 2. A question with fewer options has as many
        rotations as options.

    Returns
    -------
    Slice
        Question ``q1`` becomes ``q1@0``, ``q1@1``, ...; `Question.extra` holds
        its ``rotation`` (by how many places the texts moved up) and ``of``
        (the id it had). Questions with an option that speaks of others, such as
        ``Both A and B`` or ``None of the above``, are asked once, as published;
        `Slice.notes` counts them.

    Raises
    ------
    ConfigError
        When *rotations* is no whole number of at least 2.
    """
    if isinstance(rotations, bool) or not isinstance(rotations, int) or rotations < 2:
        raise ConfigError(
            f"rotate must be a whole number of at least 2, got {rotations!r}"
        )
    fixed = [q.id for q in slice_.questions if refers(q)]
    made = [
        _turned(question, number, places)
        for question in slice_.questions
        for number, places in enumerate(
            (0,) if refers(question) else offsets(len(question.options), rotations)
        )
    ]
    note = (
        f"slice {slice_.name!r}: {len(fixed)} of {len(slice_)} questions were not "
        f"rotated, as their options speak of each other (first: {fixed[:1]})"
    )
    return replace(
        slice_,
        name=f"{slice_.name}-rot{rotations}",
        benchmark=replace(slice_.benchmark, questions=tuple(made)),
        ids=tuple(q.id for q in made),
        notes=(*slice_.notes, *([note] if fixed else [])),
    )


def turned_from(question: Question) -> str:
    """Return the id of the question that *question* is a rotation of, or ``""``.

    A file may have columns called ``of`` and ``rotation``: the id tells.
    """
    of = question.extra.get("of")
    ours = isinstance(of, str) and "rotation" in question.extra
    return (
        str(of)
        if ours and re.fullmatch(rf"{re.escape(str(of))}@\d+", question.id)
        else ""
    )


def as_asked(question: Question, video_digest: str = "") -> AskedQuestion:
    """Return *question* as a run holds it; of a rotation, with what it is one of."""
    return AskedQuestion(
        id=question.id,
        video=question.video,
        task=question.task,
        labels=question.labels,
        answer=question.answer,
        digest=question.digest,
        video_digest=video_digest,
        of=turned_from(question),
    )


def offsets(options: int, rotations: int) -> tuple[int, ...]:
    """Return by how many places each rotation moves, spread over all *options*.

    >>> offsets(4, 2), offsets(5, 3), offsets(3, 8)
    ((0, 2), (0, 1, 3), (0, 1, 2))
    """
    count = min(options, rotations)
    return tuple(i * options // count for i in range(count))


def refers(question: Question) -> bool:
    """Return whether an option, or the question, speaks of options by their place."""
    texts = [option.text for option in question.options]
    labels = question.labels
    return any(_ABOVE.search(t) or _names_labels(t, labels) for t in texts) or bool(
        _called(labels).search(question.text)
    )


def _names_labels(text: str, labels: Sequence[str]) -> bool:
    one = rf"\(?(?:{_either(labels)})\)?"
    word = r"(?:both|either|neither|only|just|options?|answers?|choices?)"
    joint = r"(?:\s*[,;]?\s*(?:and|or|nor|&|/|\+)\s*|\s*[,;]\s*)"
    several = rf"\W*(?:{word}\s+)*{one}(?:{joint}{one})+(?:\s+\w+){{0,3}}\W*"
    single = rf"\W*(?:(?:only|just)\s+{one}|{one}\s+only)\W*"
    return bool(
        re.fullmatch(f"{several}|{single}", text, re.IGNORECASE)
        or _called(labels).search(text)
    )


def _called(labels: Sequence[str]) -> re.Pattern[str]:
    """Return what finds a label that is called one: ``option B``, ``answer (C)``."""
    return re.compile(
        rf"\b(?:(?i:options?|choices?|answers?))\s+\(?(?:{_either(labels)})\)?(?!\w)"
    )


def _either(labels: Sequence[str]) -> str:
    return "|".join(map(re.escape, sorted(labels, key=len, reverse=True)))


def _turned(question: Question, number: int, places: int) -> Question:
    texts = [option.text for option in question.options]
    moved = texts[places:] + texts[:places]
    labels = question.labels
    key = (labels.index(question.answer) - places) % len(labels)
    return replace(
        question,
        id=f"{question.id}@{number}",
        options=tuple(
            Option(label=label, text=text)
            for label, text in zip(labels, moved, strict=True)
        ),
        answer=labels[key],
        extra={**question.extra, "rotation": places, "of": question.id},
    )
