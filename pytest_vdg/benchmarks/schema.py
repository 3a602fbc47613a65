"""`Question` and `Benchmark`: what every loader returns, whatever it read.

Apart from the loaders so that slices, prompts and the engine know one shape,
and a record that cannot be used is refused when it is made.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pytest_vdg.benchmarks._checks import (
    extra_faults,
    id_faults,
    is_plain,
    links_out,
    repeated_ids,
    repeated_texts,
    shown,
    text_faults,
    video_faults,
)
from pytest_vdg.benchmarks.prompts import PromptStyle
from pytest_vdg.errors import BenchmarkError, did_you_mean
from pytest_vdg.frames.excerpt import WHOLE, Excerpt

LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Labels given to options that came without; a question has 2 to 26 options."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """One answer a question offers."""

    label: str
    """What a model answers with, e.g. ``A``."""
    text: str
    """What it says, on one line."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """One multiple-choice question about one video, checked when made.

    Raises `BenchmarkError` naming the question and all that is wrong with it.
    """

    id: str
    text: str
    options: tuple[Option, ...]
    """In the order they are shown; 2 to 26."""
    answer: str
    """Label of the right option."""
    task: str
    video: str
    """Path of the video under the benchmark's folder, with ``/``."""
    excerpt: Excerpt = WHOLE
    """Part of the video that is shown; all of it by default."""
    extra: Mapping[str, object] = field(default_factory=dict, compare=False)
    """Whatever else the record said; nothing here changes an answer."""

    def __post_init__(self) -> None:
        """Refuse a question that cannot be asked or judged."""
        faults = list(question_faults(self))
        if faults:
            raise BenchmarkError(f"question {shown(self.id)}: " + "; ".join(faults))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of text, options in order, answer and excerpt, in hexadecimal."""
        options = [[o.label, o.text] for o in self.options]
        # The excerpt only where there is one: digests in baselines stay valid.
        part = [self.excerpt.spec] if self.excerpt != WHOLE else []
        return _sha256([self.text, options, self.answer, *part])

    @property
    def chance(self) -> float:
        """Probability that a blind guess is right, 1/K."""
        return 1 / len(self.options)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the options in the order shown."""
        return tuple(o.label for o in self.options)

    @property
    def texts(self) -> Mapping[str, str]:
        """Label to text of each option, in the order shown."""
        return {o.label: o.text for o in self.options}

    @cached_property
    def repeated(self) -> tuple[str, ...]:
        """Texts that more than one option has, space aside."""
        return tuple(repeated_texts([o.text for o in self.options]))


def question_faults(question: Question) -> Iterator[str]:
    """Yield all that is wrong with *question*, without its id."""
    yield from id_faults(question.id)
    yield from text_faults(question.text, "question text", lines=True)
    yield from text_faults(question.task, "task")
    yield from video_faults(question.video)
    yield from extra_faults(question.extra)
    faults = list(_option_faults(question.options))
    yield from faults or _answer_faults(question)


def _option_faults(options: tuple[Option, ...]) -> Iterator[str]:
    if not 2 <= len(options) <= len(LABELS):
        yield f"a question has 2 to {len(LABELS)} options, got {len(options)}"
    faults: list[str] = []
    for option in options:
        if is_plain(option.label) and is_plain(option.text):
            continue
        faults += text_faults(option.label, "option label")
        # A line end in an option could forge another option in the prompt.
        faults += text_faults(option.text, f"text of option {shown(option.label)}")
    yield from faults
    if faults:
        return
    for label in repeated_texts([option.label for option in options]):
        yield f"label {shown(label)} is given to more than one option"


def _answer_faults(question: Question) -> Iterator[str]:
    """Yield why the key names no option, or one that is there twice."""
    if question.answer not in question.labels:
        quote = "" if isinstance(question.answer, str) else ": quote it"
        yield (
            f"answer {shown(question.answer)} is not one of the labels "
            f"{', '.join(question.labels)}{quote}{_near_option(question)}"
        )
        return
    # Two wrong options that say the same are odd, but can be judged.
    if not question.repeated:
        return
    right = " ".join(question.texts[question.answer].split())
    if right in question.repeated:
        yield f"text {shown(right)}, the answer, is given to more than one option"


