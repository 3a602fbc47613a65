"""A session that uses none of us: nothing imported, written or printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugin.conftest import INSTALLED, ROOT, Project

HEAVY = {"torch", "transformers", "numpy", "scipy", "decord", "av", "yaml"}
PLAIN = "def test_plain():\n    assert True\n"


def _modules_after(code: str) -> set[str]:
    """Return the heavy packages that *code* imports in a fresh interpreter."""
    script = f"{code}\nimport sys\nprint('|'.join(sys.modules))"
    output = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    ).stdout
    return HEAVY & set(output.splitlines()[-1].split("|"))


@pytest.mark.parametrize(
    "module", ["pytest_vdg", "pytest_vdg.plugin", "pytest_vdg.cli"]
)
def test_being_installed_costs_no_heavy_import(module: str) -> None:
    """Every pytest run beside us imports the plugin; it must not pay for ours."""
    assert _modules_after(f"import {module}") == set()


def test_a_session_without_us_imports_nothing_heavy(tmp_path: Path) -> None:
    """Collecting and running other people's tests imports no heavy package."""
    (tmp_path / "test_plain.py").write_text(PLAIN, encoding="utf-8")
    (tmp_path / "vdg.yaml").write_text("checkpoint: nowhere/at/all\n", encoding="utf-8")
    plugin = [] if INSTALLED else ["-p", "pytest_vdg.plugin"]
    arguments = ["-q", "-p", "no:cacheprovider", *plugin, str(tmp_path)]
    run = f"import pytest\nassert pytest.main({arguments!r}) == 0"
    assert _modules_after(run) == set()


@pytest.mark.parametrize(
    "extra",
    [
        (),
        ("-W", "error"),
        ("-p", "no:cacheprovider"),
        ("-p", "no:terminal"),
        ("-p", "no:xdist"),
        ("-p", "no:capture"),
        ("-p", "no:junitxml"),
        ("-n", "2"),
    ],
    ids=" ".join,
)
def test_a_run_without_us_is_left_alone(
    project: Project, extra: tuple[str, ...]
) -> None:
    """No line of ours is in the output, and no file in the folder."""
    project.suite(PLAIN)
    before = project.files()
    result = project.run(*extra)
    assert result.ret == pytest.ExitCode.OK
    told = [line for line in result.outlines if not line.startswith("plugins: ")]
    assert "vdg" not in "\n".join(told).replace(str(project.path), "")
    assert "vdg" not in result.stderr.str()
    assert project.files() == before


@pytest.mark.parametrize(
    "extra",
    [
        ("-W", "error"),
        ("-p", "no:cacheprovider"),
        ("-p", "no:terminal"),
        ("-p", "no:xdist"),
        ("-s",),
    ],
    ids=" ".join,
)
def test_our_own_tests_run_in_any_setting(
    project: Project, extra: tuple[str, ...]
) -> None:
    """What others switch off, we do not need."""
    result = project.with_model("--strict-markers", *extra)
    assert result.ret == pytest.ExitCode.OK
    assert project.loaded() == ["any"]


def test_what_is_set_for_others_does_not_concern_us(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong variable or file is an error only where a test of ours is selected."""
    monkeypatch.setenv("VDG_CHECKPOINT", "./gone")
    monkeypatch.setenv("VDG_SEED", "many")
    (project.path / "vdg.yaml").write_text("conditionz: 8\n", encoding="utf-8")
    project.suite(PLAIN)
    assert project.run().ret == pytest.ExitCode.OK
    project.suite()
    assert project.run().ret == pytest.ExitCode.USAGE_ERROR


def test_all_names_carry_our_prefix(project: Project) -> None:
    """Options, ini keys, markers and fixtures leave the common names to others."""
    project.pytester.makeconftest(
        "def pytest_addoption(parser):\n"
        "    for name in ('model', 'baseline', 'update-baseline', 'seed', 'device'):\n"
        "        parser.addoption('--' + name)\n"
        "        parser.addini(name.replace('-', '_'), 'theirs')\n"
    )
    project.suite(PLAIN)
    assert project.run("--seed", "1").ret == pytest.ExitCode.OK
    listed = project.run("--fixtures", "-q").stdout.str()
    ours = [
        line.split()[0]
        for line in listed.splitlines()
        if "pytest_vdg/fixtures" in line and line[0].isalpha()
    ]
    assert sorted(ours) == ["vdg", "vdg_baseline", "vdg_model", "vdg_run", "vdg_slice"]


def test_the_marker_is_registered(project: Project) -> None:
    """``pytest --markers`` tells what the marker takes."""
    project.run("--markers").stdout.fnmatch_lines(["@pytest.mark.vdg(slice=*"])
