"""`Results`: all that a session came to, as every report reads it.

Apart from the reports, which only show, and from the sessions, which only
make: a number that stands here stands in all of them, and a report can be
made again from a file of it without a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from pytest_vdg.reports.album import Pictures
from pytest_vdg.runs import Run
from pytest_vdg.store.history import PastRun
from pytest_vdg.verdicts import GRAVITY, Finding, Verdict

TestOutcome = Literal["passed", "failed", "error", "skipped"]
Origin = Literal["pytest", "vdg run", "vdg watch", "training"]


@dataclass(frozen=True, kw_only=True)
class QuestionText:
    """What a question says, for people who read its answers."""

    text: str
    options: tuple[tuple[str, str], ...]
    """(label, text) in the order asked."""


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """A run, what it was compared with, and what its questions say."""

    run: Run
    baseline: Run | None = None
    """The run that claims held it against; None where none did."""
    texts: Mapping[str, QuestionText] = field(default_factory=dict, repr=False)
    """By question id; empty where the benchmark is not at hand."""
    ask: Mapping[str, object] = field(default_factory=dict, repr=False)
    """Plain values by which a session finds the slice again, see `Ask`."""
    pictures: Pictures | None = field(default=None, repr=False, compare=False)
    """What the model was shown; made for the report that shows it."""


@dataclass(frozen=True, kw_only=True)
class TestResult:
    """One test, or one claim of ``vdg run``, and what it found."""

    __test__ = False  # pytest collects classes by their name

    name: str
    """Node id of the test, or name of the claim."""
    outcome: TestOutcome
    message: str = ""
    """The whole text of a failure, error or skip; empty where it passed."""
    file: str | None = None
    """Relative to `Results.root`; None where no file is behind it."""
    line: int | None = None
    """First line of the test, from 1."""
    seconds: float = 0.0
    findings: tuple[Finding, ...] = ()
    loosened: tuple[str, ...] = ()
    """A line for each criterion that is looser than it was, or than its default."""

    def __post_init__(self) -> None:
        """Refuse an outcome that no report would show."""
        if self.outcome not in get_args(TestOutcome):
            raise ValueError(f"outcome {self.outcome!r} of {self.name!r} is not known")

    @property
    def short_name(self) -> str:
        """The name without the folders of its file."""
        file, colons, rest = self.name.partition("::")
        return file.rpartition("/")[2] + colons + rest

    @property
    def summary(self) -> str:
        """The first line of the message: verdict, number, interval, bound, n."""
        return self.message.strip().partition("\n")[0]

    @property
    def verdict(self) -> Verdict | None:
        """The gravest verdict; None where the test came to none."""
        if self.outcome == "error":
            return Verdict.COULD_NOT_BE_JUDGED
        found = {finding.verdict for finding in self.findings}
        return next((each for each in GRAVITY if each in found), None)


@dataclass(frozen=True, kw_only=True)
class Results:
    """What one session came to."""

    origin: Origin
    created: str
    """When, ISO 8601 with zone."""
    command: str = ""
    """What was typed, for whoever wants the same again."""
    root: str = field(default="", compare=False)
    """Folder that files of tests are relative to; never written to a report."""
    tests: tuple[TestResult, ...] = ()
    runs: tuple[RunResult, ...] = ()
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    """Why the session fails although no test did."""
    asked: int = 0
    """Cells that a model answered."""
    cached: int = 0
    """Cells that the store answered."""
    history: tuple[PastRun, ...] = field(default=(), repr=False, compare=False)
    """What past runs came to, oldest first; read for the report that shows it."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all tests, in their order."""
        return tuple(finding for test in self.tests for finding in test.findings)

    @property
    def loosened(self) -> tuple[str, ...]:
        """What is looser than it was, each line once."""
        return tuple(dict.fromkeys(line for t in self.tests for line in t.loosened))

    @property
    def green(self) -> bool:
        """Whether nothing failed, and something was judged."""
        bad = any(test.outcome in ("failed", "error") for test in self.tests)
        return not bad and not self.faults and bool(self.findings)

    @property
    def verdict(self) -> Verdict | None:
        """The gravest verdict of all tests; None where none came to any."""
        found = {test.verdict for test in self.tests}
        return next((each for each in GRAVITY if each in found), None)


def joined(several: Sequence[Results], names: Sequence[str]) -> Results:
    """Return *several* results as one; tests are told apart by *names* of the results.

    Of one, the very same. It is as old as the newest of them.
    """
    if len(several) == 1:
        return several[0]
    newest = max(several, key=lambda each: each.created)
    return replace(
        newest,
        command="; ".join(dict.fromkeys(r.command for r in several if r.command)),
        tests=tuple(
            replace(test, name=f"{name}: {test.name}")
            for name, each in zip(names, several, strict=True)
            for test in each.tests
        ),
        runs=tuple(run for each in several for run in each.runs),
        notes=tuple(dict.fromkeys(n for each in several for n in each.notes)),
        faults=tuple(dict.fromkeys(f for each in several for f in each.faults)),
        asked=sum(each.asked for each in several),
        cached=sum(each.cached for each in several),
    )
