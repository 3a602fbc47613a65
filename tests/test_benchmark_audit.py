"""The suite for benchmark teams: green on `sight`, red for what is planted.

Apart from the plugin's tests because real weights are loaded.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = Path(__file__).parents[1] / "example_suite"


def run(folder: Path, benchmark: str, *, model: bool = True) -> str:
    """Return what pytest says of the suite with *benchmark* in its ``vdg.yaml``."""
    parts = ("benchmark_audit", *(("checkpoints/grounded",) if model else ()))
    for name in parts:
        shutil.copytree(SUITE / name, folder / name)
    settings = folder / "benchmark_audit" / "vdg.yaml"
    text = settings.read_text(encoding="utf-8")
    assert "audited: {benchmark: sight}" in text
    assert "\ncheckpoint: ../checkpoints/grounded\n" in text
    text = text.replace("k: sight}", f"k: {benchmark}}}")
    if not model:
        text = text.replace("\ncheckpoint:", "\n# checkpoint:")
    settings.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "benchmark_audit"],
        check=False,
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
    )
    return done.stdout + done.stderr


@pytest.fixture(autouse=True)
def installed() -> None:
    """Skip where the model or the classifier cannot be had."""
    pytest.importorskip("transformers")
    pytest.importorskip("sklearn")


def test_it_is_green_on_sight(tmp_path: Path) -> None:
    """Nothing is found where nothing is."""
    text = run(tmp_path, "sight")
    assert "5 passed" in text, text


def test_it_is_red_for_what_is_planted(tmp_path: Path) -> None:
    """The key that prefers B, and the texts; not the model's blind gap or gain."""
    text = run(tmp_path, "sight-leaky")
    assert "2 failed, 2 passed, 1 skipped" in text, text
    assert "ABOVE CEILING key share of B - chance" in text
    for rule in ("named", "frequent label", "question words"):
        assert rule in text
    assert "longest" not in text


def test_what_needs_no_model_runs_without_one(tmp_path: Path) -> None:
    """Key and text are judged where there are no weights."""
    text = run(tmp_path, "sight", model=False)
    assert "2 passed, 3 skipped" in text, text
