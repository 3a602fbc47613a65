"""Slices with so many questions a video, made of `sight`.

Apart from the measuring because `sight` itself asks each video once or twice.
"""

from __future__ import annotations

from dataclasses import replace

from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.benchmarks.slices import Slice


def asked_slice(*, videos: int, each: int) -> Slice:
    """Return *each* questions on each of the first *videos* videos of `sight`.

    The questions are those of `sight`, of whatever video: what they cost does
    not depend on whether the answer can be seen.
    """
    whole = load_benchmark("sight")
    texts = _different(whole.questions)
    names = list(dict.fromkeys(question.video for question in whole.questions))
    chosen = [
        replace(texts[(place * each + i) % len(texts)], id=f"{video}#{i}", video=video)
        for place, video in enumerate(names[:videos])
        for i in range(each)
    ]
    made = Benchmark(
        name=f"sight-{each}", root=whole.root, questions=tuple(chosen), source="made"
    )
    return Slice(name=made.name, benchmark=made, ids=tuple(q.id for q in chosen))


def _different(questions: tuple[Question, ...]) -> list[Question]:
    """Return one question of each content."""
    return list({question.digest: question for question in questions}.values())
