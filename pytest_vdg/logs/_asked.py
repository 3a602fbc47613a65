"""One logged answer as a question and a cell: key found, reply parsed anew.

Apart from joining because a row is right by itself or not at all: what is
refused here names the file and the row, and needs no other row.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_vdg.benchmarks.answers import parse_answer
from pytest_vdg.benchmarks.rotation import turned_from
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.errors import BenchmarkError, NotComparable
from pytest_vdg.logs._known import Known, plain
from pytest_vdg.logs._offered import key_of
from pytest_vdg.logs.answers import LoggedAnswer
from pytest_vdg.runs import AskedQuestion, CellResult, Outcome


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A logged answer whose question is known."""

    logged: LoggedAnswer
    id: str
    text: str
    """Of the question; of the benchmark where one was given."""
    options: Mapping[str, str]
    key: str
    task: str
    video: str | None
    of: str = ""
    """See `AskedQuestion.of`."""

    def question(self) -> AskedQuestion:
        """Return what a run holds of the question."""
        content = [plain(self.text), list(self.options.items()), self.key]
        return AskedQuestion(
            id=self.id,
            # Of an unknown video no two questions are said to share it.
            video=self.video or self.of or self.id,
            task=self.task,
            labels=tuple(self.options),
            answer=self.key,
            digest=hashlib.sha256(json.dumps(content).encode()).hexdigest(),
            of=self.of,
        )

    def cell(self, condition: str) -> CellResult:
        """Return what the reply came to."""
        reply, failure = self.logged.reply, self.logged.failure
        choice = None if reply is None else parse_answer(reply, self.options)
        outcome, reason = Outcome.FAILED, failure
        if reply is not None and choice is None:
            shown = f"reply chose no option: {reply[:80]!r}"
            outcome, reason = Outcome.UNPARSED, shown if reply else "empty reply"
        elif choice is not None:
            outcome = Outcome.CORRECT if choice == self.key else Outcome.WRONG
        return CellResult(
            question_id=self.id,
            condition=condition,
            outcome=outcome,
            choice=choice,
            reply=reply,
            reason=reason,
        )


def entry(logged: LoggedAnswer, known: Known | None, labels: Sequence[str]) -> Entry:
    """Return *logged* with its question settled, or raise naming its place."""
    question = None if known is None else known.question(logged)
    options = _options(logged, question, labels)
    return Entry(
        logged=logged,
        id=_id(logged, question),
        text=question.text if question else logged.question or "",
        options=options,
        key=_key(logged, question, options),
        task=question.task if question else logged.task or "all",
        video=question.video if question else logged.video,
        of=turned_from(question) if question else "",
    )


def _id(logged: LoggedAnswer, question: Question | None) -> str:
    if question is not None:
        return question.id
    assert logged.id is not None, "every reader gives ids"
    return logged.id


def _options(
    logged: LoggedAnswer, question: Question | None, labels: Sequence[str]
) -> Mapping[str, str]:
    if logged.options is not None:
        if len(logged.options) < 2:
            raise NotComparable(f"{logged.place}: offers fewer than two options")
        return logged.options
    if question is not None:
        return question.texts
    if labels:
        return {label: label for label in labels}
    raise NotComparable(
        f"{logged.place}: the log does not tell the options. Name the benchmark "
        "(--benchmark NAME --path PATH), or, where replies are letters, say which "
        "there were: --labels ABCD"
    )


def _key(
    logged: LoggedAnswer, question: Question | None, options: Mapping[str, str]
) -> str:
    """Return the label of the right option; log and benchmark must agree on it."""
    said = _said_key(logged, options)
    if question is None:
        if said is None:
            raise NotComparable(f"{logged.place}: does not tell the right answer")
        return said
    right = question.texts[question.answer]
    known = _saying(right, options)
    if said is not None and said not in known:
        raise NotComparable(
            f"{logged.place}: the log's answer is {said}. {options[said]!r:.60}, that "
            f"of the benchmark {right!r:.60}"
        )
    if said is None and len(known) > 1:
        raise NotComparable(
            f"{logged.place}: the benchmark's answer is {right!r:.60}, which options "
            f"{' and '.join(known)} of the log say: which is the right one is not known"
        )
    return said or known[0]


def _saying(right: str, options: Mapping[str, str]) -> list[str]:
    """Return the labels of *options* that say *right*, to the letter where one does."""
    exact = [k for k, text in options.items() if text.split() == right.split()]
    return exact or [k for k, t in options.items() if plain(t) == plain(right)]


def _said_key(logged: LoggedAnswer, options: Mapping[str, str]) -> str | None:
    if logged.answer is None:
        return None
    try:
        return key_of(logged.answer, options, logged.key_kind)
    except BenchmarkError as error:
        raise NotComparable(f"{logged.place}: {error}") from error
