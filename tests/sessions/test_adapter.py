"""A session with an adapter: what it is compared with, what is recorded and told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_vdg.config.file import load_config
from pytest_vdg.config.resolve import file_voice, resolve
from pytest_vdg.config.settings import Settings
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.compared import compared_with
from pytest_vdg.sessions.session import VdgSession
from tests.backends.adapters import build_adapter

pytest.importorskip("peft")

GROUNDED = Path(__file__).parents[2] / "example_suite" / "checkpoints" / "grounded"
ASK = Ask(slice="sight", questions=4, conditions=("original", "black"))


def settings(folder: Path, text: str) -> Settings:
    """Return what a ``vdg.yaml`` of *text* in *folder* says."""
    path = folder / "vdg.yaml"
    path.write_text(f"device: cpu\nthreads: 1\ndecode_workers: 0\n{text}")
    config = load_config(path)
    return resolve([file_voice(config, folder)], base=folder, config=config)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[VdgSession]:
    """Return a session about an adapter of `grounded`, compared with that itself."""
    build_adapter(GROUNDED, tmp_path / "step-200")
    text = f"checkpoint: step-200\nbase: {GROUNDED}\ncompare_to: {GROUNDED}\n"
    made = VdgSession(settings(tmp_path, text))
    yield made
    made.close()


def test_an_adapter_is_compared_with_its_base(session: VdgSession) -> None:
    """Both are asked with one ``base`` in the file, and are comparable."""
    run, other = session.run(ASK), session.run_other(ASK)
    assert (run.checkpoint, other.checkpoint) == ("step-200", "grounded")
    now, then = run.fingerprint, other.fingerprint
    assert now.subject["base"] == then.subject["weights"] != now.subject["weights"]
    assert now.informative["base"] == "grounded"
    assert "base" not in then.informative
    assert compared_with(run, other).cells.keys() == run.cells.keys()
    replies = [
        [cell.probabilities for cell in each.cells.values()] for each in (run, other)
    ]
    assert replies[0] != replies[1]


def test_the_adapters_answers_are_its_own(session: VdgSession, tmp_path: Path) -> None:
    """Kept answers are used again by the same adapter, and by no other one."""
    session.run(ASK)
    assert (session.asked, session.cached) == (8, 0)
    again = VdgSession(session.settings)
    again.run(ASK)
    assert (again.asked, again.cached) == (0, 8)
    again.close()
    build_adapter(GROUNDED, tmp_path / "step-200", r=2)
    other = VdgSession(session.settings)
    other.run(ASK)
    assert (other.asked, other.cached) == (8, 0)
    other.close()
