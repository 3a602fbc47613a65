"""The pages of ``docs/`` name what the code knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg.benchmarks.registry import benchmark_names, find_loader
from pytest_vdg.benchmarks.source import Published
from pytest_vdg.cli import COMMANDS
from pytest_vdg.config.file import KEYS
from pytest_vdg.config.kinds import SLICE
from pytest_vdg.config.switches import SWITCHES, Switch
from pytest_vdg.logs.registry import FORMATS

ROOT = Path(__file__).parents[1]


def page(name: str) -> str:
    """Return the text of a page."""
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("key", sorted(KEYS))
def test_every_key_of_the_file_is_described(key: str) -> None:
    """A key that people may write is found on the page of configuration."""
    assert f"`{key}`" in page("docs/configuration.md")


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda switch: switch.name)
def test_every_option_is_described(switch: Switch) -> None:
    """Each option stands there by its key, starred, or by its own name."""
    text = page("docs/configuration.md")
    assert f"`{switch.name}`*" in text or switch.option in text


@pytest.mark.parametrize("key", sorted(SLICE))
def test_every_key_of_a_slice_is_described(key: str) -> None:
    """A key of a slice is found on the page of slices."""
    assert f"`{key}`" in page("docs/slices.md")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_log_format_is_described(name: str) -> None:
    """A format that ``vdg import`` reads is found on its page."""
    assert f"`{name}`" in page("docs/importing.md")


@pytest.mark.parametrize("name", [n for n in benchmark_names() if n != "plain"])
def test_every_benchmark_is_named_in_the_readme(name: str) -> None:
    """People look for their benchmark by the name that it is known by."""
    loader = find_loader(name)
    assert isinstance(loader, Published)
    known = loader.title.split(" (")[0].removesuffix("-v2")
    assert known in page("README.md") or loader.built_in


def test_every_command_is_named() -> None:
    """A command that exists is shown in the README or on a page of the docs."""
    text = page("README.md")
    text += "".join(page(str(p)) for p in sorted((ROOT / "docs").glob("*.md")))
    lacking = [
        n for n in COMMANDS if f"vdg {n}" not in text and f"pytest_vdg {n}" not in text
    ]
    assert not lacking
