"""The text of a prompt, to the letter."""

from __future__ import annotations

from pytest_vdg.benchmarks.prompts import (
    DEFAULT_INSTRUCTION,
    DEFAULT_TEMPLATE,
    render,
)
from tests.benchmarks.made import question


def test_prompt_is_exactly_this() -> None:
    """The committed checkpoints were trained on this very text."""
    assert render(question()) == (
        "What colour is it?\nA. red\nB. green\nC. blue\n"
        "Answer with the letter of the correct option."
    )


def test_parts_are_public() -> None:
    """What a fingerprint must hold is one template and one sentence."""
    assert DEFAULT_TEMPLATE == "{question}\n{options}\n{instruction}"
    assert DEFAULT_INSTRUCTION == "Answer with the letter of the correct option."


def test_instruction_can_be_changed_or_left_out() -> None:
    """Another instruction takes the last line; none leaves no empty one."""
    assert render(question(), "Letter:").endswith("\nC. blue\nLetter:")
    assert render(question(), "").endswith("\nC. blue")


def test_braces_in_a_question_are_its_own() -> None:
    """Text that looks like a placeholder is not filled in."""
    made = question(text="What is {options}?", texts={"A": "{question}", "B": "{0}"})
    assert render(made, "").splitlines() == [
        "What is {options}?",
        "A. {question}",
        "B. {0}",
    ]


def test_given_labels_are_shown() -> None:
    """Labels of the benchmark's own are what the model sees."""
    made = question(texts={"1": "one", "2": "two"}, answer="1")
    assert "\n1. one\n2. two\n" in render(made)
