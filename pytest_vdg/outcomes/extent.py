"""How much was asked: questions, videos, and orders of options of each.

Apart from pairs because a claim about one condition has no pair, and because
no count that people read may take an order for a question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pytest_vdg.runs import AskedQuestion, Run, TaskFilter
from pytest_vdg.spelling import count

VIDEOS = "videos"
"""Name in a fingerprint of what is wrong with the videos that a run names."""


class Extent(NamedTuple):
    """Distinct questions and videos, and how often the questions were asked."""

    n: int
    """Distinct questions."""
    n_videos: int
    orders: tuple[int, int]
    """Fewest and most orders of one question."""

    @classmethod
    def of(cls, questions: Sequence[str], videos: Iterable[str]) -> Extent:
        """Count the askings of *questions*, each on one of *videos*."""
        times = Counter(questions).values()
        return cls(len(times), len(set(videos)), (min(times), max(times)))

    @classmethod
    def over(cls, asked: Sequence[AskedQuestion]) -> Extent:
        """Count what was *asked*."""
        return cls.of([q.question for q in asked], (q.video for q in asked))


def in_orders(orders: tuple[int, int]) -> str:
    """Return what to say behind a number of questions; nothing where asked once.

    >>> in_orders((1, 1)), in_orders((4, 4)), in_orders((1, 4))
    ('', ' in 4 orders', ' in 1 to 4 orders')
    """
    fewest, most = orders
    if most == 1:
        return ""
    return f" in {most if fewest == most else f'{fewest} to {most}'} orders"


def by_task(asked: Iterable[tuple[str, str]]) -> Mapping[str, int]:
    """Return how many questions each task has; *asked* are (task, question)."""
    return Counter(task for task, _ in dict.fromkeys(asked))


def wanted(run: Run, task: TaskFilter = None) -> int:
    """Return how many distinct questions of *task* the slice of *run* has.

    More than the run holds where it was cut short, or where the logs that it was
    imported from have no row of some.
    """
    planned = run.planned
    if planned is None:
        planned = by_task((q.task, q.question) for q in run.questions)
    tasks = {task} if isinstance(task, str) else task
    return sum(n for name, n in planned.items() if tasks is None or name in tasks)


def of_wanted(run: Run) -> str:
    """Return how much of its slice *run* holds, e.g. ``47 of 50 questions``."""
    held = len({q.question for q in run.questions})
    return f"{held} of {count(wanted(run), 'question')}"


def unknown_videos(run: Run) -> str | None:
    """Return what to say of a run whose videos are not all known, or None.

    A question without one counts as a video of its own.
    """
    said = run.fingerprint.comparable.get(VIDEOS)
    if said is None:
        return None
    return (
        f"{said}: each question counts as its own, intervals may be too narrow; "
        "import with --benchmark"
    )
