"""Per-question answer files of the VDG paper's form as a `Run`.

Each file is a JSON array with one object for each question and condition:
``question_id``, ``condition``, ``task_type``, a video, ``ground_truth``,
``prediction`` and, where it failed, ``error``. Apart from run files because
these are other people's and come as they are: rows repeated after a retry,
answers missing, memory that ran out, text in no known encoding.

Nothing is joined by position, and nothing is mended in silence: what was
repeated or missing is listed beside the run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_vdg.errors import StoreError, did_you_mean
from pytest_vdg.runs import AskedQuestion, Caps, CellResult, Fingerprint, Outcome, Run
from pytest_vdg.spelling import spelt_twice
from pytest_vdg.store._paper_rows import VIDEO_FIELDS, Row, parse_row, read_objects
from pytest_vdg.store.records import dumps

CONDITION_NAMES: Mapping[str, str] = {
    "singleframe": "single_frame",
    **{f"crf{n}": f"compressed:{n}" for n in (18, 23, 28, 33, 38)},
}
"""What the paper's files call a condition, and what we do; others keep theirs."""


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """A cell that the files hold more than once."""

    question_id: str
    condition: str
    rows: tuple[str, ...]
    """File and row of each, in the order read."""
    kept: str
    """File and row of the one that counts: an answer before a failure."""


@dataclass(frozen=True, kw_only=True)
class PaperAnswers:
    """Result of `read_paper_answers`."""

    run: Run
    repeated: tuple[Repeated, ...]
    absent: tuple[tuple[str, str], ...]
    """(question id, condition) without any row; they count as failed."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found in the files and settled, in words; often empty."""
        told = []
        if self.repeated:
            first = self.repeated[0]
            told.append(
                f"cells with several rows: {len(self.repeated)}. An answer counts "
                f"before a failure (first: {first.question_id}, {first.condition}: "
                f"{first.kept})"
            )
        if self.absent:
            question_id, condition = self.absent[0]
            told.append(
                f"cells without a row: {len(self.absent)}. They count as failed "
                f"(first: {question_id}, {condition})"
            )
        return tuple(told)


def read_paper_answers(
    paths: Iterable[Path | str],
    *,
    checkpoint: str,
    slice_name: str,
    labels: Sequence[str] = (),
    conditions: Sequence[str] | None = None,
    where: Mapping[str, object] | None = None,
    names: Mapping[str, str] = CONDITION_NAMES,
    caps: Caps | None = None,
) -> PaperAnswers:
    """Read the answers of one checkpoint, one or several conditions a file.

    Parameters
    ----------
    paths : iterable of path
        Files of one checkpoint. Which conditions a file holds is in its rows.
    checkpoint, slice_name : str
        What to call the two.
    labels : sequence of str
        Labels of the options, such as ``"ABCD"``, for rows that do not list
        ``options``: chance depends on how many there were.
    conditions : sequence of str, optional
        Which to keep, by our names and in this order; all if not given.
    where : mapping, optional
        Keep the rows with these values, such as ``{"fps": 0.5}`` of a file
        that holds several frame rates.
    names : mapping
        The files' names of conditions to ours.
    caps : Caps, optional
        How much may be missing before the run cannot be judged.

    Returns
    -------
    PaperAnswers
        A missing prediction is ``failed``, with the file's own error where
        there is one; a prediction that is no label is ``unparsed``.

    Raises
    ------
    StoreError
        Naming file and row: for a file that is no such array (all NUL bytes,
        half a file), a row that contradicts itself, a cell with two different
        answers, and a question whose key, options, task or video differ
        between conditions.
    """
    sources = [Path(p) for p in paths]
    rows = [row for p in sources for row in _rows(p, labels, where or {})]
    if not rows:
        raise StoreError(
            f"no row in {', '.join(map(str, sources)) or 'no file'} has {where}"
        )
    twice = spelt_twice((row.place, row.question_id) for row in rows)
    if twice is not None:
        raise StoreError(twice)
    questions = {q: _question(q, of) for q, of in _grouped(rows).items()}
    cells: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        condition = names.get(row.condition, row.condition)
        cells.setdefault((row.question_id, condition), []).append(row)
    kept = _conditions(cells, conditions)
    chosen = {key: _best(*key, of) for key, of in cells.items() if key[1] in kept}
    absent = tuple((q, c) for c in kept for q in questions if (q, c) not in chosen)
    results = {key: _cell(*key, row) for key, row in chosen.items()}
    results |= {key: _no_row(*key) for key in absent}
    run = Run(
        checkpoint=checkpoint,
        slice_name=slice_name,
        questions=tuple(questions.values()),
        conditions=kept,
        cells=results,
        fingerprint=_fingerprint(checkpoint, sources),
        caps=caps or Caps(),
    )
    repeated = tuple(
        _repeated(*key, of, chosen[key])
        for key, of in cells.items()
        if key in chosen and len(of) > 1
    )
    return PaperAnswers(run=run, repeated=repeated, absent=absent)


