"""The text of a prompt, to the letter, and the templates that are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.prompts import (
    DEFAULT_INSTRUCTION,
    DEFAULT_TEMPLATE,
    PromptStyle,
    render,
)
from pytest_vdg.errors import ConfigError
from tests.benchmarks.made import question

LOOP = "{% for o in options %}{{ o.label }}) {{ o.text }} {% endfor %}"
texts = st.text(
    st.characters(exclude_categories=("C", "Zl", "Zp")), min_size=1, max_size=30
).filter(str.strip)


def squeezed(text: str) -> str:
    """Return *text* with its spaces made one, as questions compare options."""
    return " ".join(text.split())


def style(template: str, **fields: str) -> PromptStyle:
    """Return the style of that template."""
    return PromptStyle(template=template, **fields)


def test_prompt_is_exactly_this() -> None:
    """The committed checkpoints were trained on this very text."""
    assert render(question()) == (
        "What colour is it?\nA. red\nB. green\nC. blue\n"
        "Answer with the letter of the correct option."
    )


def test_parts_are_public() -> None:
    """What a fingerprint must hold is one template and one sentence."""
    assert PromptStyle().template == DEFAULT_TEMPLATE
    assert DEFAULT_INSTRUCTION == "Answer with the letter of the correct option."


@given(texts, st.lists(texts, min_size=2, max_size=6, unique_by=squeezed), st.text())
def test_our_template_is_what_was_asked_before_there_were_templates(
    text: str, options: list[str], instruction: str
) -> None:
    """Question, option lines, instruction: kept answers and baselines stay valid."""
    labelled = dict(zip("ABCDEF", options, strict=False))
    made = question(text=text, texts=labelled)
    lines = "\n".join(f"{label}. {option}" for label, option in labelled.items())
    before = f"{text}\n{lines}\n{instruction}"
    before = before if instruction else before[:-1]
    assert render(made, PromptStyle(instruction=instruction)) == before


def test_instruction_can_be_changed_or_left_out() -> None:
    """Another instruction takes the last line; none leaves no empty one."""
    shown = render(question(), PromptStyle(instruction="Letter:"))
    assert shown.endswith("\nC. blue\nLetter:")
    assert render(question(), PromptStyle(instruction="")).endswith("\nC. blue")


@pytest.mark.parametrize("template", [DEFAULT_TEMPLATE, "{{ question }}\n" + LOOP])
def test_texts_of_a_question_are_data(template: str) -> None:
    """What looks like a template in an annotation file is shown, not run."""
    made = question(
        text="What is {{ 7 * 7 }}, {question} & <b>?",
        texts={"A": "{% for x in y %}", "B": "{{ options }}", "C": "{# #}"},
    )
    shown = render(made, style(template))
    for text in (made.text, *made.texts.values()):
        assert text in shown


def test_given_labels_are_shown() -> None:
    """Labels of the benchmark's own are what the model sees."""
    made = question(texts={"1": "one", "2": "two"}, answer="1")
    assert "\n1. one\n2. two\n" in render(made)


def test_tags_on_lines_of_their_own_leave_no_empty_lines() -> None:
    """A template may be laid out as chat templates are."""
    made = style(
        "Q: {{ question }}\n{% for option in options %}\n"
        "  ({{ option.label }}) {{ option.text }}\n{% endfor %}\n"
        "{% if instruction %}\n{{ instruction }}\n{% endif %}\n"
    )
    assert render(question(), made).splitlines() == [
        "Q: What colour is it?",
        "  (A) red",
        "  (B) green",
        "  (C) blue",
        DEFAULT_INSTRUCTION,
    ]


def test_options_may_stand_before_their_labels() -> None:
    """Label after text is a way to ask, too: the pairs are what counts."""
    made = style(
        "{{ question }} {% for o in options %}{{ o.text }} ({{ o.label }}) {% endfor %}"
    )
    assert render(question(), made) == (
        "What colour is it? red (A) green (B) blue (C) "
    )


@pytest.mark.parametrize(
    ("template", "said"),
    [
        (LOOP, "leaves the question out"),
        ("{{ question|upper }} " + LOOP, "leaves the question out, or changes it"),
        ("{{ question }}", "the text of option 1 of 2"),
        (
            (
                "{{ question }} {% for o in options[:4] %}{{ o.label }} {{ o.text }} "
                "{% endfor %}"
            ),
            "the text of option 5 of 26",
        ),
        (
            "{{ question }} {% for o in options %}{{ o.text }} {% endfor %}",
            "the label of option 1 of 2",
        ),
        (
            (
                "{{ question }} {% for o in options %}{{ o.label|lower }} {{ o.text }} "
                "{% endfor %}"
            ),
            "the label of option 1 of 2",
        ),
        (
            (
                "{{ question }} {% for o in options|sort(attribute='text') %}"
                "{{ labels[loop.index0] }} {{ o.text }} {% endfor %}"
            ),
            "labels beside texts of other options",
        ),
        ("{{ question }} {{ options }}", "writes an object, Option"),
        ("{{ question }} {{ question.upper }}" + LOOP, "writes an object, <built-in"),
        (
            "{{ questionn }}",
            "names 'questionn', which is unknown. Did you mean 'question'",
        ),
        ("{{ question }} {% for o in options %}{{ o.txt }}{% endfor %}", "'txt'"),
        ("one\n{% for", "line 2"),
        ("{{ question }} {{ 1 / 0 }}", "division by zero"),
        ("{% include 'secret' %}", "cannot be filled in"),
        ("{{ question.__class__ }}", "unsafe"),
        ("{{ options|random }}", "No filter named 'random'"),
        ("{{ lipsum() }}", "names 'lipsum', which is unknown"),
    ],
)
def test_template_that_would_ask_something_else_is_refused(
    template: str, said: str
) -> None:
    """Each refusal says what is missing, or what went wrong where."""
    with pytest.raises(ConfigError) as caught:
        style(template)
    assert said in str(caught.value)


def test_styles_are_made_of_texts() -> None:
    """None is no template, and 4 no instruction."""
    with pytest.raises(ConfigError, match="instruction must be text, got 4"):
        PromptStyle(instruction=4)  # type: ignore[arg-type]


def test_template_may_not_drop_a_part_of_some_questions() -> None:
    """What the trial could not see is found in the question that it happens to."""
    made = style(
        "{{ question }} {% for o in options if o.text != 'green' %}"
        "{{ o.label }} {{ o.text }} {% endfor %}"
    )
    with pytest.raises(ConfigError, match=r"question 'q1': .* 'green'"):
        render(question(), made)
    assert render(question(texts={"A": "up", "B": "down"}), made)


def test_a_style_knows_whether_it_shows_the_instruction() -> None:
    """An instruction that is never shown would be a wish unheard."""
    assert PromptStyle().uses_instruction
    assert not style("{{ question }} " + LOOP).uses_instruction
