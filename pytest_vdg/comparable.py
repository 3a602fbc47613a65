"""Whether two runs measure the same thing: same questions, videos, settings.

Apart from ``outcomes`` because it refuses where that joins; a difference that
can change answers must never pass for a change of the model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace

from pytest_vdg.errors import NotComparable
from pytest_vdg.runs import AskedQuestion, Run

_ADVICE = (
    "Run both with the same settings, or record a new baseline with "
    "--vdg-update-baseline"
)


def require_comparable(run: Run, baseline: Run, *, advice: str = _ADVICE) -> None:
    """Raise `NotComparable` unless the two runs measure the same thing.

    *advice* ends the message: what to do about it.
    """
    now = {q.id: q for q in run.questions}
    then = {q.id: q for q in baseline.questions}
    only_now, only_then = sorted(now.keys() - then), sorted(then.keys() - now)
    common = sorted(now.keys() & then)
    # Logs tell less of a question than a benchmark, and have another digest of it.
    whole = _source(run) == _source(baseline)
    changed = [q for q in common if _asks(now[q], whole) != _asks(then[q], whole)]
    moved = [q for q in common if now[q].video != then[q].video]
    altered = [q for q in common if _altered(now[q], then[q])]
    other = [q for q in common if now[q].question != then[q].question]
    dealt = [q for q in common if now[q].task != then[q].task]
    problems = [
        f"{_counted(len(ids), what)} (first: {', '.join(ids[:3])})"
        for what, ids in (
            ("are not in the baseline", only_now),
            ("are only in the baseline", only_then),
            ("changed their text, options or key", changed),
            ("are about another video", moved),
            ("are about a video whose content changed", altered),
            ("are of another task", dealt),
            ("are not orders of the same question", other),
        )
        if ids
    ]
    settings = run.fingerprint.differences(baseline.fingerprint)
    if problems:  # the questions are named; that the slice's digest differs is noise
        settings = tuple(s for s in settings if not s.startswith("slice: "))
    problems += settings
    if problems:
        raise NotComparable(
            f"slice {run.slice_name!r}: run and baseline do not measure the same "
            "thing:\n  " + "\n  ".join(problems) + "\n" + advice
        )


def _asks(question: AskedQuestion, whole: bool) -> tuple[object, ...]:
    """Return what was asked; *whole* includes the text, by its digest."""
    text = question.digest if whole else None
    return text, question.labels, question.answer


def _source(run: Run) -> str | None:
    return run.fingerprint.comparable.get("source")


def _counted(n: int, what: str) -> str:
    if n > 1:
        return f"{n} questions {what}"
    one = what.replace("are ", "is ", 1).replace("their", "its")
    return f"1 question {one}"


def _altered(now: AskedQuestion, then: AskedQuestion) -> bool:
    """Return whether the content of a video is known in both runs and differs."""
    digests = now.video_digest, then.video_digest
    return all(digests) and digests[0] != digests[1]


def slice_digest(questions: Iterable[AskedQuestion]) -> str:
    """Return SHA-256 over ids and digests of *questions*, as `Slice.digest` does."""
    rows = sorted([q.id, q.digest] for q in questions)
    text = json.dumps(rows, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def at_questions_of(run: Run, whole: Run) -> Run:
    """Return *whole* at the questions of *run*, as if only those had been asked.

    Where one of them is not in it, or its slice is not that of its questions,
    *whole* is returned as it is, for `require_comparable` to tell.
    """
    wanted = {q.id for q in run.questions}
    questions = tuple(q for q in whole.questions if q.id in wanted)
    comparable = dict(whole.fingerprint.comparable)
    edited = comparable.get("slice") != slice_digest(whole.questions)
    if edited or len(questions) < len(wanted):
        return whole
    comparable["slice"] = slice_digest(questions)
    return replace(
        whole,
        questions=questions,
        planned=run.planned,
        cells={key: cell for key, cell in whole.cells.items() if key[0] in wanted},
        fingerprint=replace(whole.fingerprint, comparable=comparable),
    )
