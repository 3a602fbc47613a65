"""What `text_shortcuts` finds where flaws were planted, and how often it errs.

Precision and recall on `sight-leaky`, alone and mixed with the questions of
`sight`, which have no flaw; false alarms on questions whose key is drawn by lot.
Apart from the tests because those ask only whether it is good enough.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_vdg.audits.text import TextShortcuts, text_shortcuts
from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.stats.proportion import wilson

REASONS = {
    "answer_named": {"named", "overlap"},
    "one_fits": {"fit", "wording"},
    "skewed_key": {"label"},
}
"""Planted flaw to what the list may call it."""


def planted() -> dict[str, str]:
    """Return the flaw of each question of `sight-leaky` that has one.

    One question of the skewed ones has another key, and so no flaw.
    """
    return {
        q.id: str(q.extra["flaw"])
        for q in load_benchmark("sight-leaky").questions
        if q.extra["flaw"] != "skewed_key" or q.answer == "B"
    }


def mixed() -> list[Question]:
    """Return `sight-leaky` and `sight` as one benchmark."""
    clean = [
        replace(q, id=f"clean-{q.id}", video=f"clean/{q.video}")
        for q in load_benchmark("sight").questions
    ]
    return [*load_benchmark("sight-leaky").questions, *clean]


def scores(found: TextShortcuts, truth: Mapping[str, str]) -> dict[str, list[float]]:
    """Return precision and recall of the list, and of each flaw by its name.

    Of a flaw: the questions whose first reason names it.
    """
    listed = {g.id: g.why[0] for g in found.giveaways}
    results = {"any": _scores(set(listed), set(truth))}
    for flaw, names in REASONS.items():
        told = {i for i, why in listed.items() if why in names}
        results[flaw] = _scores(told, {i for i, name in truth.items() if name == flaw})
    return results


def _scores(told: set[str], there: set[str]) -> list[float]:
    both = len(told & there)
    return [both / len(told) if told else 1.0, both / len(there)]


def by_lot(questions: Sequence[Question], seed: int) -> list[Question]:
    """Return *questions* with their keys drawn by lot, each option alike."""
    rng = random.Random(seed)  # noqa: S311 - a lot, no secret
    ordered = sorted(questions, key=lambda q: q.id)
    return [replace(q, answer=rng.choice(q.labels)) for q in ordered]


def false_alarms(questions: Sequence[Question], draws: int) -> int:
    """Return in how many *draws* of the key anything at all is called shown."""
    return sum(
        bool(text_shortcuts(by_lot(questions, seed), seed=seed).shown)
        for seed in range(draws)
    )


def main(arguments: Sequence[str]) -> int:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    given = parser.parse_args(arguments)
    write = sys.stdout.write
    for name, questions in (
        ("sight-leaky", load_benchmark("sight-leaky").questions),
        ("sight-leaky and sight", mixed()),
    ):
        found = text_shortcuts(questions)
        write(f"{name}: {len(found.giveaways)} of {len(questions)} listed\n")
        for flaw, (precision, recall) in scores(found, planted()).items():
            write(f"  {flaw:14} precision {precision:.3f}  recall {recall:.3f}\n")
    for name in ("sight", "sight-leaky"):
        began = time.process_time()
        alarms = false_alarms(load_benchmark(name).questions, given.draws)
        rate = wilson(successes=alarms, n=given.draws)
        write(
            f"{name}, key by lot: {alarms} of {given.draws} false alarms "
            f"{rate.estimate:.3f} [{rate.low:.3f}, {rate.high:.3f}], "
            f"{(time.process_time() - began) / given.draws:.2f} s each\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
