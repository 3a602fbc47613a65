"""Write the two committed benchmarks: ``python -m tools.sight.make``.

Annotations come out byte for byte the same each time. Clips have the same
frames before encoding; the files depend on the version of libx264.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import av

from tools.sight import leaky_plan, plan
from tools.sight.plan import Entry
from tools.sight.scenes import DURATION_S, Frames, Scene, frame_times, render

log = logging.getLogger(__name__)

SIZE = 128
FRAMES = 16
BENCHMARKS = {"sight": plan.build, "sight-leaky": leaky_plan.build}


def draw(scene: Scene) -> Frames:
    """Return the frames of the committed clip of *scene*."""
    return render(scene, size=SIZE, times=frame_times(FRAMES))


def write_clip(path: Path, frames: Frames) -> None:
    """Encode *frames* as H.264 at eight frames a second."""
    # Without B-frames, as an edit list would be one more thing a reader of
    # video files can get wrong; one thread, so that runs agree.
    options = {"crf": "20", "preset": "veryslow", "bf": "0", "threads": "1"}
    with av.open(str(path), "w") as container:
        stream = container.add_stream(
            "libx264", rate=round(FRAMES / DURATION_S), options=options
        )
        stream.width = stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        for frame in frames:
            picture = av.VideoFrame.from_ndarray(frame, format="rgb24")
            container.mux(stream.encode(picture))
        container.mux(stream.encode())


def jsonl(entries: list[Entry]) -> str:
    """Return the text of ``questions.jsonl``."""
    return "".join(q.line() for entry in entries for q in entry.questions)


def write(folder: Path, entries: list[Entry]) -> None:
    """Write clips and annotations of one benchmark to *folder*."""
    (folder / "clips").mkdir(parents=True, exist_ok=True)
    (folder / "questions.jsonl").write_text(jsonl(entries), encoding="utf-8")
    for entry in entries:
        write_clip(folder / entry.questions[0].video, draw(entry.clip.scene))


def main() -> None:
    """Write both benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("pytest_vdg/benchmarks/data"), metavar="FOLDER"
    )
    out = parser.parse_args().out
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    for name, build in BENCHMARKS.items():
        entries = build()
        write(out / name, entries)
        asked = sum(len(entry.questions) for entry in entries)
        log.info("%s: %d questions on %d clips", name, asked, len(entries))


if __name__ == "__main__":
    main()
