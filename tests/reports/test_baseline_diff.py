"""A candidate against its baseline: numbers, flips, and text that stays text."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.reports.baseline_diff import BaselineDiff, diff_recorded, to_json
from pytest_vdg.reports.baseline_text import (
    code,
    diff_lines,
    diff_markdown,
    head_lines,
)
from pytest_vdg.runs import AskedQuestion, CellResult, Outcome, Run
from pytest_vdg.stats.clusters import cluster_mean
from pytest_vdg.stats.paired import paired_difference
from pytest_vdg.store._parse import Recorded
from pytest_vdg.store.criteria import Criterion
from tests.store.examples import question
from tests.store.examples import run as example

IDS = tuple(f"q{number:02}" for number in range(20))


def run(
    right: dict[str, set[str]], ids: tuple[str, ...] = IDS, **changes: object
) -> Run:
    """Return a run of *ids*, whose answers under each condition are *right* there."""
    questions = tuple(question(each) for each in ids)
    cells = {
        (each, c): CellResult(
            question_id=each,
            condition=c,
            outcome=Outcome.CORRECT if each in those else Outcome.WRONG,
            choice="A" if each in those else "B",
        )
        for each in ids
        for c, those in right.items()
    }
    made = example(question("q1"))
    values = {"questions": questions, "conditions": tuple(right), "cells": cells}
    return replace(made, **(values | changes))  # type: ignore[arg-type]


SEES = run({"original": set(IDS), "black": set(IDS[:10])})
BLIND = run({"original": set(IDS), "black": set(IDS[:16])}, checkpoint="collapsed")


def diff(old: Run, new: Run, **said: object) -> BaselineDiff:
    """Return the diff of two runs with *said* beside the new one."""
    return diff_recorded(Recorded(run=old), Recorded(run=new, **said))  # type: ignore[arg-type]


def test_vdg_has_the_interval_of_its_change() -> None:
    """The change is that of each question, by the method of the claim."""
    found = diff(SEES, BLIND).gap
    assert found is not None
    assert (found.n, found.old.estimate, found.new.estimate) == (20, 0.5, 0.2)
    # Ten questions had a gap of one, and six of them lost it.
    expected = cluster_mean([-1] * 6 + [0] * 14, [f"v{n}" for n in range(20)])
    assert (found.change.low, found.change.high) == (expected.low, expected.high)
    assert [m.question_id for m in found.lost] == list(IDS[10:16])
    assert found.lost[0].choices == (("black", "B", "A"),)
    assert found.gained == ()


def test_each_condition_has_its_paired_change() -> None:
    """Accuracy old -> new with Tango's interval, and the questions behind it."""
    original, black = diff(SEES, BLIND).conditions
    assert (original.first_accuracy, original.second_accuracy) == (1.0, 1.0)
    assert (black.first_accuracy, black.second_accuracy) == (0.5, 0.8)
    expected = paired_difference(treated_only=6, control_only=0, n=20)
    assert black.difference.low == expected.low
    assert black.difference.high == expected.high
    assert [f.question_id for f in black.flipped] == list(IDS[10:16])


def test_what_the_headers_say_otherwise_is_listed() -> None:
    """Old and new value of each field; what is equal is not there."""
    new = replace(
        BLIND,
        fingerprint=replace(
            BLIND.fingerprint,
            subject={"weights": "w2"},
            informative={"torch": "2.9"},
        ),
    )
    loose = Criterion(claim="a", measure="m", margin=0.1, was=0.05, reason="noisy")
    fields = {
        f.name: (f.old, f.new)
        for f in diff(SEES, new, environment="h100", criteria=(loose,)).fields
    }
    assert fields == {
        "checkpoint": ("grounded", "collapsed"),
        "weights": ("w1", "w2"),
        "torch": ("2.8", "2.9"),
        "environment": (None, "h100"),
        "margin of a (m)": (None, "0.1 (noisy)"),
    }


def test_what_one_side_does_not_say_is_listed_too() -> None:
    """A field that was dropped is told like one that is new."""
    sure = Criterion(claim="a", measure="m", task="t", margin=0.1, confidence=0.9)
    old = replace(SEES, created="2026-01-01T00:00:00+00:00")
    found = diff_recorded(
        Recorded(run=old, environment="h100", criteria=(sure,)),
        Recorded(run=replace(SEES, created="")),
    )
    assert {f.name: (f.old, f.new) for f in found.fields} == {
        "created": ("2026-01-01T00:00:00+00:00", None),
        "environment": ("h100", None),
        "margin of a (m, t)": ("0.1 at 90%", None),
    }


