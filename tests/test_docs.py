"""The pages of ``docs/`` name what the code knows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg._commands import baseline
from pytest_vdg.backends.openai_server import ServerSettings
from pytest_vdg.benchmarks.registry import benchmark_names, find_loader
from pytest_vdg.benchmarks.source import Published
from pytest_vdg.cli import COMMANDS
from pytest_vdg.config.file import KEYS, load_config
from pytest_vdg.config.kinds import CLAIM, RAY, SERVER, SLICE
from pytest_vdg.config.switches import OUTPUTS, SWITCHES, Switch
from pytest_vdg.logs.registry import FORMATS
from pytest_vdg.sessions.baseline_criteria import loosened
from pytest_vdg.store.criteria import Criterion
from tests.reports.build import REGRESSION

ROOT = Path(__file__).parents[1]


def page(name: str) -> str:
    """Return the text of a page."""
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("key", sorted(KEYS))
def test_every_key_of_the_file_is_described(key: str) -> None:
    """A key that people may write is found on the page of configuration."""
    assert f"`{key}`" in page("docs/configuration.md")


@pytest.mark.parametrize(
    "switch", [*SWITCHES, *OUTPUTS], ids=lambda switch: switch.name
)
def test_every_option_is_described(switch: Switch) -> None:
    """Each option stands there by its key, starred, or by its own name."""
    text = page("docs/configuration.md")
    assert f"`{switch.name}`*" in text or switch.option in text


@pytest.mark.parametrize("key", sorted(SLICE))
def test_every_key_of_a_slice_is_described(key: str) -> None:
    """A key of a slice is found on the page of slices."""
    assert f"`{key}`" in page("docs/slices.md")


@pytest.mark.parametrize("key", sorted(SERVER))
def test_every_key_of_a_server_is_described(key: str) -> None:
    """A key of a server is found on the page of servers, and is a setting of it."""
    assert f"`{key}`" in page("docs/servers.md")
    assert key in ServerSettings.__dataclass_fields__


@pytest.mark.parametrize("key", sorted(RAY))
def test_every_key_of_a_cluster_is_described(key: str) -> None:
    """A key of a cluster is found on the page of scale."""
    assert f"`{key}`" in page("docs/scale.md")


def test_the_server_of_the_page_can_be_asked(tmp_path: Path) -> None:
    """The example is read without an error, and so is each field of a request."""
    text = page("docs/servers.md")
    example = text.partition("```yaml\n")[2].partition("```")[0]
    (tmp_path / "vdg.yaml").write_text(example, encoding="utf-8")
    config = load_config(tmp_path / "vdg.yaml")
    assert ServerSettings.of(config.checkpoint, config.server).host == "localhost:8000"
    found = re.findall(r"`request:\s+(\{.*?\})`", text, re.DOTALL)
    assert len(found) == 3
    for request in found:
        (tmp_path / "vdg.yaml").write_text(f"server: {{request: {request}}}")
        server = load_config(tmp_path / "vdg.yaml").server or {}
        assert ServerSettings.of("m", {"url": "http://localhost/v1", **server}).extra


@pytest.mark.parametrize("key", sorted(CLAIM))
def test_every_key_of_a_claim_is_described(key: str) -> None:
    """A key of a claim that is no argument is found where claims are."""
    _, _, after = page("docs/configuration.md").partition("## Claims")
    assert f"`{key}`" in after


def test_the_claims_of_the_page_can_be_written(tmp_path: Path) -> None:
    """The example is read without an error."""
    _, _, after = page("docs/configuration.md").partition("## Claims")
    example = after.partition("```yaml\n")[2].partition("```")[0]
    (tmp_path / "vdg.yaml").write_text(example, encoding="utf-8")
    claims = load_config(tmp_path / "vdg.yaml").claims
    assert list(claims) == ["sees", "order", "kept"]


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


def test_commands_for_baselines_are_described() -> None:
    """The page shows each of them, and none that there is not."""
    shown = set(re.findall(r"vdg baseline (\w+)", page("docs/baselines.md")))
    assert shown == {name for name in baseline.app if not name.startswith("-")}


@pytest.mark.parametrize("name", sorted(p.name for p in (ROOT / "docs").glob("*.md")))
def test_options_on_a_page_exist(name: str) -> None:
    """What people copy from a page, pytest takes."""
    own = {"--vdg-update-baseline", "--vdg-dry-run"}
    known = {switch.option for switch in (*SWITCHES, *OUTPUTS)} | own
    used = set(re.findall(r"--vdg-[a-z-]*[a-z]", page(f"docs/{name}")))
    assert used <= known


def test_what_the_page_says_of_a_loosened_margin_is_what_is_shown() -> None:
    """The line is made by the code that shows it, from the marker above it."""
    text = page("docs/baselines.md")
    (why,) = re.findall(r'loosened="([^"]*)"', text)
    claim, measure = "assert_no_dissociation_regression", "VDG change"
    finding = replace(REGRESSION, bound=-0.08, slice_name="sight")
    before = Criterion(claim=claim, measure=measure, margin=0.05)
    (line,) = loosened([finding], [before], why).lines
    assert f"vdg: loosened: {line}\n" in text
