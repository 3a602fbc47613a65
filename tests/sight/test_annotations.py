"""The committed questions are what they say: balanced, blind-proof, or leaky.

These tests read the files that are shipped, not the code that wrote them, so
that a hand-edited line is caught as well.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tools.sight import asking
from tools.sight.families import Clip
from tools.sight.leaky_plan import build as build_leaky
from tools.sight.plan import build as build_sight
from tools.sight.questions import TASKS
from tools.sight.seeds import SPACES, generator

ROOT = Path(__file__).parents[2]
DATA = ROOT / "pytest_vdg" / "benchmarks" / "data"
LABELS = "ABCDE"
Question = dict[str, Any]


def read(name: str) -> list[Question]:
    """Return the questions of the benchmark *name*."""
    lines = (DATA / name / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


SIGHT, LEAKY = read("sight"), read("sight-leaky")
BOTH = pytest.mark.parametrize(
    ("name", "questions"), [("sight", SIGHT), ("sight-leaky", LEAKY)]
)
EACH_TASK = pytest.mark.parametrize("task", [*TASKS])


def of_task(questions: list[Question], task: str) -> list[Question]:
    """Return the questions of *task*."""
    return [question for question in questions if question["task"] == task]


def right(question: Question) -> str:
    """Return the text of the right option."""
    return str(question["options"][LABELS.index(question["answer"])])


def words(question: Question) -> set[str]:
    """Return the words of the question's text, without its options."""
    return set(re.findall(r"\w+", question["question"].lower()))


def spread(counts: Counter[str], keys: list[str]) -> int:
    """Return the largest of *counts* less the smallest, absent *keys* being 0."""
    return max(counts[key] for key in keys) - min(counts[key] for key in keys)


def association(
    flags: np.ndarray, groups: np.ndarray, rng: np.random.Generator
) -> float:
    """Return the p-value of *flags* and *groups* having nothing to do with each other.

    A permutation test; its statistic is Pearson's chi-square up to constants.
    """
    member = (groups[:, None] == np.unique(groups)).astype(float)
    shares = member / np.sqrt(member.sum(0))
    observed = ((flags @ shares) ** 2).sum()
    drawn = rng.permuted(np.tile(flags, (999, 1)), axis=1)
    as_large = ((drawn @ shares) ** 2).sum(1) >= observed - 1e-9
    return float((1 + as_large.sum()) / 1000)


def holm(pvalues: list[float]) -> float:
    """Return the smallest p-value after Holm's correction."""
    return min(1.0, len(pvalues) * min(pvalues))


@BOTH
def test_every_line_has_the_same_keys(name: str, questions: list[Question]) -> None:
    """A loader may rely on exactly these keys, in this order."""
    keys = ["id", "video", "task", "question", "options", "answer", "extra"]
    assert all(list(question) == keys for question in questions)


@BOTH
def test_ids_are_unique_and_plain(name: str, questions: list[Question]) -> None:
    """An id can be part of a pytest node id and of a file name."""
    ids = [question["id"] for question in questions]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", identifier) for identifier in ids)


@BOTH
def test_clips_are_all_there_and_all_used(name: str, questions: list[Question]) -> None:
    """No question lacks its clip, and no clip lies about unused."""
    folder = DATA / name
    there = {f"clips/{path.name}" for path in (folder / "clips").iterdir()}
    assert {question["video"] for question in questions} == there


