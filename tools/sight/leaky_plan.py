"""The benchmark `sight-leaky`: questions whose answer can be told from the text.

Each question has one of three flaws that real benchmarks have, and each clip
carries one question of each flaw. The answers are nevertheless true, so a
model that looks does as well as one that does not.
"""

from __future__ import annotations

from collections import Counter

from tools.sight import asking, families
from tools.sight.annotations import Question, place
from tools.sight.families import NUMBERS, Clip
from tools.sight.plan import Entry
from tools.sight.questions import LABELS, TASKS
from tools.sight.scenes import COLOURS, SHAPES
from tools.sight.seeds import generator

CLIPS = (("still", 40), ("crowd", 20), ("flash", 20))
"""Family and number of clips."""
PER_CELL = 20
"""Questions of one task with one flaw."""
SKEWED_TO = LABELS.index("B")
EXCEPTION = ("colour", 10)
"""Task and number of the one skewed question whose answer is not B.

Nobody's key is skewed without exception. There is only one, so that what a
blind model loses here stays well within the margin for accuracy of a
regression test: its loss is to be seen in the gap, not in the score.
"""


def build() -> list[Entry]:
    """Return the clips of `sight-leaky` with their questions."""
    entries: list[Entry] = []
    asked: Counter[tuple[str, str]] = Counter()
    for family, count in CLIPS:
        for turn in range(count):
            number = len(entries)
            clip = families.make(
                family, generator("sight-leaky", number), **_wanted(family, turn)
            )
            questions = []
            for task, flaw in _carried(family, turn):
                questions.append(_question(task, flaw, asked[task, flaw], clip, number))
                asked[task, flaw] += 1
            entries.append(Entry(clip=clip, questions=tuple(questions)))
    return entries


def _wanted(family: str, turn: int) -> dict[str, str]:
    """Go through the values in turn, so that each is right about as often."""
    colours = tuple(COLOURS)
    if family == "crowd":
        return {"count": NUMBERS[turn % 4]}
    if family == "flash":
        stays = colours[(turn + 1 + turn // 6) % 6]
        return {"flashes": colours[turn % 6], "staying": stays}
    return {"colour": colours[turn % 6], "shape": SHAPES[(turn + turn // 12) % 4]}


def _carried(family: str, turn: int) -> list[tuple[str, str]]:
    """Return the (task, flaw) of a clip's three questions."""
    if family == "crowd":
        tasks = ["count"] * 3
    elif family == "flash":
        tasks = ["flashes"] * 3
    else:
        # Colour and shape take turns, over clips and over flaws.
        tasks = [("colour", "shape")[(turn + i) % 2] for i in range(3)]
    return list(zip(tasks, asking.FLAWS, strict=True))


def _question(task: str, flaw: str, number: int, clip: Clip, video: int) -> Question:
    rng = generator("sight-leaky", video, 1 + asking.FLAWS.index(flaw))
    asked = asking.leaky(task, clip, flaw, rng)
    truth = asked.options[asked.answer]
    wrong = [option for option in asked.options if option != truth]
    label = number % len(asked.options)
    if flaw == "skewed_key":
        label = SKEWED_TO if (task, number) != EXCEPTION else 0
    short = {"answer_named": "named", "one_fits": "fits", "skewed_key": "skewed"}[flaw]
    return Question(
        id=f"leaky-{task}-{short}-{number:03d}",
        video=f"clips/{video:04d}.mp4",
        task=task,
        question=asked.question,
        options=place(truth, wrong, label),
        answer=LABELS[label],
        extra={"needs": TASKS[task].needs, "flaw": flaw},
    )
