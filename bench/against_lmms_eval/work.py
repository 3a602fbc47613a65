"""What both sides are given: the questions, the conditions, the frames.

Apart from the measuring so that neither side can be given anything else.
"""

from __future__ import annotations

from collections import defaultdict

from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.frames.sampling import Sampling

CONDITIONS = ("original", "black", "single_frame", "shuffled")
SETTINGS = RunSettings(sampling=Sampling(frames=8))
EACH = 2
"""Questions a video."""


def asked(videos: int) -> Slice:
    """Return `EACH` questions on each of the first *videos* that have as many."""
    whole = load_benchmark("sight")
    grouped: dict[str, list[Question]] = defaultdict(list)
    for question in whole.questions:
        grouped[question.video].append(question)
    groups = [group[:EACH] for group in grouped.values() if len(group) >= EACH]
    if not 1 <= videos <= len(groups):
        message = f"videos must be 1 to {len(groups)}, got {videos}"
        raise SystemExit(message)
    ids = tuple(question.id for group in groups[:videos] for question in group)
    return Slice(name=f"sight-{len(ids)}", benchmark=whole, ids=ids)
