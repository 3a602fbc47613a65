"""Text shortcuts: found where they are, not where they are not, and by whom."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from bench.text_shortcuts import by_lot, false_alarms, mixed, planted, scores
from pytest_vdg.audits._features import Table
from pytest_vdg.audits._items import Item, items_of
from pytest_vdg.audits._picks import NONE, RULES, frequent, ruled
from pytest_vdg.audits.audit import audit_key
from pytest_vdg.audits.text import text_shortcuts
from pytest_vdg.audits.told import text_flaws
from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.benchmarks.rotation import rotated
from pytest_vdg.benchmarks.schema import Option, Question
from pytest_vdg.benchmarks.slices import take
from pytest_vdg.errors import ConfigError
from pytest_vdg.reports.text_shortcuts import text_lines
from pytest_vdg.stats.shortcut import blind_gap
from tests.realdata import real

pytest.importorskip("sklearn")
SIGHT = load_benchmark("sight")
LEAKY = load_benchmark("sight-leaky")


def question(
    number: int,
    options: Sequence[str],
    answer: int = 0,
    *,
    text: str = "what is it?",
    task: str = "all",
    per_video: int = 1,
) -> Question:
    """Return a question whose answer is the option at that place."""
    labels = "ABCDEFGH"[: len(options)]
    return Question(
        id=f"q{number:04}",
        text=text,
        options=tuple(
            Option(label=label, text=said)
            for label, said in zip(labels, options, strict=True)
        ),
        answer=labels[answer],
        task=task,
        video=f"v{number // per_video}.mp4",
    )


def picked(rule: str, asked: Question) -> int:
    """Return what *rule* picks."""
    (pick,) = ruled(items_of([asked], seed=0, folds=2), rule, 0)
    return pick


@pytest.mark.parametrize(
    ("rule", "options", "text", "place"),
    [
        ("longest", ["a", "abc", "ab"], "?", 1),
        ("shortest", ["ab", "abc", "a"], "?", 2),
        ("odd length", ["abcd", "abce", "a", "abcf"], "?", 2),
        ("odd length", ["a", "abcd"], "?", NONE),
        ("overlap", ["he runs home", "she sleeps"], "why is he running home?", 0),
        ("overlap", ["the dog", "the cat"], "what is the colour of the car?", NONE),
        ("named", ["red", "dark red", "blue"], "A dark red square. Which?", 1),
        ("named", ["red", "blue"], "A redder square. Which?", NONE),
        ("named", ["緑", "赤"], "赤い四角は何色ですか", 1),
        ("longest", ["same", "size"], "?", NONE),
    ],
)
def test_rules_pick_what_they_say(
    rule: str, options: list[str], text: str, place: int
) -> None:
    """Each rule by hand; where it prefers nothing it picks nothing."""
    assert picked(rule, question(0, options, text=text)) == place


def test_the_most_frequent_is_learnt_from_the_folds_before() -> None:
    """By hand: nothing, then A; a label of the same fold is never counted."""
    asked = [question(i, ["a", "b"], answer=i % 2) for i in range(20)]
    items = items_of(asked, seed=0, folds=2)
    first = [item for item in items if item.fold == 0]
    right = [item.answer for item in first]
    best = int(right.count(1) > right.count(0))
    picks = frequent(items, "frequent label", 0)
    for item, pick in zip(items, picks, strict=True):
        if item.fold == 0:
            assert pick == NONE
        elif right.count(0) != right.count(1):
            assert pick == best


def test_accuracy_and_interval_are_those_of_a_blind_gap() -> None:
    """Longest right on 30 of 40: the numbers of `blind_gap` on the same."""
    asked = [
        question(i, ["long one", "b", "c", "d"], answer=0 if i % 4 else 1)
        for i in range(40)
    ]
    found = text_shortcuts(asked).named("longest")
    known = blind_gap(
        correct=np.array([i % 4 > 0 for i in range(40)]), options=[4] * 40
    )
    assert found.gap is not None
    assert (found.right, found.askings, found.of) == (30, 40, 40)
    assert (found.gap.low, found.gap.high) == pytest.approx((known.low, known.high))
    assert found.shown
    assert found.worth == pytest.approx(0.5)


def test_nothing_is_found_on_sight() -> None:
    """The set that gives nothing away by construction."""
    found = text_shortcuts(SIGHT.questions)
    assert found.shown == ()
    assert found.giveaways == ()
    assert "no baseline is shown to be above chance" in text_lines(found)


def test_each_planted_flaw_is_found_and_named() -> None:
    """Precision and recall of the list, and of each flaw by its first reason.

    Measured (``bench/text_shortcuts.py``): any 1.000 and .803, answer named 1.000
    and 1.000, one fits 1.000 and .438, skewed key .909 and .886.
    """
    found = text_shortcuts(LEAKY.questions)
    names = {each.name for each in found.of() if each.shown}
    assert {"named", "frequent label", "question words"} <= names
    assert not {"longest", "shortest", "odd length", "option words"} & names
    assert found.named("frequent label").detail == "B"
    measured = scores(found, planted())
    assert measured["any"][0] >= 0.95
    assert measured["any"][1] >= 0.7
    assert measured["answer_named"] == [1.0, 1.0]
    assert min(measured["skewed_key"]) >= 0.75
    assert measured["one_fits"][0] >= 0.9
    assert measured["one_fits"][1] >= 0.35


ANIMALS = ["ant", "bee", "cow", "dog", "eel", "fox", "gnu", "hen", "owl", "pig"]


def of_skewed_key(share: float, *, known: int = 0) -> list[Question]:
    """Return 160 questions with B the answer to *share* of them more than by lot.

    The options of *known* of them hold an animal that is never wrong.
    """
    rng = random.Random(0)
    made = []
    for number in range(160):
        options, place = rng.sample(ANIMALS, 4), rng.randrange(4)
        place = 1 if rng.random() < share else place
        if number < known:
            options[place] = "zebra"
        made.append(question(number, options, place))
    return made


@pytest.mark.parametrize("share", [0.4, 0.9])
def test_a_skewed_key_is_one_flaw(share: float) -> None:
    """The classifier sees labels, too: what it learns of them is told of the key."""
    asked = of_skewed_key(share)
    text = text_shortcuts(asked)
    assert text.named("all together").shown
    (flaw,) = audit_key("made", asked, text=text).flaws
    assert flaw.words.startswith("skewed key: B in ")
    assert [f.words[:5] for f in text_flaws(text).flaws] == ["words"]  # asked alone


def test_a_skewed_key_hides_no_other_flaw() -> None:
    """What words and labels tell beyond the labels is told as well."""
    asked = of_skewed_key(0.3, known=120)
    text = text_shortcuts(asked)
    together = replace(
        text,
        regularities=tuple(
            each if each.name == "all together" else replace(each, shown=False)
            for each in text.regularities
        ),
    )
    words = [f.words for f in audit_key("made", asked, text=together).flaws]
    assert words[0].startswith("words, lengths and labels together tell the answer")
    assert words[1].startswith("skewed key: B in ")


def test_questions_without_a_flaw_are_hardly_listed() -> None:
    """Among as many clean ones; measured: precision .951, recall .644."""
    precision, recall = scores(text_shortcuts(mixed()), planted())["any"]
    assert precision >= 0.85
    assert recall >= 0.5


def test_a_key_by_lot_raises_few_false_alarms() -> None:
    """At most 5 % of benchmarks without any shortcut, within what 120 draws tell.

    Over all baselines and tasks together; measured 3 of 100.
    """
    alarms = false_alarms(SIGHT.questions, 120)
    assert alarms <= binom.ppf(0.999, 120, 0.05)


def test_a_key_by_lot_of_few_answers_raises_few_false_alarms() -> None:
    """Yes and no, where the folds would agree by chance: the hardest for learners."""
    asked = [question(i, ["yes", "no"], text=f"is it {i % 7}?") for i in range(80)]
    alarms = sum(
        bool(text_shortcuts(by_lot(asked, seed), seed=seed).shown)
        for seed in range(120)
    )
    assert alarms <= binom.ppf(0.999, 120, 0.05)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 4), st.randoms(use_true_random=False))
def test_no_fold_learns_from_itself(fold: int, rng: object) -> None:
    """Other answers in a fold change no pick in it, nor in those before."""
    from pytest_vdg.audits._learner import Learner

    items = items_of(LEAKY.questions, seed=0, folds=5)
    other = [
        replace(item, answer=rng.randrange(len(item.labels)))  # type: ignore[attr-defined]
        if item.fold >= fold
        else item
        for item in items
    ]
    table = Table(items)
    early = [i for i, item in enumerate(items) if item.fold <= fold]
    for name in ("question words", "all together"):
        one = Learner(table, items, name).forward()
        two = Learner(table, other, name).forward()
        assert [one[i] for i in early] == [two[i] for i in early]
    for rule in ("frequent text", "frequent label"):
        one, two = frequent(items, rule, 0), frequent(other, rule, 0)
        assert [one[i] for i in early] == [two[i] for i in early]


def test_out_of_fold_probabilities_do_not_know_their_fold() -> None:
    """Other answers in a fold change no probability in it."""
    from pytest_vdg.audits._learner import Learner

    items = items_of(LEAKY.questions, seed=0, folds=5)
    other = [replace(i, answer=(i.answer + 1) % 4) if i.fold == 2 else i for i in items]
    table = Table(items)
    one = Learner(table, items, "all together").across()
    two = Learner(table, other, "all together").across()
    for i, item in enumerate(items):
        if item.fold == 2:
            assert one[i].tolist() == two[i].tolist()


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.integers(1, 9), min_size=5, max_size=40),
    st.integers(2, 5),
    st.integers(0, 99),
)
def test_no_video_is_in_two_folds(sizes: list[int], folds: int, seed: int) -> None:
    """Whatever the videos' shares of the questions."""
    asked = [
        replace(question(1000 * v + k, ["a", "b"]), video=f"v{v}.mp4")
        for v, size in enumerate(sizes)
        for k in range(size)
    ]
    items = items_of(asked, seed=seed, folds=folds)
    of_video: dict[str, set[int]] = {}
    for item in items:
        of_video.setdefault(item.video, set()).add(item.fold)
    assert all(len(found) == 1 for found in of_video.values())
    assert {item.fold for item in items} <= set(range(folds))


