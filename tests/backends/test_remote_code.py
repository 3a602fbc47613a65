"""Models that bring code of their own: run only where that is said, and recorded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.errors import ConfigError
from tests.backends.conftest import MakeBackend, make_clip
from tests.backends.tinymodel import edit_json, rewrite_weights

CONFIG = """
from transformers import Qwen2VLConfig

class OwnConfig(Qwen2VLConfig):
    model_type = "own_video"
"""
MODEL = """
from pathlib import Path
from transformers import Qwen2VLForConditionalGeneration
from .configuration_own import OwnConfig

Path({marker!r}).touch()

class OwnModel(Qwen2VLForConditionalGeneration):
    config_class = OwnConfig
"""


@pytest.fixture(autouse=True)
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep the copies that transformers makes of code out of the user's cache."""
    dynamic = pytest.importorskip("transformers.dynamic_module_utils")
    before = set(sys.modules)
    monkeypatch.setattr(dynamic, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in set(sys.modules) - before:
        if name.startswith("transformers_modules"):
            del sys.modules[name]


def with_code(own: Path, auto: str) -> Path:
    """Give a checkpoint code for its model, under an Auto class; return its mark."""
    marker = own / "ran"
    (own / "configuration_own.py").write_text(CONFIG)
    (own / "modeling_own.py").write_text(MODEL.format(marker=str(marker)))
    edit_json(
        own / "config.json",
        model_type="own_video",
        architectures=["OwnModel"],
        auto_map={
            "AutoConfig": "configuration_own.OwnConfig",
            auto: "modeling_own.OwnModel",
        },
    )
    rewrite_weights(own, lambda t: {_own_name(n): value for n, value in t.items()})
    return marker


def _own_name(name: str) -> str:
    """Return a weight's name as its class has it; files have it as of old."""
    if name.startswith("visual."):
        return f"model.{name}"
    return name.replace("model.", "model.language_model.", 1)


@pytest.mark.parametrize(
    "auto", ["AutoModelForImageTextToText", "AutoModelForCausalLM"]
)
def test_own_code_runs_where_it_is_trusted(
    checkpoint: Path, own: Path, backend: MakeBackend, prompt: Prompt, auto: str
) -> None:
    """It answers as the class that it copies, whichever Auto class knows it."""
    marker = with_code(own, auto)
    trusting = backend(own, trust_remote_code=True)
    assert trusting.identity.environment["trust_remote_code"] == "true"
    assert not marker.exists()
    reply = trusting.ask(prompt, make_clip())
    assert marker.exists()
    plain = backend(checkpoint).ask(prompt, make_clip())
    assert reply.input_digest == plain.input_digest
    assert reply.probabilities == pytest.approx(plain.probabilities, abs=1e-5)


def test_own_code_never_runs_unasked(own: Path, backend: MakeBackend) -> None:
    """The refusal names the file and what to set, before any code is read."""
    marker = with_code(own, "AutoModelForImageTextToText")
    with pytest.raises(ConfigError, match=r"config\.json.*\n.*trust_remote_code: true"):
        backend(own)
    assert not marker.exists()


def test_a_changed_line_of_its_code_is_another_environment(
    own: Path, backend: MakeBackend
) -> None:
    """Code can change any answer, so two versions of it are not compared."""
    with_code(own, "AutoModelForImageTextToText")
    before = backend(own, trust_remote_code=True).identity
    path = own / "modeling_own.py"
    path.write_text(path.read_text() + "\n# another line\n")
    after = backend(own, trust_remote_code=True).identity
    assert before.environment["processor"] != after.environment["processor"]
    assert before.subject == after.subject


def test_a_model_that_nobody_tested_is_asked_and_said(
    own: Path,
    backend: MakeBackend,
    prompt: Prompt,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A kind of model without an entry goes the common path, with a warning."""
    with_code(own, "AutoModelForImageTextToText")
    model = backend(own, trust_remote_code=True)
    assert model.ask(prompt, make_clip()).visual_tokens > 0
    assert "'own_video'" in caplog.text
    assert "never tested" in caplog.text