def _rows(path: Path, labels: Sequence[str], where: Mapping[str, object]) -> list[Row]:
    return [
        parse_row(values, labels, path, number)
        for number, values in enumerate(read_objects(path), start=1)
        if all(values.get(field) == wanted for field, wanted in where.items())
    ]


def _grouped(rows: Iterable[Row]) -> dict[str, list[Row]]:
    by_id: dict[str, list[Row]] = {}
    for row in rows:
        by_id.setdefault(row.question_id, []).append(row)
    return by_id


def _question(question_id: str, rows: Sequence[Row]) -> AskedQuestion:
    """Return what all *rows* say of their question, or say where two differ."""
    about: dict[str, tuple[Any, Row]] = {}
    for row in rows:
        for field, value in row.about.items():
            first, earlier = about.setdefault(field, (value, row))
            if first != value:
                raise StoreError(
                    f"{row.place}: {field} of question {question_id!r} is "
                    f"{value!r:.60}, but {first!r:.60} in {earlier.place}. Answers to "
                    "different questions cannot be paired"
                )
    said = {field: value for field, (value, _) in about.items()}
    labels = next((r.labels for r in rows if "options" in r.about), rows[0].labels)
    return AskedQuestion(
        id=question_id,
        video=next(str(said[f]) for f in VIDEO_FIELDS if f in said),
        task=str(said["task_type"]),
        labels=labels,
        answer=str(said["ground_truth"]),
        digest=_digest([labels, said.get("options"), said["ground_truth"]]),
    )


def _digest(value: object) -> str:
    return hashlib.sha256(dumps(value).encode()).hexdigest()


def _conditions(
    cells: Iterable[tuple[str, str]], wanted: Sequence[str] | None
) -> tuple[str, ...]:
    held = tuple(dict.fromkeys(condition for _, condition in cells))
    for condition in wanted or ():
        if condition not in held:
            raise StoreError(
                f"no row has condition {condition!r}." + did_you_mean(condition, held)
            )
    return held if wanted is None else tuple(dict.fromkeys(wanted))


_RANK = {
    Outcome.CORRECT: 0,
    Outcome.WRONG: 0,
    Outcome.UNPARSED: 1,
    Outcome.FAILED: 2,
}
"""Which of several rows for one cell counts: the lowest."""


def _best(question_id: str, condition: str, rows: Sequence[Row]) -> Row:
    """Return the row that counts: an answer; of several failures the last."""
    rank = min(_RANK[row.outcome] for row in rows)
    best = [row for row in rows if _RANK[row.outcome] == rank]
    if rank < _RANK[Outcome.FAILED] and len({row.reply for row in best}) > 1:
        places = ", ".join(f"{row.reply!r} in {row.place}" for row in best[:3])
        raise StoreError(
            f"question {question_id!r} has several answers under {condition!r}: "
            f"{places}. Remove all but one, or, where the rows are of different "
            "settings, tell which to read: where={'fps': 1.0}"
        )
    return best[-1]


def _repeated(
    question_id: str, condition: str, rows: Sequence[Row], kept: Row
) -> Repeated:
    return Repeated(
        question_id=question_id,
        condition=condition,
        rows=tuple(row.place for row in rows),
        kept=kept.place,
    )


def _cell(question_id: str, condition: str, row: Row) -> CellResult:
    return CellResult(
        question_id=question_id,
        condition=condition,
        outcome=row.outcome,
        choice=row.choice,
        reply=row.reply,
        reason=row.reason,
    )


def _no_row(question_id: str, condition: str) -> CellResult:
    return CellResult(
        question_id=question_id,
        condition=condition,
        outcome=Outcome.FAILED,
        reason="no row in the files",
    )


def _fingerprint(checkpoint: str, sources: Iterable[Path]) -> Fingerprint:
    # Not comparable with a run of ours, of which far more is known.
    return Fingerprint(
        comparable={"source": "per-question answer files"},
        subject={"checkpoint": checkpoint},
        informative={"files": ", ".join(p.name for p in sources)},
    )