@BOTH
def test_folder_stays_small(name: str, questions: list[Question]) -> None:
    """A benchmark that is installed with the package weighs less than a megabyte."""
    files = [path for path in (DATA / name).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 1_000_000


@BOTH
def test_options_differ_and_hold_the_answer(
    name: str, questions: list[Question]
) -> None:
    """No option is listed twice, and the answer is the label of one of them."""
    for question in questions:
        options = question["options"]
        assert len(set(options)) == len(options)
        assert question["answer"] in LABELS[: len(options)]


def test_sight_is_large_enough() -> None:
    """Seven tasks of 24 questions on more than 60 clips, with 2 to 5 options."""
    assert Counter(q["task"] for q in SIGHT) == dict.fromkeys(TASKS, 24)
    assert len({q["video"] for q in SIGHT}) >= 60
    assert {len(q["options"]) for q in SIGHT} == {2, 3, 4, 5}


def test_leaky_is_large_enough() -> None:
    """240 questions, sixty a task, on 60 to 80 clips; no task needs order."""
    assert Counter(q["task"] for q in LEAKY) == {
        "colour": 60,
        "shape": 60,
        "count": 60,
        "flashes": 60,
    }
    assert 60 <= len({q["video"] for q in LEAKY}) <= 80
    assert "order" not in {q["extra"]["needs"] for q in LEAKY}


@EACH_TASK
def test_each_label_is_right_equally_often(task: str) -> None:
    """Always answering the same letter is at chance, within one question a task."""
    questions = of_task(SIGHT, task)
    labels = [*LABELS[: len(questions[0]["options"])]]
    assert spread(Counter(q["answer"] for q in questions), labels) <= 1


@EACH_TASK
def test_each_value_is_right_equally_often(task: str) -> None:
    """Always answering the same value is at chance, within one question a task."""
    counts = Counter(right(q) for q in of_task(SIGHT, task))
    assert spread(counts, [*TASKS[task].values]) <= 1


@EACH_TASK
def test_each_value_is_offered_equally_often(task: str) -> None:
    """No value is offered more often than another, within one question a task."""
    offered = Counter(o for q in of_task(SIGHT, task) for o in q["options"])
    assert spread(offered, [*TASKS[task].values]) <= 1


def test_no_word_of_a_question_tells_the_label() -> None:
    """Words are dealt to labels as if by lot: permutation tests, Holm over words."""
    rng = np.random.default_rng(0)
    pvalues = []
    for task in TASKS:
        questions = of_task(SIGHT, task)
        labels = np.array([q["answer"] for q in questions])
        for word in sorted(set.union(*map(words, questions))):
            flags = np.array([word in words(q) for q in questions], dtype=float)
            if 0 < flags.sum() < len(flags):
                pvalues.append(association(flags, labels, rng))
    assert len(pvalues) > 20
    assert holm(pvalues) > 0.05


def test_no_word_of_a_question_tells_the_value() -> None:
    """Words are dealt to right values as if by lot, too."""
    rng = np.random.default_rng(0)
    pvalues = []
    for task in TASKS:
        questions = of_task(SIGHT, task)
        values = np.array([right(q) for q in questions])
        for word in sorted(set.union(*map(words, questions))):
            flags = np.array([word in words(q) for q in questions], dtype=float)
            if 0 < flags.sum() < len(flags):
                pvalues.append(association(flags, values, rng))
    assert holm(pvalues) > 0.05


def test_no_option_text_is_more_often_right() -> None:
    """An offered text is right once in K: exact binomial tests, Holm over texts."""
    pvalues = []
    for task in TASKS:
        questions = of_task(SIGHT, task)
        hits = Counter(right(q) for q in questions)
        for text, offered in Counter(
            o for q in questions for o in q["options"]
        ).items():
            chance = 1 / len(questions[0]["options"])
            pvalues.append(stats.binomtest(hits[text], offered, chance).pvalue)
    assert holm(pvalues) > 0.05


@pytest.mark.parametrize("pick", [min, max, lambda options: max(options, key=len)])
def test_simple_blind_rules_are_at_chance(
    pick: Callable[[list[str]], str],
) -> None:
    """First or last in the alphabet, or the longest text, is no better than a guess."""
    hits = [pick(q["options"]) == right(q) for q in SIGHT]
    chance = np.mean([1 / len(q["options"]) for q in SIGHT])
    assert np.mean(hits) == pytest.approx(chance, abs=0.06)


def test_a_question_does_not_name_one_option_only() -> None:
    """In `sight` a question names no option, or all of them."""
    for question in SIGHT:
        named = words(question) & set(question["options"])
        assert named in (set(), set(question["options"]))


def test_flaws_are_spread_evenly() -> None:
    """Each task has twenty questions of each flaw."""
    counts = Counter((q["task"], q["extra"]["flaw"]) for q in LEAKY)
    assert len(counts) == 4 * 3
    assert set(counts.values()) == {20}


def test_named_answers_are_named() -> None:
    """Where the flaw is a named answer, the question has it and no other option."""
    for question in LEAKY:
        named = words(question) & set(question["options"])
        expected = {right(question)} if is_flaw(question, "answer_named") else set()
        assert named == expected


def test_only_one_option_fits_where_it_is_said() -> None:
    """Where the flaw is one fitting option, that is the right one; else all fit."""
    for question in LEAKY:
        fitting = set(question["options"]) & set(TASKS[question["task"]].values)
        alone = is_flaw(question, "one_fits")
        expected = {right(question)} if alone else set(question["options"])
        assert fitting == expected


def test_key_is_skewed_where_it_is_said_and_nowhere_else() -> None:
    """With that flaw all answers but one are B; with the others none is frequent."""
    skewed = [q["answer"] == "B" for q in LEAKY if is_flaw(q, "skewed_key")]
    assert skewed.count(False) == 1
    for flaw in ("answer_named", "one_fits"):
        counts = Counter(q["answer"] for q in LEAKY if is_flaw(q, flaw))
        assert spread(counts, [*"ABCD"]) <= 1


def test_blind_habit_of_the_checkpoints_is_at_chance_on_leaky_questions() -> None:
    """First in the alphabet, which blind training teaches, gains nothing from flaws."""
    hits = [min(q["options"]) == right(q) for q in LEAKY]
    assert np.mean(hits) == pytest.approx(0.25, abs=0.05)


def is_flaw(question: Question, flaw: str) -> bool:
    """Tell whether *question* is said to have *flaw*."""
    return bool(question["extra"]["flaw"] == flaw)


def test_seed_spaces_are_apart() -> None:
    """Training and the committed benchmarks draw from different first numbers."""
    assert len(set(SPACES.values())) == len(SPACES)


def test_training_code_draws_from_training_seeds_only() -> None:
    """Files that train name no benchmark's seeds, nor files that plan training's."""
    folder = ROOT / "tools" / "sight"
    for file in ("stages", "batches", "asking", "learner", "train"):
        source = (folder / f"{file}.py").read_text(encoding="utf-8")
        assert not re.search(r'(generator|draw_batch)\([^)]*"sight', source)
    for file in ("plan", "leaky_plan", "make"):
        source = (folder / f"{file}.py").read_text(encoding="utf-8")
        assert not re.search(r'generator\([^)]*"(train|held-out)"', source)


def test_no_committed_scene_is_drawn_in_training() -> None:
    """Thousands of training draws hold none of the committed scenes."""
    committed = {repr(entry.clip.scene) for entry in build_sight() + build_leaky()}
    drawn: list[Clip] = []
    for step in range(100):
        rng = generator("train", 1, step)
        drawn += [asking.draw_clip(task, rng) for task in TASKS for _ in range(5)]
    assert committed.isdisjoint(repr(clip.scene) for clip in drawn)
