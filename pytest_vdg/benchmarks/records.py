"""`Records`: the questions of a benchmark as they are read, and what is wrong.

Apart from the loaders so that no record is lost without a word in any of them:
each is kept, kept with a remark, or dropped with file, place and reason.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from pytest_vdg.benchmarks._checks import repeated_ids, shown
from pytest_vdg.benchmarks.prompts import PromptStyle
from pytest_vdg.benchmarks.schema import Benchmark, Problem, Question
from pytest_vdg.benchmarks.source import OnBad
from pytest_vdg.errors import BenchmarkError
from pytest_vdg.spelling import count, plain_id

MOST_LISTED = 20
"""Bad records that one message lists; the others are counted."""

_OTHER_FORM = (TypeError, ValueError, AttributeError, IndexError, OverflowError)
"""What reading a record raises that holds another kind of value than expected."""


class Records:
    """Collects questions and problems while a loader goes through its files."""

    def __init__(self, name: str, on_bad: OnBad) -> None:
        """Start empty. *on_bad* says what records do that cannot be used."""
        self.name = name
        self.on_bad = on_bad
        self.count = 0
        """Records seen, kept or not."""
        self.problems: list[Problem] = []
        self._asides: list[Problem] = []
        self._questions: list[Question] = []
        self._places: list[tuple[str, str]] = []
        self._sources: list[str] = []

    def read(self, path: Path) -> bytes:
        """Return the content of *path*, and count the file among the sources."""
        try:
            content = path.read_bytes()
        except OSError as error:
            raise BenchmarkError(f"{path}: {error.strerror or error}") from error
        self._sources.append(
            f"{path.name} sha256:{hashlib.sha256(content).hexdigest()}"
        )
        return content

    def keep(self, file: str, record: str, make: Callable[[], Question]) -> None:
        """Keep the question that *make* returns, or note why there is none.

        *file* and *record* say where it stands, e.g. ``val.csv`` and
        ``line 12``. Any `BenchmarkError` that *make* raises is the reason; so
        is a missing key or a value of a wrong type.
        """
        self.count += 1
        try:
            question = make()
        except BenchmarkError as error:
            self._note(file, record, str(error), dropped=True)
            return
        except KeyError as error:
            self._note(file, record, f"has no {error.args[0]!r}", dropped=True)
            return
        except _OTHER_FORM as error:
            self._note(file, record, f"is of another form: {error}", dropped=True)
            return
        for text in question.repeated:
            self.odd(file, record, f"offers {shown(text)} more than once")
        self._questions.append(question)
        self._places.append((file, record))

    def odd(self, file: str, record: str, reason: str) -> None:
        """Note *reason* about a record that is used all the same."""
        self._note(file, record, reason, dropped=False)

    def bad(self, file: str, record: str, reason: str) -> None:
        """Note *reason* about a record that cannot be used."""
        self.count += 1
        self._note(file, record, reason, dropped=True)

    def aside(self, file: str, record: str, reason: str) -> None:
        """Note what is left out on purpose, which no policy takes for a fault.

        Such as the tasks of a benchmark that have no options. *record* may stand
        for many, e.g. ``all 217 records``.
        """
        self._note(file, record, reason, dropped=True)
        self._asides.append(self.problems[-1])

    def benchmark(self, *, root: Path, prompt: PromptStyle | None = None) -> Benchmark:
        """Return what was kept; raise `BenchmarkError` for what cannot be.

        Under ``strict`` that is any record that cannot be used, all listed.
        """
        self._drop_repeated()
        asides = set(map(id, self._asides))
        dropped = [p for p in self.problems if p.dropped and id(p) not in asides]
        if dropped and self.on_bad == "strict":
            raise BenchmarkError(self._report(dropped))
        if not self._questions:
            raise BenchmarkError(
                f"benchmark {self.name!r}: none of {self.count} records can be used\n"
                + _lines(dropped or self._asides)
            )
        return Benchmark(
            name=self.name,
            root=root,
            questions=tuple(self._questions),
            source="; ".join(self._sources),
            problems=tuple(self.problems),
            prompt=prompt,
        )

    def _drop_repeated(self) -> None:
        """Drop all questions that share an id: which one is meant is not known."""
        placed = [
            (f"{file} {record}", question.id)
            for question, (file, record) in zip(
                self._questions, self._places, strict=True
            )
        ]
        again = dict(repeated_ids(placed))
        if not again:
            return
        keys = Counter(plain_id(question.id) for question in self._questions)
        kept: list[tuple[Question, tuple[str, str]]] = []
        for question, place in zip(self._questions, self._places, strict=True):
            reason = again.get(" ".join(place))
            if reason is None and keys[plain_id(question.id)] > 1:
                reason = f"id {shown(question.id)} is given again further on"
            if reason is None:
                kept.append((question, place))
            else:
                self._note(*place, reason, dropped=True)
        self._questions = [question for question, _ in kept]
        self._places = [place for _, place in kept]

    def _note(self, file: str, record: str, reason: str, *, dropped: bool) -> None:
        self.problems.append(
            Problem(file=file, record=record, reason=reason, dropped=dropped)
        )

    def _report(self, dropped: list[Problem]) -> str:
        n = len(dropped)
        return (
            f"benchmark {self.name!r}: {n} of "
            f"{count(self.count, 'record')} cannot be used:\n{_lines(dropped)}\n"
            "Mend them, or leave them out with on_bad_records: skip"
        )


def _lines(problems: Iterable[Problem]) -> str:
    told = [f"  {p.file}, {p.record}: {p.reason}" for p in problems]
    more = [f"  and {len(told) - MOST_LISTED} more"] if len(told) > MOST_LISTED else []
    return "\n".join(told[:MOST_LISTED] + more)
