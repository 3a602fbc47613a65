"""Train the checkpoints: ``python -m tools.sight.train``.

Everything is drawn from the seed space ``train`` (see `seeds.py`); the
committed clips and questions come from the spaces ``sight`` and
``sight-leaky``, so no checkpoint has been trained on any of them.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import torch
from transformers import AutoModelForImageTextToText

from tools.sight.learner import Learner, fast_vision
from tools.sight.model import save
from tools.sight.stages import STAGES, train

CHECKPOINTS = {
    "grounded": ("language", "vision"),
    "order_blind": ("grounded",),
    "collapsed": ("grounded",),
    "grounded_images": ("grounded",),
}
"""Checkpoint to the stages it starts from; the other stages start anew."""


def run(name: str, scratch: Path, out: Path, threads: int) -> Learner:
    """Run the stage *name* from what earlier stages left, see `weights_of`."""
    torch.set_num_threads(threads)
    learner = Learner()
    for earlier in CHECKPOINTS.get(name, ()):
        weights = weights_of(earlier, scratch, out)
        if earlier == "vision":
            # The tower of one stage, the language model of the other.
            weights = {k: v for k, v in weights.items() if ".visual." in k}
        learner.model.load_state_dict(weights, strict=False)
    stage = STAGES[name]
    with fast_vision():
        train(stage, learner, scratch)
    return learner


def weights_of(name: str, scratch: Path, out: Path) -> dict[str, torch.Tensor]:
    """Return what the stage *name* left in *scratch*, else its checkpoint in *out*.

    So a stage can start from a committed checkpoint, where those before it
    have not been run.
    """
    kept, folder = scratch / f"{name}.pt", out / name
    if kept.exists():
        weights: dict[str, torch.Tensor] = torch.load(kept)
        return weights
    if not folder.is_dir():
        raise SystemExit(
            f"there is neither {kept} nor the checkpoint {folder}. "
            f"Type: python -m tools.sight.train --only {name}"
        )
    model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32)
    return dict(model.state_dict())


def main() -> None:
    """Train all stages, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=[*STAGES], help="run one stage alone")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--scratch", type=Path, default=Path("build/sight"))
    parser.add_argument("--out", type=Path, default=Path("example_suite/checkpoints"))
    chosen = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    chosen.scratch.mkdir(parents=True, exist_ok=True)
    for name in [chosen.only] if chosen.only else STAGES:
        learner = run(name, chosen.scratch, chosen.out, chosen.threads)
        if name in CHECKPOINTS:
            save(learner.model, chosen.out / name)


if __name__ == "__main__":
    main()
