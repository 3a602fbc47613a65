"""`LoggedAnswer` and `Log`: what every reader of logs returns, whatever it read.

Apart from the readers so that joining knows one shape. Only replies are taken
from a log, never its scores: some harnesses replace what they cannot parse by
a random choice, and one counts an empty reply as right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

KeyKind = Literal["any", "index"]
"""How a log gives the right answer: a label, a text or a line; or a place from 0."""


@dataclass(frozen=True, kw_only=True)
class LoggedAnswer:
    """What one row of a log says; None for what it does not say."""

    place: str
    """File and row, for messages."""
    reply: str | None
    """What the model said, verbatim; None where it said nothing."""
    id: str | None = None
    """The harness's own name of the question; the same in all its logs."""
    benchmark_id: str | None = None
    """What the benchmark calls the question, or may call it."""
    question: str | None = None
    """Its text, without the options where these could be told apart."""
    options: Mapping[str, str] | None = None
    """Label to text, in the order shown."""
    answer: str | None = None
    """The key as logged, see `key_kind`."""
    key_kind: KeyKind = "any"
    task: str | None = None
    video: str | None = None
    condition: str | None = None
    """Where the log itself says it; by our names."""
    prompt: str | None = None
    """The whole text that the model was given."""
    digest: str | None = None
    """The harness's own digest of the question."""
    variant: str | None = None
    """Which of several answers to one question this is, e.g. a filter's name."""
    failure: str | None = None
    """Why there is no reply."""

    def __post_init__(self) -> None:
        """Refuse a row that has neither a reply nor a reason."""
        if (self.reply is None) is (self.failure is None):
            raise ValueError(
                f"{self.place}: a row has a reply or a reason why there is none, got "
                f"{self.reply!r} and {self.failure!r}"
            )


@dataclass(frozen=True, kw_only=True)
class Log:
    """All answers of one file, and what it says of how they came about."""

    path: Path
    harness: str
    """Name of the format, which is that of the tool."""
    sha256: str
    answers: tuple[LoggedAnswer, ...] = field(repr=False)
    settings: Mapping[str, str] = field(default_factory=dict)
    """What can change answers: task, version, generation settings."""
    model: str | None = None
    """What the log calls the model."""
    notes: tuple[str, ...] = ()
    """What is odd about the file, in words."""


@dataclass(frozen=True, kw_only=True)
class Glimpse:
    """The beginning of a file: enough to tell which format it is of."""

    path: Path
    kind: Literal["object", "list", "lines", "table", "archive"]
    """How it is written: JSON, JSON lines, a table or a zip archive."""
    keys: frozenset[str]
    """Keys of the object, of its first record, or names of the members."""


@dataclass(frozen=True, kw_only=True)
class LogFormat:
    """One kind of log: how it is recognised and read."""

    name: str
    title: str
    expects: str
    """What to give, in a line."""
    recognises: Callable[[Glimpse], bool]
    read: Callable[[Path], Log]
    """Raises `StoreError` or `BenchmarkError` naming file and row."""
