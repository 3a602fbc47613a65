"""A real causal language model in a panel, by both scorings."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="a language model needs torch")
pytest.importorskip("transformers", reason="a language model needs transformers")

from pytest_vdg._commands._arguments import N, Where, settings_of
from pytest_vdg.errors import ConfigError
from pytest_vdg.sessions.panel import PanelAsk, run_panel
from tests.backends.tinytext import build_text_model


@pytest.mark.parametrize("scoring", ["choice", "option_text"])
def test_a_language_model_gives_its_part(tmp_path: Path, scoring: str) -> None:
    """By ``text-lm`` unless said otherwise, with a probability for each option."""
    (tmp_path / "lm").mkdir()
    folder = build_text_model(tmp_path / "lm")
    where = Where(scoring=scoring, device="cpu", questions=N("6"), no_cache=True)
    ask = PanelAsk(text_models=(str(folder),), slice="sight")
    found = run_panel(settings_of(where), ask)
    (model,) = found.members
    assert (model.name, model.kind) == ("lm", "text")
    assert model.weights
    labels = {q.id: q.labels for q in found.questions}
    for (question, condition), cell in model.run.cells.items():
        assert condition == "text_only"
        assert set(cell.probabilities or ()) == set(labels[question])
    assert model.run.fingerprint.comparable["scoring"] == scoring


def test_a_model_with_eyes_is_no_text_model() -> None:
    """It is told before any model of the panel is asked, with where it belongs."""
    checkpoints = Path(__file__).parents[2] / "example_suite" / "checkpoints"
    ask = PanelAsk(
        models=(str(checkpoints / "grounded"),),
        text_models=(str(checkpoints / "collapsed"),),
        slice="sight",
    )
    asked: list[str] = []
    with pytest.raises(ConfigError, match=r"--models, not --text-models"):
        run_panel(
            settings_of(Where(device="cpu", no_cache=True)),
            ask,
            progress=lambda name, _: asked.append(name),
        )
    assert asked == []
