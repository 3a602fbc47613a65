"""Which prompt a question gets: the nearest one said, the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.benchmarks.prompts import (
    DEFAULT_INSTRUCTION,
    DEFAULT_TEMPLATE,
    PromptStyle,
)
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.errors import ConfigError
from pytest_vdg.frames.clip import Clip
from pytest_vdg.store.cells import CellStore
from tests.engine.examples import LADDER, SETTINGS, look, model

LOOP = "{% for o in options %}{{ o.label }}) {{ o.text }} {% endfor %}"


def template(mark: str) -> str:
    """Return a template that can be told by its *mark*."""
    return f"{mark}: {{{{ question }}}} {LOOP}{{{{ instruction }}}}"


THEIRS = PromptStyle(template=template("theirs"), instruction="Best option:")


def asked(light: Slice, *, theirs: bool, own: str | None = None) -> Slice:
    """Return the slice with a style of its benchmark, of its own, or both."""
    benchmark = replace(light.benchmark, prompt=THEIRS if theirs else None)
    return replace(light, benchmark=benchmark, template=own)


@pytest.mark.parametrize(
    ("own", "given", "theirs", "template_of", "instruction"),
    [
        (None, None, False, None, DEFAULT_INSTRUCTION),
        (None, None, True, "theirs", "Best option:"),
        (None, "settings", True, "settings", DEFAULT_INSTRUCTION),
        ("slice", "settings", True, "slice", DEFAULT_INSTRUCTION),
        ("slice", None, True, "slice", DEFAULT_INSTRUCTION),
    ],
)
def test_the_nearest_template_holds(
    light: Slice,
    *,
    own: str | None,
    given: str | None,
    theirs: bool,
    template_of: str | None,
    instruction: str,
) -> None:
    """Slice over settings over benchmark over ours; theirs is taken whole."""
    made = asked(light, theirs=theirs, own=own and template(own))
    style = replace(SETTINGS, template=given and template(given)).on(made).style
    ours = DEFAULT_TEMPLATE
    assert style.template == (ours if template_of is None else template(template_of))
    assert style.instruction == instruction


@pytest.mark.parametrize("theirs", [False, True])
def test_an_instruction_of_ones_own_always_holds(light: Slice, theirs: bool) -> None:
    """It takes the place that a template, whosever it is, has for it."""
    made = asked(light, theirs=theirs)
    settings = replace(SETTINGS, instruction="Letter:").on(made)
    assert settings.style.instruction == "Letter:"


def test_an_instruction_without_a_place_is_refused(light: Slice) -> None:
    """What would never be shown must not seem to be set."""
    made = replace(light, template="{{ question }} " + LOOP)
    with pytest.raises(ConfigError, match="no place for the instruction 'Letter:'"):
        replace(SETTINGS, instruction="Letter:").on(made)
    assert SETTINGS.on(made).style.template == made.template


def test_a_template_that_some_question_does_not_fit_is_found_first(
    light: Slice,
) -> None:
    """Before a video is opened or a model asked, with the question's name."""
    picky = "{{ question }} {% for o in options if 'q4' not in question %}"
    made = replace(light, template=picky + "{{ o.label }} {{ o.text }} {% endfor %}")
    backend = model()
    with pytest.raises(ConfigError, match="question 'q4'"):
        evaluate(made, backend, ["original"], SETTINGS)
    assert backend.calls == 0


def seen_by(light: Slice) -> dict[str, set[str]]:
    """Return the prompts that each question was asked with."""
    seen: dict[str, set[str]] = {}

    def note(prompt: Prompt, clip: Clip | None) -> dict[str, float]:
        seen.setdefault(prompt.text.partition("(")[2][:2], set()).add(prompt.text)
        return look(prompt, clip)

    evaluate(light, model(answer=note), [*LADDER, "text_only"], SETTINGS)
    return seen


@pytest.mark.parametrize("own", [None, template("mine")])
def test_the_same_text_under_every_condition(light: Slice, own: str | None) -> None:
    """A prompt that knew the condition would give the answer away."""
    seen = seen_by(replace(light, template=own))
    assert len(seen) == len(light)
    assert {len(texts) for texts in seen.values()} == {1}
    begins = "Is there light" if own is None else "mine: Is there light"
    assert all(text.startswith(begins) for texts in seen.values() for text in texts)


def test_our_template_leaves_fingerprints_as_they_were() -> None:
    """Committed baselines know no field ``template``, and this instruction."""
    comparable = SETTINGS.comparable()
    assert "template" not in comparable
    assert comparable["instruction"] == "ab48b8bd41cfacba"


def test_another_template_is_no_comparison(light: Slice) -> None:
    """The fingerprint of a run tells its template, wherever it came from."""
    backend = model()
    plain, own = (
        evaluate(each, backend, ["original"], SETTINGS)
        for each in (light, replace(light, template=template("mine")))
    )
    (difference,) = own.fingerprint.differences(plain.fingerprint)
    assert difference.startswith("template: ")
    assert difference.endswith(", was None")


@pytest.mark.parametrize(
    "change",
    [
        lambda light: replace(light, template=template("mine")),
        lambda light: replace(light, benchmark=replace(light.benchmark, prompt=THEIRS)),
    ],
)
def test_answers_to_other_words_are_not_reused(
    light: Slice, store: CellStore, change: Callable[[Slice], Slice]
) -> None:
    """Another template asks anew; the same one does not."""
    backend = model()
    for made, calls in ((light, 5), (change(light), 10), (change(light), 10)):
        evaluate(made, backend, ["original"], SETTINGS, store=store)
        assert backend.calls == calls