def test_runs_that_are_not_comparable_are_shown_with_the_reason() -> None:
    """A claim would be refused, but a person wants to see both."""
    other = {**BLIND.fingerprint.comparable, "sampling": "frames=16"}
    new = replace(BLIND, fingerprint=replace(BLIND.fingerprint, comparable=other))
    found = diff(SEES, new)
    assert found.not_comparable == ("sampling: frames=16, was frames=8",)
    assert found.gap is not None
    assert head_lines(found)[0] == "not comparable: sampling: frames=16, was frames=8"


def test_questions_that_are_not_in_both_are_counted_and_not_paired() -> None:
    """Lost, added and altered ones stand apart from the flipped."""
    altered = [replace(q, answer="B") if q.id == "q00" else q for q in BLIND.questions]
    kept = (*IDS[:18], "q99")
    new = run({"original": set(kept), "black": set()}, kept)
    new = replace(new, questions=(*altered[:1], *new.questions[1:]))
    found = diff(SEES, new)
    assert found.only_old == ("q18", "q19")
    assert found.only_new == ("q99",)
    assert found.altered == ("q00",)
    assert {test.n for test in found.conditions} == {17}


def test_runs_that_share_nothing_cannot_be_compared() -> None:
    """There is no number to show."""
    with pytest.raises(CouldNotBeJudged, match="share no question"):
        diff(SEES, run({"original": set()}, ("other",)))


def test_a_run_and_itself_are_alike() -> None:
    """Written at another time, for another reason, it is the same."""
    again = replace(SEES, created="2027-01-01T00:00:00+00:00")
    found = diff(SEES, again, reason="again")
    assert found.alike
    assert diff_lines(found)[1:] == [
        "  the same answers and settings; written at another time"
    ]
    assert not diff(SEES, BLIND).alike


@pytest.mark.parametrize(
    "differs", ["only_old", "only_new", "altered", "not_comparable"]
)
def test_what_is_not_paired_makes_two_runs_unlike(differs: str) -> None:
    """Each by itself: nobody should read that a candidate changes nothing."""
    same = diff(SEES, SEES)
    assert same.alike
    assert not replace(same, **{differs: ("q00",)}).alike  # type: ignore[arg-type]


def test_a_condition_that_one_run_could_not_judge_is_left_out() -> None:
    """The others are compared all the same; nothing is made of failures."""
    lost = {
        (each, "black"): CellResult(
            question_id=each, condition="black", outcome=Outcome.FAILED, reason="oom"
        )
        for each in IDS
    }
    found = diff(SEES, replace(BLIND, cells={**BLIND.cells, **lost}))
    assert [test.condition for test in found.conditions] == ["original"]
    assert found.gap is None


def test_a_condition_without_black_has_no_gap() -> None:
    """What cannot be measured is left out, and never zero."""
    only = run({"original": set(IDS)})
    assert diff(only, only).gap is None
    assert to_json(diff(only, only))["vdg"] is None


def test_json_holds_it_all() -> None:
    """Fractions, ids and choices, and no NaN."""
    values = json.loads(json.dumps(to_json(diff(SEES, BLIND)), allow_nan=False))
    assert (values["old"], values["new"]) == ("baseline", "candidate")
    assert values["vdg"]["new"]["estimate"] == 0.2
    assert values["conditions"]["black"]["flipped"][0] == {
        "question_id": "q10",
        "first_choice": "B",
        "second_choice": "A",
        "first_right": False,
    }


def test_lines_tell_what_a_reviewer_asks_first() -> None:
    """VDG old -> new with the change's interval, then each condition, then flips."""
    lines = diff_lines(diff(SEES, BLIND))
    assert lines[1].startswith("  VDG +50.0pp [")
    assert ", change -30.0pp [" in lines[1]
    assert "lost grounding 6, gained 0 of 20" in lines[1]
    assert any(li.startswith("lost grounding (6): q10 (black B->A)") for li in lines)
    assert any(li.startswith("black became right (6): q10 (B->A)") for li in lines)


WORSE = run({"original": set(IDS[2:11]), "black": set(IDS[:5])}, checkpoint="next")
"""Right 9 and 5 times of 20, where `BETTER` was right 12 and 4 times."""
BETTER = run({"original": set(IDS[:12]), "black": set(IDS[:4])})


