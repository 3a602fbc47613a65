"""Memory told before a weight is read: of all families, in all forms."""

from __future__ import annotations

import gc
import importlib.util
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_vdg.backends._hf_adapter_files import AdapterFiles
from pytest_vdg.backends._hf_asked import SEEING, WRITING
from pytest_vdg.backends._hf_checks import open_checkpoint
from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.backends._hf_quantise import config as quantised_by
from pytest_vdg.backends._hf_quantise import quantised_bytes
from pytest_vdg.backends._hf_size import stored_bytes, work_bytes
from pytest_vdg.backends._hf_skeleton import skeleton_of
from tests.backends.families import TINY
from tests.backends.test_family_contract import require
from tests.backends.tinytext import FAMILIES as TEXTS
from tests.backends.tinytext import build_text_model

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

QWEN2_5_VL_7B = {
    "text_config": {
        "hidden_size": 3584,
        "intermediate_size": 18944,
        "num_hidden_layers": 28,
        "num_attention_heads": 28,
        "num_key_value_heads": 4,
        "vocab_size": 152064,
    },
    "vision_config": {
        "hidden_size": 1280,
        "intermediate_size": 3420,
        "spatial_merge_size": 2,
    },
}
"""Sizes of the published model, from its ``config.json``."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], CheckpointFiles]:
    """Return a function that gives the tiny checkpoint of a family, made once."""

    @cache
    def of(kind: str) -> CheckpointFiles:
        folder = TINY[kind].build(tmp_path_factory.mktemp(kind))
        return open_checkpoint(folder, allow_pickle=False, trust_remote_code=False)

    return of


def loaded(
    files: CheckpointFiles, dtype: str, method: str | None, auto: str = SEEING
) -> Any:  # noqa: ANN401 - transformers' own
    """Return the model as transformers itself loads it."""
    import transformers

    how: dict[str, Any] = {}
    if method is not None:
        how["quantization_config"] = quantised_by(method, dtype, None)
    make: Any = getattr(transformers, auto)
    return make.from_pretrained(files.folder, dtype=getattr(torch, dtype), **how)


def held(model: Any) -> int:  # noqa: ANN401 - transformers' own
    """Return what torch holds for *model*: what it counts, and scales it does not."""
    total: int = model.get_memory_footprint()
    for parameter in model.parameters():
        state = getattr(parameter, "quant_state", None)
        if state is not None:
            total += state.absmax.nbytes + state.state2.absmax.nbytes
        scales = getattr(parameter, "SCB", None)
        total += 0 if scales is None else scales.nbytes
    return total


@pytest.mark.parametrize("kind", TINY)
def test_weights_take_what_was_told(
    files: Callable[[str], CheckpointFiles], kind: str
) -> None:
    """Within 5 % in each dtype and quantised, for layers, experts and tables alike.

    Told for a GPU, so that no layer is left out for the processor's sake; which
    device holds the tensors changes nothing of their size.
    """
    require(kind)
    found = files(kind)
    for dtype in ("float32", "bfloat16"):
        assert stored_bytes(found, dtype) == pytest.approx(
            held(loaded(found, dtype, None)), rel=0.05
        )
    if importlib.util.find_spec("bitsandbytes") is None:
        pytest.skip("bitsandbytes is not installed")
    skeleton = skeleton_of(found, SEEING, "bfloat16")
    assert skeleton is not None
    for method in ("nf4", "int8"):
        told = skeleton.weights(method, "cuda")
        assert told == pytest.approx(held(loaded(found, "bfloat16", method)), rel=0.05)
    gc.collect()


@pytest.mark.parametrize("family", TEXTS)
def test_language_models_take_what_was_told(family: str, tmp_path: Path) -> None:
    """GPT-2's layers, too, which hold their weights the other way round."""
    pytest.importorskip("bitsandbytes")
    folder = build_text_model(tmp_path, family=family)
    found = CheckpointFiles(folder, (folder / "model.safetensors",), False, False)
    assert stored_bytes(found, "bfloat16") == pytest.approx(
        held(loaded(found, "bfloat16", None, WRITING)), rel=0.05
    )
    skeleton = skeleton_of(found, WRITING, "bfloat16")
    assert skeleton is not None
    sizes = [inputs * outputs for _, inputs, outputs in skeleton.layers()]
    assert skeleton.largest("nf4", "cuda") == max(sizes)
    for method in ("nf4", "int8"):
        real = held(loaded(found, "bfloat16", method, WRITING))
        assert skeleton.weights(method, "cuda") == pytest.approx(real, rel=0.05)