def test_the_order_of_questions_changes_nothing() -> None:
    """The same report from the last to the first."""
    turned = text_shortcuts(LEAKY.questions[::-1]).to_dict()
    found = text_shortcuts(LEAKY.questions).to_dict()
    for each in (found, turned):
        each["tasks"] = sorted(each["tasks"])  # type: ignore[type-var, arg-type]
        each["regularities"] = sorted(each["regularities"], key=str)  # type: ignore[call-overload]
    assert found == turned


def test_orders_of_a_question_are_one_question() -> None:
    """Asked four times, what a rule picks is the same text, and adds no certainty."""
    once = text_shortcuts(LEAKY.questions).named("named")
    slice_ = rotated(take(LEAKY), 4)
    again = text_shortcuts(slice_.questions)
    assert (again.n, again.askings) == (240, 960)
    named = again.named("named")
    assert (named.n, named.askings) == (80, 320)
    assert once.gap is not None
    assert named.gap is not None
    width = named.gap.high - named.gap.low
    assert width >= 0.999 * (once.gap.high - once.gap.low)
    assert not again.named("frequent label").shown  # each label is the answer as often
    longest = dict(zip(slice_.ids, _texts_picked(slice_.questions), strict=True))
    assert len({longest[f"{LEAKY.questions[0].id}@{n}"] for n in range(4)}) == 1


