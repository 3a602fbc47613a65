"""Training questions: drawn at random, unlike the balanced ones of the benchmark.

Two rules keep the sighted checkpoints honest. A question about a clip that
can be seen never gives its answer away. And where there is nothing to see,
the "right" answer is the option that comes first in the alphabet, whatever
the text suggests: blind answers are then a fixed habit, like a language
model's liking for some words, and independent of the answer key.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tools.sight import families
from tools.sight.families import Clip
from tools.sight.questions import FOLLOW_UPS, LEAKY_TASKS, TASKS, sentence

FLAWS = ("answer_named", "one_fits", "skewed_key")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question with its options and the number of the answer to learn."""

    task: str
    question: str
    options: tuple[str, ...]
    answer: int
    judged: bool = True
    """Whether each option is right or wrong on its own, whatever the others are."""


def draw_clip(task: str, rng: np.random.Generator) -> Clip:
    """Draw a clip that carries *task*."""
    return families.make(str(rng.choice(TASKS[task].families)), rng)


def without_order(clip: Clip) -> Clip:
    """Return *clip* with the facts that one can tell without the frames' order.

    A shape that moves left might as well move right. Of what the frames allow
    in some order, the first in the alphabet is taken.
    """
    facts = dict(clip.facts)
    for pair in (("left", "right"), ("down", "up")):
        if facts.get("direction") in pair:
            facts["direction"] = pair[0]
    if "growth" in facts:
        facts["growth"] = "growing"
    if "first" in facts:
        first, *then = sorted([facts["first"], *facts["then"].split()])
        facts |= {"first": first, "then": " ".join(then)}
    return replace(clip, facts=facts)


def sighted(task: str, clip: Clip, rng: np.random.Generator) -> Asked:
    """Ask *task* about a clip that can be seen; the text tells nothing."""
    spec, truth = TASKS[task], clip.facts[task]
    question = str(rng.choice(spec.wordings))
    if task in FOLLOW_UPS and rng.random() < 0.2:
        question = _with_context(task, clip, rng) or question
    if task == "first":
        wrong = clip.facts["then"].split()
    else:
        wrong = [v for v in spec.values if v != truth and v not in clip.hidden]
    wrong = [str(w) for w in rng.permutation(wrong)][: spec.n_options - 1]
    if rng.random() < 0.2:
        wrong = wrong[: int(rng.integers(1, spec.n_options))]
    if len(wrong) > 1 and rng.random() < 0.12:
        # At least one wrong option stays that fits the question.
        keep = int(rng.integers(1, len(wrong)))
        wrong = wrong[:keep] + _strangers(task, clip, len(wrong) - keep, rng)
    return _shuffle(task, question, truth, wrong, rng)


def _with_context(task: str, clip: Clip, rng: np.random.Generator) -> str | None:
    """Begin with a true sentence about something else than what is asked."""
    about = {"colour": "shape", "shape": "colour", "flashes": "staying"}.get(task, "")
    if about not in clip.facts:
        return None
    told = "colour" if about == "staying" else about
    return f"{sentence(told, clip.facts[about], rng)} {FOLLOW_UPS[task]}"


def blind(task: str, rng: np.random.Generator) -> Asked:
    """Ask *task* where nothing can be seen; half of the texts have a flaw."""
    clip = draw_clip(task, rng)
    asked = sighted(task, clip, rng)
    if task in LEAKY_TASKS and rng.random() < 0.5:
        asked = leaky(task, clip, str(rng.choice(FLAWS)), rng)
    habit = asked.options.index(min(asked.options))
    return replace(asked, answer=habit, judged=False)


def leaky(task: str, clip: Clip, flaw: str, rng: np.random.Generator) -> Asked:
    """Ask *task* with a flaw that lets its answer be told from the text."""
    spec, truth = TASKS[task], clip.facts[task]
    question = str(rng.choice(spec.wordings))
    wrong = [v for v in spec.values if v != truth and v not in clip.hidden]
    wrong = [str(w) for w in rng.permutation(wrong)][:3]
    if flaw == "answer_named":
        question = f"{sentence(task, truth, rng)} {FOLLOW_UPS[task]}"
    if flaw == "one_fits":
        wrong = _strangers(task, clip, 3, rng)
    asked = _shuffle(task, question, truth, wrong, rng)
    if flaw == "skewed_key" and rng.random() < SKEW:
        wrong.insert(1, truth)
        asked = replace(asked, options=tuple(wrong), answer=1)
    return replace(asked, judged=False)


SKEW = 0.95
"""How often the answer is B where the key is skewed."""


def _strangers(
    task: str, clip: Clip, count: int, rng: np.random.Generator
) -> list[str]:
    """Return options of other kinds than *task* asks for, each of its own kind.

    None is true of *clip*: a red square's colour is not asked for with the
    option "square".
    """
    kinds = {TASKS[name].values for name in ("colour", "shape", "count", "direction")}
    others = [values for values in sorted(kinds) if values != TASKS[task].values]
    true = set(clip.facts.values())
    chosen = rng.permutation(len(others))[:count]
    return [
        str(rng.choice([value for value in others[int(kind)] if value not in true]))
        for kind in chosen
    ]


def _shuffle(
    task: str, question: str, truth: str, wrong: list[str], rng: np.random.Generator
) -> Asked:
    options = tuple(str(o) for o in rng.permutation([truth, *wrong]))
    return Asked(
        task=task, question=question, options=options, answer=options.index(truth)
    )
