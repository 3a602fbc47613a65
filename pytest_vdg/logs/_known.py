"""Which question of a benchmark a logged answer is to.

Apart from joining because a benchmark may be given or not. A question is found
by its content. Its id is believed where the content does not contradict it; a
video, a task or a number may help to choose between questions of equal content.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from pytest_vdg.benchmarks.rotation import turned_from
from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.errors import NotComparable
from pytest_vdg.logs.answers import LoggedAnswer
from pytest_vdg.outcomes.extent import by_task
from pytest_vdg.runs import AskedQuestion


class Known:
    """The questions of one benchmark, found again in logs."""

    def __init__(self, benchmark: Benchmark) -> None:
        """Index the questions by their text and their options."""
        self.benchmark = benchmark
        self._by_text: dict[str, list[Question]] = defaultdict(list)
        self._by_options: dict[frozenset[str], list[Question]] = defaultdict(list)
        for question in benchmark.questions:
            self._by_text[plain(question.text)].append(question)
            self._by_options[_texts(question.texts.values())].append(question)

    def question(self, answer: LoggedAnswer) -> Question:
        """Return the question that *answer* is to, or raise `NotComparable`."""
        named = self.benchmark.by_id.get(answer.benchmark_id or "")
        fault = None if named is None else _contradiction(answer, named)
        if named is not None and fault is None:
            return named
        fitting = [q for q in self._candidates(answer) if not _contradiction(answer, q)]
        for helps in _HELPS:
            if len(fitting) > 1:
                fitting = [q for q in fitting if helps(answer, q)] or fitting
        if len(fitting) == 1:
            return fitting[0]
        if named is not None:
            raise NotComparable(
                f"{answer.place}: question {named.id!r} is another one in benchmark "
                f"{self.benchmark.name!r}: {fault}"
            )
        what = "no question" if not fitting else f"{len(fitting)} questions"
        first = f" (first: {', '.join(q.id for q in fitting[:3])})" if fitting else ""
        raise NotComparable(
            f"{answer.place}: {what} of benchmark {self.benchmark.name!r} "
            f"{'has' if not fitting else 'have'} this content{first}: "
            f"{answer.question or answer.id!r:.80}"
        )

    def planned(self, asked: Iterable[AskedQuestion]) -> Mapping[str, int] | None:
        """Return the questions there are of each task; None where all were *asked*."""
        every = self.benchmark.questions
        there = by_task((q.task, turned_from(q) or q.id) for q in every)
        return None if there == by_task((q.task, q.question) for q in asked) else there

    def _candidates(self, answer: LoggedAnswer) -> Sequence[Question]:
        if answer.question is not None and plain(answer.question) in self._by_text:
            return self._by_text[plain(answer.question)]
        if answer.options is not None:
            # The text may stand within a prompt, so that only the options are equal.
            return self._by_options.get(_texts(answer.options.values()), [])
        if answer.prompt is not None:
            said = plain(answer.prompt)
            return [q for text, qs in self._by_text.items() if text in said for q in qs]
        return []


def _contradiction(answer: LoggedAnswer, question: Question) -> str | None:
    """Return what *answer* says of its question that *question* denies, or None."""
    said = answer.question if answer.question is not None else answer.prompt
    if said is not None and plain(question.text) not in plain(said):
        return f"its text is {question.text!r:.60}, not {said!r:.60}"
    options = answer.options
    if options is not None and _texts(options.values()) != _texts(
        question.texts.values()
    ):
        return f"its options are {list(question.texts.values())!r:.100}"
    return None


def _same_video(answer: LoggedAnswer, question: Question) -> bool:
    return answer.video is not None and _stem(answer.video) == _stem(question.video)


def _same_task(answer: LoggedAnswer, question: Question) -> bool:
    said = re.sub(r"\W|_", "", answer.task or "").casefold()
    return said.endswith(re.sub(r"\W|_", "", question.task).casefold())


def _same_number(answer: LoggedAnswer, question: Question) -> bool:
    """Return whether both ids end with the same number: a place in one task's list."""
    numbers = [re.search(r"(\d+)$", text) for text in (answer.id or "", question.id)]
    return all(numbers) and len({int(n[1]) for n in numbers if n}) == 1


_HELPS: tuple[Callable[[LoggedAnswer, Question], bool], ...] = (
    _same_video,
    _same_task,
    _same_number,
)


def _stem(video: str) -> str:
    return PurePosixPath(video.replace("\\", "/")).stem.casefold()


def _texts(texts: object) -> frozenset[str]:
    return frozenset(plain(str(text)) for text in texts)  # type: ignore[attr-defined]


def plain(text: str) -> str:
    """Return *text* as contents are compared: case, space and final stop aside."""
    return " ".join(text.split()).casefold().rstrip(".").rstrip()
