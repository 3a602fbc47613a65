"""Weights quantised as they are loaded: named exactly, refused in time, no worse."""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.backends.text_lm import TextLmBackend
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.benchmarks.sight import load_sight
from pytest_vdg.benchmarks.slices import take
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.errors import BackendUnavailable, ConfigError
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.runs import Outcome, Run
from tests.backends.conftest import MakeBackend
from tests.backends.subject import ROUNDING, apart, good
from tests.backends.test_sharing import requests
from tests.backends.tinymodel import edit_json
from tests.backends.tinytext import build_text_model

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("bitsandbytes")

GROUNDED = Path(__file__).parents[2] / "example_suite" / "checkpoints" / "grounded"
EIGHT = RunSettings(sampling=Sampling(frames=8), decode_workers=0)
FORMS: tuple[dict[str, Any], ...] = (
    {"dtype": "bfloat16"},
    {"dtype": "float16"},
    {"quantisation": "nf4"},
    {"quantisation": "nf4", "dtype": "bfloat16"},
    {"quantisation": "int8", "dtype": "bfloat16"},
)


@cache
def answers(**form: Any) -> Run:  # noqa: ANN401
    """Return what the checkpoint that sees answers in a form."""
    settings = TransformersSettings(
        checkpoint=GROUNDED, device="cpu", threads=1, **form
    )
    model = TransformersBackend(settings)
    try:
        asked = take(load_sight(), questions=60, name="sight-60")
        return evaluate(asked, model, ("original", "black"), EIGHT)
    finally:
        model.close()


@pytest.mark.parametrize(
    "form", FORMS, ids=lambda form: "-".join(str(value) for value in form.values())
)
def test_a_form_changes_no_answer_of_a_model_that_sees(form: dict[str, Any]) -> None:
    """As in float32, each question under each condition, the black one too."""
    found, expected = answers(**form), answers()
    assert _choices(found) == _choices(expected)
    seen = [cell for cell in found.cells.values() if cell.condition == "original"]
    assert {cell.outcome for cell in seen} == {Outcome.CORRECT}


def _choices(run: Run) -> dict[tuple[str, str], str | None]:
    return {key: cell.choice for key, cell in run.cells.items()}


def test_the_form_is_named_exactly(backend: MakeBackend) -> None:
    """Method, blocks, double quantisation, dtype of the passes; and whose it is."""
    named = {
        form: backend(GROUNDED, quantisation=form).identity for form in ("nf4", "int8")
    }
    assert named["nf4"].environment["quantisation"] == (
        "bitsandbytes NF4, blocks of 64, double quantisation, computed in float32; "
        "output layer as stored"
    )
    assert named["int8"].environment["quantisation"] == (
        "bitsandbytes LLM.int8(), outliers above 6.0; output layer as stored"
    )
    assert "bitsandbytes" in named["nf4"].versions
    plain = backend(GROUNDED).identity
    assert plain.environment["quantisation"] == "none"
    assert "bitsandbytes" not in plain.versions  # its version is of no matter here


def test_what_was_said_of_the_form_is_what_was_done(backend: MakeBackend) -> None:
    """The layers of the loaded model are in that form, and the output layer is not."""
    import bitsandbytes

    model = backend(GROUNDED, quantisation="nf4", dtype="bfloat16")
    model.load()
    assert model._asking is not None
    modules: Any = dict(model._asking.loaded.model.named_modules())
    layer = modules["model.language_model.layers.0.self_attn.q_proj"]
    assert isinstance(layer, bitsandbytes.nn.Linear4bit)
    state = layer.weight.quant_state
    assert (state.quant_type, state.blocksize, layer.compute_dtype) == (
        "nf4",
        64,
        torch.bfloat16,
    )
    assert type(modules["lm_head"]) is torch.nn.Linear


