"""What a slice is made of, before anyone is asked: ``vdg slice``.

Apart from the reports on runs because all of this is known without a model:
what guessing earns, what a constant answer earns, what is asked twice.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pytest_vdg.benchmarks.constant import constants, folded
from pytest_vdg.benchmarks.pinned import PinnedSlice
from pytest_vdg.benchmarks.rotation import turned_from
from pytest_vdg.benchmarks.schema import Benchmark, Problem, Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.errors import BenchmarkError
from pytest_vdg.reports._format import columns, plain, share, share_span, share_within
from pytest_vdg.spelling import count
from pytest_vdg.stats import counted

FEW = 3
"""How many of many things are named."""

_DETAIL = re.compile(r"'[^']*'|\"[^\"]*\"|\([^()]*\)|\d+")
"""What tells one record's reason from another's of the same kind."""


def slice_lines(slice_: Slice, *, every_problem: bool = False) -> list[str]:
    """Return the report on *slice_*; *every_problem* lists all odd records."""
    lines = [
        *_heading(slice_),
        "",
        *_tasks(slice_),
        "",
        *_keys(slice_.questions),
        "",
        *_floors(slice_.questions),
        "",
        *_twice(slice_.questions),
        *_missing(slice_),
        *_problems(slice_.benchmark, every=every_problem),
    ]
    return [*lines, *(f"note: {note}" for note in slice_.notes)]


def pinned_lines(pinned: PinnedSlice) -> list[str]:
    """Return what the file of a slice says by itself."""
    sizes = Counter(row["task"] for row in pinned.rows)
    videos = {row["video"] for row in pinned.rows}
    rows = [("task", "questions"), *((_name(t), str(n)) for t, n in sizes.items())]
    return [
        (
            f"slice {_name(pinned.name)} of benchmark {_name(pinned.benchmark)}: "
            f"questions {len(pinned.rows)}, videos {len(videos)}"
        ),
        f"drawn from {plain(pinned.source, 200)}",
        *_drawn(pinned.drawn),
        "",
        *columns(rows, align="lr"),
        "",
        (
            "To see whether a benchmark still holds these questions: "
            "vdg slice BENCHMARK --path PATH --show FILE"
        ),
    ]


def _heading(slice_: Slice) -> list[str]:
    whole = slice_.benchmark
    per_video = Counter(q.video for q in slice_.questions)
    return [
        (
            f"slice {_name(slice_.name)}: {len(slice_)} of "
            f"{count(len(whole), 'question')} of benchmark {_name(whole.name)}"
        ),
        f"from {plain(whole.source, 200)}",
        *_drawn(slice_.drawn),
        (
            f"videos {len(per_video)}, most questions about one "
            f"{max(per_video.values())}, chance {share(slice_.chance)}"
        ),
    ]


def _drawn(drawn: Mapping[str, object]) -> list[str]:
    if "filter_of" in drawn:
        return _filtered(drawn)
    said = [f"{k}={v}" for k, v in drawn.items() if v is not None]
    return [f"drawn with {plain(', '.join(said), 200)}"] if said else []


def _filtered(drawn: Mapping[str, object]) -> list[str]:
    """Return how a filter left a slice, in the words of ``vdg filter``."""
    tau, models = drawn.get("tau"), drawn.get("models")
    rule = plain(f"{drawn.get('by')}" + ("" if tau is None else f" <= {tau}"), 60)
    named = models if isinstance(models, Mapping) else {}
    left, of = (plain(str(drawn.get(key)), 20) for key in ("questions", "of"))
    whole = _name(str(drawn["filter_of"]))
    lines = [
        f"left by the filter {rule} of slice {whole}: {left} of {of} questions",
        f"by models, which may not judge it: {plain(', '.join(map(str, named)), 200)}",
    ]
    before = drawn.get("before")
    return lines + (_drawn(before) if isinstance(before, Mapping) else [])


def _tasks(slice_: Slice) -> list[str]:
    there = Counter(q.task for q in slice_.benchmark.questions)
    rows = [("task", "questions", "of", "videos", "chance")]
    for task in slice_.tasks:
        own = [q for q in slice_.questions if q.task == task]
        videos = len({q.video for q in own})
        chance = sum(q.chance for q in own) / len(own)
        counts = str(len(own)), str(there[task]), str(videos)
        rows.append((_name(task), *counts, share(chance)))
    return columns(rows, align="lrrrr")


def _keys(questions: Sequence[Question]) -> list[str]:
    """Return how often each label is the answer where it is offered."""
    rows = [("label", "is the answer", "95% interval", "offered", "chance")]
    labels = dict.fromkeys(label for q in questions for label in q.labels)
    for label in sorted(labels, key=lambda name: (len(name), name)):
        offering = [q for q in questions if label in q.labels]
        found = counted.share(
            [q.answer == label for q in offering],
            [q.video for q in offering],
            questions=[turned_from(q) or q.id for q in offering],
        )
        chance = sum(q.chance for q in offering) / len(offering)
        rows.append(
            (
                _name(label),
                share(found.estimate),
                share_span(found.low, found.high),
                str(len(offering)),
                share(chance),
            )
        )
    return columns(rows, align="lrrrr")


def _floors(questions: Sequence[Question]) -> list[str]:
    """Return what the best answer earns that is the same to every question."""
    lines = []
    for constant in constants(questions):
        found = counted.share(
            constant.right,
            [q.video for q in questions],
            questions=[turned_from(q) or q.id for q in questions],
        )
        lines.append(
            f"floor: always the {constant.kind} {plain(constant.answer, 40)!r} earns "
            f"{share_within(found.estimate, found.low, found.high)}"
        )
    return lines


def _twice(questions: Sequence[Question]) -> list[str]:
    """Return how many questions repeat another one, on its video or elsewhere."""
    asked: dict[tuple[object, ...], list[Question]] = defaultdict(list)
    for question in questions:
        options = sorted(folded(text) for text in question.texts.values())
        asked[(folded(question.text), *options)].append(question)
    same: list[str] = []
    alike = 0
    for group in asked.values():
        places: set[tuple[object, ...]] = set()
        for question in group:
            place = question.video, question.excerpt
            same += [question.id] if place in places else []
            places.add(place)
        alike += len(group) if len(places) > 1 else 0
    named = f" (first: {', '.join(_name(i) for i in same[:FEW])})" if same else ""
    return [
        (
            f"duplicates: {len(same)} about the same video{named}; {alike} in the same "
            "words about another video"
        )
    ]


def missing_videos(slice_: Slice) -> list[str]:
    """Return the videos of *slice_* that are not there, or may not be looked at."""
    videos = {q.video: q for q in slice_.questions}
    return [v for v, q in videos.items() if not _exists(slice_.benchmark, q)]


def _missing(slice_: Slice) -> list[str]:
    videos = {q.video: q for q in slice_.questions}
    gone = missing_videos(slice_)
    if not gone:
        return [f"videos: all {len(videos)} are there"]
    named = ", ".join(plain(video, 60) for video in gone[:FEW])
    refused = [r for v in gone if (r := _refusal(slice_.benchmark, videos[v]))]
    return [
        (
            f"videos: {len(gone)} of {len(videos)} are not under "
            f"{slice_.benchmark.root} (first: {named})"
        ),
        *(f"        {len(refused)} refused: {each}" for each in refused[:1]),
    ]


def _exists(benchmark: Benchmark, question: Question) -> bool:
    try:
        return benchmark.video_path(question).exists()
    except (BenchmarkError, OSError):
        return False


def _refusal(benchmark: Benchmark, question: Question) -> str:
    """Return why the path is not looked at, such as a link that leads out."""
    try:
        benchmark.video_path(question)
    except BenchmarkError as error:
        return str(error)
    return ""


def _problems(benchmark: Benchmark, *, every: bool) -> list[str]:
    lines = []
    for dropped, what in ((True, "left out"), (False, "odd, but used")):
        found = [p for p in benchmark.problems if p.dropped is dropped]
        lines.append(f"records {what}: {len(found)}")
        lines += [f"  {line}" for line in _listed(found, every=every)]
    return lines


def _listed(problems: Sequence[Problem], *, every: bool) -> Iterator[str]:
    if every:
        yield from map(_told, problems)
        return
    kinds: dict[str, list[Problem]] = defaultdict(list)
    for problem in problems:
        kinds[_DETAIL.sub("..", problem.reason)].append(problem)
    for alike in sorted(kinds.values(), key=len, reverse=True):
        yield f"{len(alike)} like this: {_told(alike[0])}"
        yield from map(_told, alike[1:FEW])
        if len(alike) > FEW:
            yield f"and {len(alike) - FEW} more; --all lists them"


def _told(problem: Problem) -> str:
    return plain(f"{problem.file}, {problem.record}: {problem.reason}", 200)


def _name(text: str) -> str:
    return plain(text, 60)
