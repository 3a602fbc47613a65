"""YAML as a configuration needs it: every fault with its line, nothing converted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.config.file import load_config
from pytest_vdg.config.strict_yaml import read_yaml
from pytest_vdg.errors import ConfigError
from tests.config.written import refused, write


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "a: !!python/object/apply:os.system ['touch pwned']",
            ":1: not allowed here: tag",
        ),
        ("seed: 1\ndevice: !mine cpu", ":2: not allowed here: tag '!mine'"),
        ("trust_remote_code: !!bool yes", ":1: not allowed here: tag"),
        ("seed: 1\nseed: 2", ":2: key 'seed' stands twice (first in line 1)"),
        ("slices:\n  a: {seed: 1, seed: 2}", ":2: key 'seed' stands twice"),
        ("slices: &x {a: *x}", ":1: not allowed here: alias *x"),
        ("slices: {true: {}}", ":1: a key must be a name, got bool 'true'. Quote it"),
        ("? [a, b]\n: 1", ":1: a key must be a name"),
        ("seed: [", ":1: "),
        ("seed: 1\n\tdevice: cpu", ":2: "),
        ("a: 1\n--- \nb: 2", ":2: "),
        ("- a", " must hold 'key: value' lines"),
        ("just a text", " must hold 'key: value' lines, got a str"),
        ("a: " + "[" * 5000, ":1: not allowed here: nesting deeper than 20"),
        (b"seed: \xff\xfe", " is not YAML text"),
        (b"seed: 1\x00", " is not YAML text"),
        ("#" * (1 << 20) + "\n", " is larger than 1 MiB"),
    ],
)
def test_what_a_configuration_has_no_use_for_is_refused(
    tmp_path: Path, text: str | bytes, told: str
) -> None:
    """Tags, aliases, doubled keys and broken text are errors with the line."""
    assert refused(tmp_path, text).startswith(told)


def test_no_tag_runs_anything(tmp_path: Path) -> None:
    """A file can make no object and start no program."""
    marker = tmp_path / "pwned"
    refused(tmp_path, f"a: !!python/object/apply:os.system ['touch {marker}']")
    assert not marker.exists()


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Missing and unreadable are said with the path."""
    with pytest.raises(ConfigError, match=r"gone\.yaml cannot be read: No such file"):
        load_config(tmp_path / "gone.yaml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path)


@given(
    st.sampled_from(
        ["no", "No", "on", "off", "y", "1e", "0x10", "2026-01-01", "=", "<<"]
    )
)
def test_what_yaml_1_1_converts_stays_a_text(text: str) -> None:
    """YAML 1.2 knows only true and false; dates, bases and merges are texts."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        document = read_yaml(write(Path(folder), f"a: [{text}]\n"))
    assert document.values == {"a": [text]}


@given(
    st.dictionaries(
        st.text(st.characters(codec="ascii", categories=["L"]), min_size=1).filter(
            lambda key: key.lower() not in ("true", "false", "null")
        ),
        st.one_of(
            st.booleans(),
            st.integers(-(10**20), 10**20),
            st.text(st.characters(codec="utf-8", exclude_categories=["C"])),
        ),
        max_size=4,
    )
)
def test_what_json_writes_is_read_back(values: dict[str, object]) -> None:
    """Every value keeps its type and itself."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), json.dumps(values))
        assert read_yaml(path).values == values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-7", -7),
        ("+7", 7),
        ("1.50", 1.5),
        ("-.5", -0.5),
        ("1e3", 1000.0),
        ("2.", 2.0),
        ("TRUE", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("007", "007"),
        ("1.2.3", "1.2.3"),
        ("tRUE", "tRUE"),
        (".inf", ".inf"),
        ("9" * 30, int("9" * 30)),
        ("9" * 31, "9" * 31),
    ],
)
def test_plain_values_are_those_of_yaml_1_2(
    tmp_path: Path, text: str, value: object
) -> None:
    """The core schema's booleans, numbers and nulls (YAML 1.2.2, 10.3.2)."""
    found = read_yaml(write(tmp_path, f"a: {text}\n")).values["a"]
    assert found == value
    assert type(found) is type(value)
