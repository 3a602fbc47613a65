"""What counts as the same cell."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from pytest_vdg.store.keys import KeyParts, cell_key
from tests.store.examples import key_parts

ROOT = Path(__file__).parents[2]
CHANGED = {
    "subject": {"weights": "w2"},
    "environment": {"scoring": "choice", "dtype": "bfloat16"},
    "versions": {"torch": "2.9"},
    "question_id": "q2",
    "prompt": "Which one?\nA. red\nB. blue\nAnswer.",
    "instruction": "Answer!",
    "labels": ("1", "2"),
    "option_texts": ("blue", "red"),
    "condition": "reversed",
    "seed": 1,
    "block": 2,
    "video": "v2",
    "partner": None,
    "sampling": "frames=9",
    "size": (64, 65),
    "reader": "decord",
    "excerpt": "2-5s",
    "partner_excerpt": "2-5s",
    "encoder": "x264 core 165",
}
BEFORE_EXCERPTS = "7b42a1094509f41a200cf9aaec102b38cd5dbec7e11c5b0190bb9b9513a7d138"
"""Key of the example as it was made when there were no excerpts, and no encoder."""


@pytest.mark.parametrize("name", [f.name for f in fields(KeyParts)])
def test_each_part_changes_the_key(name: str) -> None:
    """No part of what can change an answer is left out of its key."""
    assert cell_key(key_parts(**{name: CHANGED[name]})) != cell_key(key_parts())


def test_keys_from_before_there_were_excerpts_hold() -> None:
    """An answer about a whole video is found again under the key it always had."""
    assert cell_key(key_parts()) == BEFORE_EXCERPTS


def test_own_and_other_excerpt_are_told_apart() -> None:
    """The same bounds of the one and of the other video are two things."""
    own, other = key_parts(excerpt="1-s"), key_parts(partner_excerpt="1-s")
    assert cell_key(own) != cell_key(other)


def test_the_order_of_mappings_does_not_change_the_key() -> None:
    """Two processes that list the same versions agree on the key."""
    one = key_parts(versions={"a": "1", "b": "2"})
    other = key_parts(versions={"b": "2", "a": "1"})
    assert cell_key(one) == cell_key(other)


def test_the_order_of_options_changes_the_key() -> None:
    """Options shown the other way round are another question to a model."""
    assert cell_key(key_parts(labels=("B", "A"))) != cell_key(key_parts())


def test_neighbouring_fields_do_not_run_into_one_another() -> None:
    """Text that moves from one option to the next changes the key."""
    one = key_parts(option_texts=("red b", "lue"))
    assert cell_key(one) != cell_key(key_parts(option_texts=("red", " blue")))


def test_a_key_is_the_same_in_every_process() -> None:
    """A key does not depend on hash seeds, so workers find each other's answers."""
    code = (
        "from pytest_vdg.store.keys import cell_key\n"
        "from tests.store.examples import key_parts\n"
        "print(cell_key(key_parts()))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    printed = subprocess.check_output(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, text=True
    )
    assert printed.strip() == cell_key(key_parts())