def _texts_picked(asked: Sequence[Question]) -> list[str]:
    items = {item.id: item for item in items_of(asked, seed=0, folds=5)}

    def text(item: Item) -> str:
        (pick,) = ruled([item], "longest", 0)
        return "" if pick == NONE else item.texts[pick]

    return [text(items[q.id]) for q in asked]


def test_few_videos_give_no_number() -> None:
    """Nine videos say nothing, and it is said that they do not."""
    found = text_shortcuts([question(i, ["a", "bb", "ccc"]) for i in range(9)])
    assert [each.gap for each in found.regularities] == [None] * 10
    assert found.shown == ()
    lines = text_lines(found)
    assert "too few questions to say anything" in lines
    assert "fewer than 10 videos" in " ".join(lines)


def test_different_numbers_of_options_are_judged_together() -> None:
    """Chance is the mean of 1/K over the questions that a rule speaks of."""
    asked = [question(i, ["long one", "b", "c", "d"][: 2 + i % 3]) for i in range(60)]
    found = text_shortcuts(asked)
    longest = found.named("longest")
    assert longest.gap is not None
    assert longest.gap.chance == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)
    assert found.named("odd length").askings == 40  # of two, neither is odd


def test_every_alphabet_is_learnt() -> None:
    """Answers known by a word in any script are found, and the report is ASCII."""
    colours = ["красный", "緑色", "أزرق", "jaune"]
    kinds = ["квадрат", "円", "مثلث", "carré"]
    asked = [
        question(
            i,
            [colours[i % 4], *[kinds[(i + k) % 4] for k in range(3)]],
            text="какой цвет? 何色",
        )
        for i in range(60)
    ]
    found = text_shortcuts(asked)
    assert found.named("option words").shown
    assert all(line.isascii() for line in text_lines(found))


