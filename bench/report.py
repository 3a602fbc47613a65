"""Size of a report of 600 questions under 6 conditions, and the time it takes to open.

Made of 8 frames of 320 x 180 a question, each of its own video: pans over pictures
with the spectrum of photographs (amplitude falls as 1/f), so that a picture takes
about the bytes that one of a real video does. Opened in Chromium where it and
playwright are there, cold, up to the first question of the list; the median of a
few. Apart from the tests because a machine's speed is no claim about the code.

On a cloud machine of 2 cores, both in use: 11.4 MB (pictures at most 104 pixels wide
and high), written in 10 s, open in 0.9 s.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.conditions import Condition, apply
from pytest_vdg.reports.album import Album, Pictures, Shown
from pytest_vdg.reports.html_files import NAME
from pytest_vdg.reports.page import write_page
from pytest_vdg.reports.results import QuestionText, Results, RunResult
from pytest_vdg.runs import AskedQuestion, CellResult, Fingerprint, Outcome, Run

log = logging.getLogger(__name__)

ACCURACIES = {
    "original": 0.7,
    "black": 0.4,
    "single_frame": 0.5,
    "shuffled": 0.6,
    "reversed": 0.6,
    "text_only": 0.4,
}
TASKS, FRAMES, SIZE = 12, 8, (180, 320)
LABELS = tuple("ABCD")
CHROMIUM = Path("/usr/bin/chromium")
TIMES = 5
"""How often the page is opened."""


def made_clip(rng: np.random.Generator, frames: int = FRAMES) -> Clip:
    """Return a clip that pans over a picture with the spectrum of a photograph."""
    high, wide = SIZE
    shape = high + 8, wide + 8 * frames
    rows, columns = np.fft.fftfreq(shape[0])[:, None], np.fft.rfftfreq(shape[1])
    fall = np.hypot(rows, columns)
    fall[0, 0] = 1.0
    light = np.empty((*shape, 3))
    for channel in range(3):
        waves = rng.normal(size=fall.shape) + 1j * rng.normal(size=fall.shape)
        plane = np.fft.irfft2(waves / fall, s=shape)
        light[..., channel] = 128 + 45 * plane / plane.std()
    picture = light.clip(0, 255).astype(np.uint8)
    pictures = [picture[i : i + high, 8 * i : 8 * i + wide] for i in range(frames)]
    return Clip(
        frames=np.stack(pictures),
        timestamps_s=np.arange(frames) * 2.0,
        source_fps=25.0,
        source_frames=50 * frames,
        source_indices=tuple(range(0, 50 * frames, 50)),
        reader="made",
    )


def made_results(questions: int, seed: int = 0) -> Results:
    """Return results of one run of so many *questions*, each on its own video."""
    rng = np.random.default_rng(seed)
    asked = tuple(_question(i) for i in range(questions))
    run, baseline = (_run(asked, name, rng) for name in ("new", "old"))
    return Results(
        origin="vdg run",
        created="2026-01-01T00:00:00+00:00",
        runs=(
            RunResult(
                run=run,
                baseline=baseline,
                texts={q.id: _text(i) for i, q in enumerate(asked)},
                pictures=_pictures(asked, rng),
            ),
        ),
    )


def _question(i: int) -> AskedQuestion:
    return AskedQuestion(
        id=f"question-{i:04}",
        video=f"videos/{i:04}.mp4",
        task=f"task {i % TASKS}",
        labels=LABELS,
        answer=LABELS[i % 4],
        digest=str(i),
    )


def _text(i: int) -> QuestionText:
    options = tuple((label, f"what option {label} of {i} says") for label in LABELS)
    text = f"What happens after the person in the red coat puts down object {i}?"
    return QuestionText(text=text, options=options)


def _run(asked: tuple[AskedQuestion, ...], name: str, rng: np.random.Generator) -> Run:
    cells = {}
    for condition, accuracy in ACCURACIES.items():
        for i, right in enumerate(rng.random(len(asked)) < accuracy):
            shares: npt.NDArray[np.float64] = rng.dirichlet(np.ones(4))
            cells[asked[i].id, condition] = CellResult(
                question_id=asked[i].id,
                condition=condition,
                outcome=Outcome.CORRECT if right else Outcome.WRONG,
                choice=LABELS[(i + 1 - int(right)) % 4],
                reply=f"The answer is {LABELS[(i + 1 - int(right)) % 4]}.",
                probabilities=dict(zip(LABELS, shares.tolist(), strict=True)),
                label_mass=1.0,
            )
    return Run(
        checkpoint=name,
        slice_name="made",
        questions=asked,
        conditions=tuple(ACCURACIES),
        cells=cells,
        fingerprint=Fingerprint(comparable={}, subject={}, informative={}),
    )


def _pictures(asked: tuple[AskedQuestion, ...], rng: np.random.Generator) -> Pictures:
    album = Album()
    cells = {}
    for question in asked:
        clip = made_clip(rng)
        for spec in ACCURACIES:
            shown = apply(Condition.parse(spec), clip, question_id=question.id, seed=0)
            cells[question.id, spec] = (
                Shown(reason="no video is shown")
                if shown is None
                else album.shown(shown.frames, shown.timestamps_s.tolist())
            )
    return Pictures(cells=cells, images=album.images)


def seconds_to_open(page: Path) -> list[float]:
    """Return how long Chromium took each time, up to the first question."""
    from playwright.sync_api import sync_playwright

    found = []
    with sync_playwright() as playwright:
        for _ in range(TIMES):
            browser = playwright.chromium.launch(
                executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"]
            )
            tab = browser.new_page()
            start = time.perf_counter()
            tab.goto(page.as_uri(), wait_until="load")
            tab.wait_for_selector("#list a")
            found.append(time.perf_counter() - start)
            browser.close()
    return found


def main() -> None:
    """Read the command line, make the report, and say what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=600)
    parser.add_argument("--to", type=Path, help="keep the report in this folder")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    results = made_results(given.questions)
    with tempfile.TemporaryDirectory() as folder:
        where = given.to or Path(folder)
        start = time.perf_counter()
        write_page(results, str(where))
        page = where / NAME
        log.info("%d questions, %d conditions", given.questions, len(ACCURACIES))
        log.info("written in  %.1f s", time.perf_counter() - start)
        log.info("size        %.2f MB", page.stat().st_size / 1e6)
        if CHROMIUM.exists() and find_spec("playwright"):
            found = seconds_to_open(page)
            log.info(
                "opens in    %.2f s (median of %d)", statistics.median(found), TIMES
            )


if __name__ == "__main__":
    main()