def _near_option(question: Question) -> str:
    """Return which option the answer may be meant to name by its text."""
    answer = question.answer
    if not isinstance(answer, str) or len(answer) < 3:
        return ""  # a label, by the looks of it: any short text is near to it
    texts = {o.text.casefold(): o for o in question.options}
    near = difflib.get_close_matches(answer.casefold(), texts, n=1, cutoff=0.6)
    if not near:
        return ""
    option = texts[near[0]]
    return f"; did you mean {option.label}, {shown(option.text)}?"


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What was wrong with one record of an annotation file."""

    file: str
    """Name of the file, as it is known under the benchmark's folder."""
    record: str
    """Where in the file, e.g. ``line 12``."""
    reason: str
    dropped: bool
    """Whether its question was left out; if not, it is used all the same."""


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """A named set of questions with the folder that holds their videos.

    Raises `BenchmarkError` when it is empty or holds an id twice.
    """

    name: str
    root: Path
    """Folder that every `Question.video` lies under."""
    questions: tuple[Question, ...] = field(repr=False)
    source: str
    """Where the questions come from, e.g. a file and its digest; no path of
    this machine."""
    problems: tuple[Problem, ...] = field(default=(), repr=False, compare=False)
    """Records that are odd or were left out, in the order of the files."""
    prompt: PromptStyle | None = None
    """How its authors put the questions to a model; None where they do not say."""

    def __post_init__(self) -> None:
        """Refuse an empty set and ids that could be mixed up."""
        if not self.questions:
            raise BenchmarkError(f"benchmark {self.name!r} holds no question")
        placed = ((f"question {i}", q.id) for i, q in enumerate(self.questions, 1))
        faults = [f"{place}: {fault}" for place, fault in repeated_ids(placed)]
        if faults:
            raise BenchmarkError(
                f"benchmark {self.name!r}: ids must be unique\n  "
                + "\n  ".join(faults[:20])
                + (f"\n  and {len(faults) - 20} more" if len(faults) > 20 else "")
            )

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.questions)

    @cached_property
    def by_id(self) -> Mapping[str, Question]:
        """Question id to question."""
        return {q.id: q for q in self.questions}

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all questions (id, content, task, video), in any order."""
        return _sha256(
            sorted([q.id, q.digest, q.task, q.video] for q in self.questions)
        )

    @property
    def tasks(self) -> tuple[str, ...]:
        """Task names in order of first appearance."""
        return tuple(dict.fromkeys(q.task for q in self.questions))

    def question(self, question_id: str) -> Question:
        """Return the question of that id, or raise naming the nearest one."""
        if question_id not in self.by_id:
            hint = did_you_mean(question_id, self.by_id)
            # Without a near one the hint lists all, which may be thousands.
            hint = hint if hint.startswith(" Did") else ""
            raise BenchmarkError(
                f"benchmark {self.name!r} has no question {shown(question_id)}.{hint}"
            )
        return self.by_id[question_id]

    def video_path(self, question: Question) -> Path:
        """Return where the video of *question* is, links followed.

        The file need not exist. Raises `BenchmarkError` when the path would
        leave `root`, be it by ``..`` or by a link.
        """
        faults = list(video_faults(question.video))
        if faults:
            raise BenchmarkError(f"question {question.id!r}: {faults[0]}")
        try:
            root = self.root.resolve()
            path = (root / question.video).resolve()
            strays = links_out(path, root) if root in path.parents else []
        except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links
            raise BenchmarkError(
                f"question {question.id!r}: video {shown(question.video)} cannot "
                f"be looked up: {error}"
            ) from error
        if root not in path.parents:
            raise BenchmarkError(
                f"question {question.id!r}: video {shown(question.video)} is a link "
                f"to {path}, outside {root}. Copy the file, or give a folder that "
                "holds both"
            )
        if strays:
            raise BenchmarkError(
                f"question {question.id!r}: video {shown(question.video)} holds the "
                f"link {shown(strays[0])}, which leads out of {root}. Copy the file"
            )
        return path


def _sha256(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