def test_a_text_without_words_is_no_error() -> None:
    """Signs and numbers only, questions alike."""
    asked = [question(i, ["!", "?", "..."], answer=i % 3, text="?!") for i in range(30)]
    found = text_shortcuts(asked)
    assert found.named("overlap").reason == "it prefers no option of any question"


def test_it_is_plain_values() -> None:
    """What it comes to goes into a file."""
    found = text_shortcuts(LEAKY.questions)
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert again["n"] == 240
    assert len(again["giveaways"]) == len(found.giveaways)


def test_without_the_classifier_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before anything is computed."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ConfigError, match=r"pip install 'pytest-vdg\[audit\]'"):
        text_shortcuts(SIGHT.questions)


@pytest.mark.parametrize("folds", [1, 0, 2.5, True])
def test_folds_are_a_number_of_folds(folds: object) -> None:
    """Fewer than two whole folds leave nothing to learn from, and are refused."""
    with pytest.raises(ConfigError, match="folds must be"):
        text_shortcuts(SIGHT.questions, folds=folds)  # type: ignore[arg-type]


def test_no_question_and_two_of_one_id_are_refused() -> None:
    """Neither is a benchmark."""
    with pytest.raises(ValueError, match="no question"):
        text_shortcuts([])
    with pytest.raises(ValueError, match="two questions have one id"):
        text_shortcuts([question(0, ["a", "b"])] * 2)


def test_all_rules_have_words() -> None:
    """What is listed is explained."""
    found = text_shortcuts(SIGHT.questions)
    assert {each.name for each in found.of()} > set(RULES)
    assert all(each.words for each in found.regularities)


def test_real_questions_share_words_with_their_answers() -> None:
    """NExT-QA, validation: its options were written by who wrote the question.

    Measured: overlap .319 of the 2,157 that it speaks of, interval 9.9 to 14.0 points
    above a fifth; all together .282, 6.7 to 9.7 points; the labels are even.
    """
    folder: Path = real("nextqa")
    found = text_shortcuts(load_benchmark("nextqa", folder).questions)
    assert (found.n, found.n_videos) == (4996, 570)
    overlap, learnt = found.named("overlap"), found.named("all together")
    assert overlap.gap is not None
    assert learnt.gap is not None
    assert (overlap.right, overlap.askings) == (689, 2157)
    assert 0.09 < overlap.gap.low < overlap.gap.high < 0.15
    assert learnt.shown
    assert 0.05 < learnt.gap.low < learnt.gap.high < 0.11
    assert not found.named("frequent label").shown
    assert not found.named("longest").shown


def test_its_page_names_every_baseline() -> None:
    """What a report calls a baseline is explained in the documentation."""
    page = Path(__file__).parents[2] / "docs" / "text-shortcuts.md"
    text = page.read_text(encoding="utf-8")
    assert all(
        f"`{each.name}`" in text for each in text_shortcuts(SIGHT.questions).of()
    )