def test_an_adapter_is_counted_with_its_base(checkpoint: Path) -> None:
    """Its weights are loaded on top, in the same dtype."""
    whole = checkpoint / "model.safetensors"
    base = CheckpointFiles(checkpoint, (whole,), False, False)
    both = replace(base, adapter=AdapterFiles(folder=checkpoint, weights=whole))
    assert stored_bytes(both, "bfloat16") == 2 * stored_bytes(base, "bfloat16")


def test_scales_are_counted_by_hand() -> None:
    """Of 128 by 96 weights: half a byte each, 192 blocks, one block of blocks."""
    assert quantised_bytes("nf4", 128, 96) == 128 * 96 // 2 + 192 + 4
    assert quantised_bytes("int8", 128, 96) == 128 * 96 + 4 * 96
    # 65 weights: half bytes and blocks are filled up, each block of blocks as well.
    assert quantised_bytes("nf4", 13, 5) == 33 + 2 + 4
    assert quantised_bytes("nf4", 64, 257) == 32 * 257 + 257 + 2 * 4


def test_a_quantised_checkpoint_is_taken_as_it_lies(own: Path) -> None:
    """Its numbers are not those of any dtype; its file says what they take."""
    config = json.loads((own / "config.json").read_text())
    config["quantization_config"] = {"bits": 4}
    (own / "config.json").write_text(json.dumps(config))
    found = open_checkpoint(own, allow_pickle=False, trust_remote_code=False)
    lying = stored_bytes(found, "float32")
    assert stored_bytes(found, "bfloat16") == lying
    assert lying == pytest.approx(found.weights[0].stat().st_size, rel=0.05)


def test_pickles_are_taken_by_their_size(checkpoint: Path, tmp_path: Path) -> None:
    """Nothing says what is in them without running it."""
    own = Path(shutil.copytree(checkpoint, tmp_path / "own"))
    (own / "model.safetensors").unlink()
    (own / "pytorch_model.bin").write_bytes(bytes(1000))
    found = open_checkpoint(own, allow_pickle=True, trust_remote_code=False)
    assert stored_bytes(found, "float32") == 1000
    assert stored_bytes(found, "bfloat16") == 500


def test_work_of_a_known_model_is_counted_by_hand() -> None:
    """Keys and values of 8,192 tokens twice, a layer at hand, the outputs, and 20 %.

    Of a token: 28 layers, 2 * 4 heads of 128 numbers of two bytes are 57,344. A
    layer has 6 * 3584 + 3 * 18944 numbers at hand, and the mask a byte for each
    pair; 32,768 patches of 6 * 1280 + 3 * 3420 numbers are less.
    """
    layer = (6 * 3584 + 3 * 18944) * 2 * 8192 + 8192**2
    patches = (6 * 1280 + 3 * 3420) * 2 * 8192 * 4
    assert patches < layer
    expected = 1.2 * (2 * 57_344 * 8192 + layer + 512 * 152_064 * 2)
    assert work_bytes(QWEN2_5_VL_7B, "bfloat16", 8192) == int(expected)


@pytest.mark.parametrize("tokens", [1024, 8192])
def test_work_grows_with_what_is_read_together(tokens: int) -> None:
    """Half the tokens of a pass need less, and float32 needs more."""
    whole = work_bytes(QWEN2_5_VL_7B, "bfloat16", tokens)
    half = work_bytes(QWEN2_5_VL_7B, "bfloat16", tokens // 2)
    wide = work_bytes(QWEN2_5_VL_7B, "float32", tokens)
    assert whole is not None
    assert half is not None
    assert wide is not None
    assert half < whole < wide


def test_a_config_that_says_no_sizes_is_no_guess() -> None:
    """What is not known is said to be unknown."""
    assert work_bytes({"model_type": "new"}, "bfloat16", 8192) is None
