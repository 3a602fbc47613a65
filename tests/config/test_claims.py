"""Claims as they are written: checked by the assertions' own signatures."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pytest_vdg
from pytest_vdg.config.claims import ClaimSpec, make_claim, typed_claim
from pytest_vdg.config.file import load_config
from pytest_vdg.config.kinds import CLAIM
from pytest_vdg.errors import ConfigError

NAMES = sorted(
    name.removeprefix("assert_")
    for name in pytest_vdg.__all__
    if name.startswith("assert_")
)
VALUES: dict[str, Any] = {
    "floor": 0.1,
    "ceiling": 0.2,
    "margin": 0.05,
    "accuracy_margin": 0.02,
    "vdg_margin": 0.05,
    "confidence": 0.9,
    "condition": "reversed",
    "against": "black",
    "shuffled": "shuffled:blocks",
    "treated": "single_frame",
    "rungs": ["black", "original"],
    "task": ["order", "colour"],
    "per_task": True,
    "missing": "wrong",
    "evidence": "estimate",
    "frames": 8,
}
"""A value of each argument that some assertion has."""


def arguments(name: str) -> Iterator[str]:
    """Yield what the assertion *name* takes besides its runs."""
    function = getattr(pytest_vdg, f"assert_{name}")
    for argument in inspect.signature(function).parameters:
        if argument not in ("run", "baseline") and argument not in CLAIM:
            yield argument


PAIRS = [(name, argument) for name in NAMES for argument in arguments(name)]


def required(name: str) -> dict[str, Any]:
    """Return values of what the assertion *name* cannot do without."""
    function = getattr(pytest_vdg, f"assert_{name}")
    parameters = inspect.signature(function).parameters
    needed = (n for n in arguments(name) if parameters[n].default is inspect._empty)
    return {argument: VALUES[argument] for argument in needed}


def refused(values: dict[str, Any]) -> str:
    """Return why *values* are no claim."""
    with pytest.raises(ConfigError) as caught:
        make_claim(values)
    return str(caught.value)


@pytest.mark.parametrize(("name", "argument"), PAIRS)
def test_every_argument_of_every_assertion_can_be_written(
    name: str, argument: str
) -> None:
    """In the file and on the command line, and both say the same."""
    value = VALUES[argument]
    values = {"assert": name, **required(name), argument: value}
    spec = make_claim(values)
    wanted = tuple(value) if isinstance(value, list) else value
    assert spec.arguments[argument] == wanted
    assert type(spec.arguments[argument]) is type(wanted)
    words = [
        f"{k}={','.join(v) if isinstance(v, list) else v}" for k, v in values.items()
    ]
    assert typed_claim(" ".join([name, *words[1:]]).replace("True", "true")) == spec


@pytest.mark.parametrize(("name", "argument"), PAIRS)
def test_a_value_of_another_type_is_refused(name: str, argument: str) -> None:
    """No argument takes a mapping, and the error says what it takes."""
    said = refused({"assert": name, **required(name), argument: {"a": 1}})
    assert f"'claim.{argument}' must be " in said
    assert "got the mapping" in said


def test_a_number_in_quotes_is_no_number() -> None:
    """A value keeps the type that it was written in."""
    said = refused({"assert": "vdg_above", "floor": "0.1"})
    assert said == (
        "'claim.floor' must be a number, got the text '0.1'. Write: floor: 0.1"
    )


def test_a_switch_is_no_number() -> None:
    """To Python true is one."""
    assert "must be a number, got the switch true" in refused(
        {"assert": "vdg_above", "floor": True}
    )
    assert "must be true or false, got the number 1" in refused(
        {"assert": "vdg_above", "floor": 0.1, "per_task": 1}
    )


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"assert": "vdg_abov"}, "no assertion 'vdg_abov'. Did you mean 'vdg_above'?"),
        (
            {"assert": "assert_vdg_above"},
            "no assertion 'assert_vdg_above'. Did you mean 'vdg_above'?",
        ),
        (
            {"assert": "vdg_above", "floors": 1},
            "no argument 'floors', and a claim no such key. Did you mean 'floor'?",
        ),
        ({"assert": "vdg_above", "run": "x"}, "has no argument 'run'"),
        (
            {"assert": "temporal_delta", "baseline": "x"},
            "it is the committed one, or the checkpoint of --compare-to",
        ),
        ({"assert": "vdg_above"}, "assert_vdg_above needs 'floor'"),
        ({"floor": 0.1}, "does not say what is claimed"),
        (
            {"assert": "vdg_above", "floor": 0.1, "evidence": "bounds"},
            "must be 'bound' or 'estimate', got the text 'bounds'",
        ),
        ({"assert": "vdg_above", "floor": 0.1, "tasks": []}, "a task or a list"),
        ({"assert": "vdg_above", "floor": 0.1, "loosened": " "}, "the reason"),
        ({"assert": "vdg_above", "floor": None}, "Give a value or remove the line"),
    ],
)
def test_what_is_wrong_is_said(values: dict[str, Any], said: str) -> None:
    """What came, what was probably meant, what to type."""
    assert said in refused(values)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("claims: [a]", 1, "'claims' must be a mapping"),
        ("claims:\n  sees: vdg_above", 2, "'claims.sees' must be a mapping, e.g. "),
        ("claims:\n  sees: {floor: 1}", 2, "'claims.sees' does not say"),
        ("claims:\n  sees:\n    assert: vdg", 3, "claims.sees: there is no assertion"),
        (
            "claims:\n  sees:\n    assert: vdg_above\n    floor: a",
            4,
            "'claims.sees.floor' must be a number, got the text 'a'",
        ),
        ("claims:\n  sees:\n    assert: vdg_above", 2, "needs 'floor'"),
    ],
)
def test_the_line_is_named(tmp_path: Path, text: str, line: int, said: str) -> None:
    """An error in the file begins with the file and the line."""
    path = tmp_path / "vdg.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert str(caught.value).startswith(f"{path}:{line}: {said}") or (
        str(caught.value).startswith(f"{path}:{line}: ") and said in str(caught.value)
    )


def test_a_claim_knows_where_it_stands(tmp_path: Path) -> None:
    """For annotations, and for errors that only judging finds."""
    path = tmp_path / "vdg.yaml"
    path.write_text("seed: 1\nclaims:\n  a: {assert: coverage}\n", encoding="utf-8")
    spec = load_config(path).claims["a"]
    assert (spec.path, spec.line, spec.where) == (path, 3, f"{path}:3: ")


@pytest.mark.parametrize("name", NAMES)
def test_a_claim_as_text_is_the_claim(name: str) -> None:
    """What is shown of a claim can be typed, and means the same."""
    values = {n: VALUES[n] for n in arguments(name)}
    marked = {"slice": "a-b", "tasks": ["x y", "z"], "loosened": "it's, so"}
    spec = make_claim({"assert": name, **marked, **values})
    assert typed_claim(spec.text) == spec


def test_what_asks_for_a_baseline() -> None:
    """What needs one, and what can be claimed both ways where it has no floor."""
    assert make_claim({"assert": "no_dissociation_regression"}).compares
    assert make_claim({"assert": "equivalent"}).compares
    assert make_claim({"assert": "temporal_delta"}).compares
    assert not make_claim({"assert": "temporal_delta", "floor": 0.1}).compares
    assert not make_claim({"assert": "vdg_above", "floor": 0.1}).compares


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must begin with an assertion"),
        ("slice=sight floor=0.1", "must begin with an assertion"),
        ("vdg_above floor", "'floor' is no NAME=VALUE"),
        ("vdg_above floor=0.1 floor=0.2", "'floor' is given twice"),
        ("vdg_above floor='0.1", "No closing quotation"),
        ("vdg_above floor=much", "must be a number, got the text 'much'"),
        ("vdg_above floor=0.1 questions=0", "a whole number above 0"),
    ],
)
def test_a_typed_claim_that_is_none_is_refused(text: str, said: str) -> None:
    """The error begins with what was typed."""
    with pytest.raises(ConfigError) as caught:
        typed_claim(text)
    assert str(caught.value).startswith(f"--claim {text!r}: ")
    assert said in str(caught.value)


@given(
    floor=st.floats(-1, 1),
    tasks=st.lists(st.from_regex(r"[a-z]{1,5}", fullmatch=True), min_size=1),
)
def test_a_typed_claim_says_what_was_meant(floor: float, tasks: list[str]) -> None:
    """Numbers and names come through as they would from the file."""
    shown = f"{floor:.12f}"
    spec = typed_claim(f"vdg_above floor={shown} tasks={','.join(tasks)}")
    assert spec == ClaimSpec(
        assertion="vdg_above", arguments={"floor": float(shown)}, tasks=tuple(tasks)
    )
