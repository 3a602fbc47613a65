"""Draw the ladder: one real clip as a model sees it under four conditions.

Apart from the documentation that shows the pictures, so that they come from
the very code that alters clips: ``python -m tools.pictures``.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.frames.conditions import LADDER, Condition, apply
from pytest_vdg.frames.decode import read_clip
from pytest_vdg.frames.sampling import Sampling

log = logging.getLogger(__name__)

GAP = 4
"""Pixels between two frames; white."""


def strip(frames: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return frames ``(T, H, W, 3)`` side by side as one picture, uint8."""
    t, h, w, _ = frames.shape
    picture = np.full((h, t * w + (t - 1) * GAP, 3), 255, np.uint8)
    for i, frame in enumerate(frames):
        left = i * (w + GAP)
        picture[:, left : left + w] = frame
    return picture


def draw(question_id: str, folder: Path) -> list[Path]:
    """Write one PNG for each step of the ladder and return their paths."""
    from PIL import Image

    benchmark = load_benchmark("sight")
    question = next(q for q in benchmark.questions if q.id == question_id)
    clip = read_clip(benchmark.video_path(question), Sampling(frames=8))
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for spec in LADDER:
        shown = apply(Condition.parse(spec), clip, question_id=question.id, seed=0)
        if shown is None:
            continue  # no step of the ladder is without a video
        path = folder / f"ladder-{spec.replace('_', '-')}.png"
        Image.fromarray(strip(shown.frames)).save(path, optimize=True)
        written.append(path)
    log.info("%s: %s", question.text, ", ".join(map(str, written)))
    return written


def main() -> None:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--question", default="sight-direction-012")
    parser.add_argument("--folder", type=Path, default=Path("docs/pictures"))
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    draw(arguments.question, arguments.folder)


if __name__ == "__main__":
    main()
