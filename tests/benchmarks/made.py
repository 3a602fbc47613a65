"""Questions, benchmarks and annotation files made for a test, right by default."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_vdg.benchmarks.schema import Benchmark, Option, Question

COLOURS = {"A": "red", "B": "green", "C": "blue"}


def question(
    id: str = "q1",  # noqa: A002 - the field's own name
    *,
    texts: Mapping[str, str] | None = None,
    **fields: Any,  # noqa: ANN401 - any field, right or wrong
) -> Question:
    """Return a question that is right but for what is given."""
    options = (COLOURS if texts is None else texts).items()
    given = {
        "text": "What colour is it?",
        "options": tuple(Option(label=k, text=v) for k, v in options),
        "answer": "A",
        "task": "colour",
        "video": "clips/a.mp4",
        **fields,
    }
    return Question(id=id, **given)


def benchmark(
    sizes: Mapping[str, int], root: Path = Path("videos"), *, backwards: bool = False
) -> Benchmark:
    """Return a benchmark with so many questions of each task."""
    made = [
        question(f"{task}-{i}", task=task, video=f"{task}/{i}.mp4")
        for task, n in sizes.items()
        for i in range(n)
    ]
    ordered = tuple(reversed(made)) if backwards else tuple(made)
    return Benchmark(name="made", root=root, questions=ordered, source="made")


def record(**changed: object) -> dict[str, object]:
    """Return an annotation record that is right but for what is changed."""
    right: dict[str, object] = {
        "id": "q1",
        "video": "clips/a.mp4",
        "task": "colour",
        "question": "What colour is it?",
        "options": ["red", "green", "blue"],
        "answer": "B",
    }
    return {**right, **changed}


def write(folder: Path, records: Sequence[object], name: str = "mine.jsonl") -> Path:
    """Write *records* one a line; a string is written as it is."""
    lines = [r if isinstance(r, str) else json.dumps(r) for r in records]
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
