"""One evaluation of ours in a process of its own, timed inside.

Apart from the measuring because the whole process is timed from outside, as
lmms-eval's is: imports, weights and all.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from bench.against_lmms_eval.work import CONDITIONS, SETTINGS, asked
from bench.arms.plain import plain_loop
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.engine.runner import evaluate


class Noted(TransformersBackend):
    """A backend that notes when it had loaded, as lmms-eval's driver does."""

    loaded_at = 0.0

    def load(self) -> None:
        """Load, and note when that was done first."""
        super().load()
        self.loaded_at = self.loaded_at or time.perf_counter()


def main() -> None:
    """Load, evaluate, and write a JSON object of seconds and choices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("--way", choices=("engine", "plain"), required=True)
    parser.add_argument("--videos", type=int, required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    settings = TransformersSettings(
        checkpoint=given.checkpoint, device=given.device, threads=given.threads
    )
    backend = Noted(settings)
    ask = by_engine if given.way == "engine" else by_plain_loop
    choices = ask(backend, given.videos)
    evaluating = time.perf_counter() - backend.loaded_at
    backend.close()
    told = [[question, name, choice] for (question, name), choice in choices.items()]
    given.out.write_text(json.dumps({"evaluating_s": evaluating, "choices": told}))


def by_engine(
    backend: TransformersBackend, videos: int
) -> dict[tuple[str, str], str | None]:
    """Return the choices of the engine, which keeps nothing on disk.

    It loads the model when the first clip is there, and reads others meanwhile.
    """
    run = evaluate(asked(videos), backend, CONDITIONS, SETTINGS)
    return {key: cell.choice for key, cell in run.cells.items()}


def by_plain_loop(
    backend: TransformersBackend, videos: int
) -> dict[tuple[str, str], str]:
    """Return the choices of a loop with one forward pass a cell."""
    backend.load()
    assert backend._asking is not None  # noqa: SLF001 - the loop goes past the engine
    loaded = backend._asking.loaded  # noqa: SLF001
    return plain_loop(loaded, asked(videos), CONDITIONS, SETTINGS).choices


if __name__ == "__main__":
    main()