def test_which_way_each_number_went_is_told() -> None:
    """VDG 8 of 20, then 4; three became wrong on the clip, one right on black."""
    lines = diff_lines(diff(BETTER, WORSE, environment="h100"))
    vdg, original, black = (line.strip() for line in lines[1:4])
    assert vdg.startswith("VDG +40.0pp [")
    assert "] -> +20.0pp [" in vdg
    assert vdg.endswith("lost grounding 4, gained 0 of 20")
    assert original.startswith("original .600 -> .450, change -15.0pp [")
    assert original.endswith("3 became wrong, 0 right of 20")
    assert black.startswith("black .200 -> .250, change +5.0pp [")
    assert black.endswith("0 became wrong, 1 right of 20")
    moved = [f"{q} (original A->B)" for q in ("q00", "q01", "q11")]
    moved.insert(2, "q04 (black B->A)")
    start = lines.index("header, old -> new")
    assert lines[start + 1 :] == [
        "  checkpoint: grounded",
        "    -> next",
        "  environment: -",
        "    -> h100",
        f"lost grounding (4): {', '.join(moved)}",
        "original became wrong (3): q00 (A->B), q01 (A->B), q11 (A->B)",
        "black became right (1): q04 (B->A)",
    ]
    back = diff_lines(diff(WORSE, BETTER))
    assert back[1].endswith("lost grounding 0, gained 4 of 20")
    assert "original became right (3): q00 (B->A), q01 (B->A), q11 (B->A)" in back


def test_a_comment_has_the_same_numbers() -> None:
    """One row a measure, and behind it what became of each question."""
    text = "\n".join(diff_markdown(diff(BETTER, WORSE, environment="h100")))
    plain = re.sub(r"</?code>", "", text)
    rows = [line.split(" | ") for line in plain.splitlines() if line.startswith("| ")]
    assert rows[0][3] == "change [95% CI]"
    assert [[*row[:3], row[4]] for row in rows[2:]] == [
        ["| **VDG**", "+40.0pp", "+20.0pp", "20 |"],
        ["| original", ".600", ".450", "20 |"],
        ["| black", ".200", ".250", "20 |"],
    ]
    listed = [line for line in plain.splitlines() if line.startswith(("- ", "<sum"))]
    arrow = "\N{RIGHTWARDS ARROW}"
    assert listed == [
        "<summary>Header (2)</summary>",
        f"- checkpoint: grounded {arrow} next",
        f"- environment: - {arrow} h100",
        "<summary>Lost grounding (4)</summary>",
        *(f"- {q}: original A {arrow} B" for q in ("q00", "q01")),
        f"- q04: black B {arrow} A",
        f"- q11: original A {arrow} B",
        "<summary>Flipped under original (3)</summary>",
        *(f"- {q}: A {arrow} B (wrong now)" for q in ("q00", "q01", "q11")),
        "<summary>Flipped under black (1)</summary>",
        f"- q04: B {arrow} A (right now)",
    ]


EVIL = "@all <img src=x onerror=alert(1)> `x` | **b** #1\n</details>"


def test_no_text_of_others_is_markup() -> None:
    """Each stands in code that it cannot close; nobody is called by name."""
    ids = (EVIL, *IDS[1:])
    old = run({"original": set(ids), "black": set()}, ids)
    new = run({"original": set(), "black": set()}, ids, checkpoint=EVIL)
    text = "\n".join(diff_markdown(diff(old, new)))
    assert text.count("&#64;all") >= 3  # the header, the lost one, the flipped one
    outside = re.sub(r"<code>[^<]*</code>", "", text)
    for mark in ("@", "<img", "#1", "**b**", "`", "<code>"):
        assert mark not in outside
    assert text.count("<details>") == text.count("</details>") > 0


def test_a_comment_stays_small() -> None:
    """However many questions flip, GitHub takes it: 65536 characters at most."""
    ids = tuple(f"{'q' * 200}{number}" for number in range(600))
    names = ("original", "black", "shuffled", "reversed", "single_frame", "text_only")
    old = run({name: set(ids) for name in names}, ids)
    new = run({name: set() for name in names}, ids)
    text = "\n".join(diff_markdown(diff(old, new)))
    assert len(text) < 65536
    assert "and 588 more" in text


def test_an_empty_name_is_shown() -> None:
    """A cell of nothing would look like a slip."""
    assert code("") == "<code>-</code>"


def test_flipped_questions_without_a_choice_say_what_became_of_them() -> None:
    """An unparsed reply is no label."""
    cells = dict(BLIND.cells)
    cells["q00", "original"] = CellResult(
        question_id="q00", condition="original", outcome=Outcome.UNPARSED, reply="?"
    )
    found = diff(SEES, replace(BLIND, cells=cells)).conditions[0].flipped
    assert [(f.first_choice, f.second_choice) for f in found] == [("A", "unparsed")]


def test_a_question_asked_on_another_video_is_another() -> None:
    """Its answers say nothing of each other."""
    moved: list[AskedQuestion] = [
        replace(q, video="elsewhere.mp4") if q.id == "q00" else q
        for q in BLIND.questions
    ]
    assert diff(SEES, replace(BLIND, questions=tuple(moved))).altered == ("q00",)