def test_layers_without_whole_blocks_stay_as_stored(
    checkpoint: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """On a processor bitsandbytes fails on them; the others are quantised."""
    model = backend(checkpoint, quantisation="nf4")
    assert model.ask(prompt, None).probabilities
    assert model._place is not None
    assert "lm_head" in (model._place.kept or ())
    assert backend(GROUNDED, quantisation="int8").memory.weights


def test_whole_numbers_are_never_read_together(
    checkpoint: Path, backend: MakeBackend
) -> None:
    """int8 decides by all rows what an outlier is: each prompt is read alone.

    In float32 a trial would notice, in bfloat16 it takes that for rounding.
    """
    model = backend(checkpoint, quantisation="int8", dtype="bfloat16")
    asked = requests()
    together = good(model.ask_many(asked))
    assert model.sharing.startswith("shares nothing: int8 treats outliers")
    alone = [good(model.ask_many([each]))[0] for each in asked]
    assert (
        max(apart(one, other) for one, other in zip(together, alone, strict=True)) == 0
    )


def test_half_bytes_share_what_they_have_in_common(backend: MakeBackend) -> None:
    """NF4 weights are fixed numbers: the trial decides, and answers are the same."""
    model = backend(GROUNDED, quantisation="nf4")
    plain = backend(GROUNDED, quantisation="nf4", share_prefixes=False)
    asked = requests()
    shared = good(model.ask_many(asked))
    expected = good(plain.ask_many(asked))
    assert (
        max(apart(a, b) for a, b in zip(shared, expected, strict=True)) < 100 * ROUNDING
    )


def test_weights_are_not_quantised_twice(own: Path, backend: MakeBackend) -> None:
    """A checkpoint that was saved quantised is asked as it is, or not at all."""
    config = json.loads((own / "config.json").read_text())
    config["quantization_config"] = {"quant_method": "awq", "bits": 4}
    (own / "config.json").write_text(json.dumps(config))
    with pytest.raises(ConfigError, match=r"is quantised already .*awq.*\n.*Leave"):
        backend(own, quantisation="nf4")


def test_what_is_needed_must_be_installed(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said when the backend is made, with what to type; others do not need it."""
    real = importlib.util.find_spec

    def without(name: str) -> Any:  # noqa: ANN401
        return None if name == "bitsandbytes" else real(name)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    assert TransformersBackend(TransformersSettings(checkpoint=checkpoint))
    chosen = TransformersSettings(checkpoint=checkpoint, quantisation="nf4")
    with pytest.raises(BackendUnavailable, match=r"pytest-vdg\[quantised\]"):
        TransformersBackend(chosen)


def test_language_models_are_quantised_too(tmp_path: Path, prompt: Prompt) -> None:
    """Their backend takes the same settings, and says as much of memory."""
    folder = build_text_model(tmp_path, family="llama")
    settings = TransformersSettings(
        checkpoint=folder, device="cpu", quantisation="int8"
    )
    model = TextLmBackend(settings)
    assert model.memory_told().startswith("weights ")
    assert model.ask(prompt, None).probabilities
    assert model.identity.environment["quantisation"].startswith("bitsandbytes LLM")


@pytest.mark.parametrize(
    ("device", "asked", "dtype"),
    [
        ("cpu", "auto", "float32"),
        ("cuda", "auto", "bfloat16"),
        ("cuda", "float16", "float16"),
    ],
)
def test_float32_is_no_dtype_to_compute_in_on_a_gpu(
    checkpoint: Path, device: str, asked: str, dtype: str
) -> None:
    """Unless it is asked for; what is not quantised keeps the checkpoint's dtype."""
    how: dict[str, Any] = {"checkpoint": checkpoint, "device": device, "dtype": asked}
    settings = TransformersSettings(quantisation="nf4", **how)
    assert TransformersBackend(settings).identity.environment["dtype"] == dtype
    plain = TransformersBackend(TransformersSettings(**how))
    own = "float32" if asked == "auto" else asked
    assert plain.identity.environment["dtype"] == own


def test_no_weights_are_quantised_from_float64(own: Path, backend: MakeBackend) -> None:
    """Bitsandbytes takes none; they are read as float32 first, as on any machine."""
    edit_json(own / "config.json", dtype="float64")
    assert backend(own).identity.environment["dtype"] == "float64"
    for method in ("nf4", "int8"):
        model = backend(own, quantisation=method)
        assert model.identity.environment["dtype"] == "float32"


def test_what_is_said_of_each_layer_is_not_told(
    backend: MakeBackend, caplog: pytest.LogCaptureFixture
) -> None:
    """Bitsandbytes says for each layer of each pass that it casts its inputs."""
    model = backend(GROUNDED, quantisation="int8")
    model.ask_many(requests(videos=1))
    assert "inputs will be cast" not in caplog.text
