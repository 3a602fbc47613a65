"""When a checkpoint is refused for memory, and what is said: arithmetic, no torch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.backends import _hf_room
from pytest_vdg.backends._hf_adapter_files import AdapterFiles
from pytest_vdg.backends._hf_asked import Asked
from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.backends._hf_quantise import fits_kernel, quantised_bytes
from pytest_vdg.backends._hf_room import Memory
from pytest_vdg.backends._hf_settings import TransformersSettings
from pytest_vdg.backends._hf_size import stored_bytes, work_bytes
from pytest_vdg.errors import ConfigError
from tests.backends.handmade import write_checkpoint, write_safetensors

MB = 10**6
FORMS = {("bfloat16", None): 50, ("float32", "nf4"): 13, ("float32", "int8"): 25}
"""Megabytes of the model below in another dtype and quantised; in float32, 100."""


def memory(
    free: Mapping[str, int | None],
    *,
    weights: int | None = 100 * MB,
    work: int | None = 10 * MB,
    dtype: str = "float32",
    stored: str = "none",
    **settings: Any,  # noqa: ANN401
) -> Memory:
    """Return what a model of 100 MB needs of *free*, having been asked so."""
    chosen = TransformersSettings(checkpoint="m", **settings)

    def needed(method: str | None, other: str | None = None) -> int | None:
        megabytes = FORMS.get((other or "float32", method))
        return None if megabytes is None else megabytes * MB

    asked = SimpleNamespace(
        name="m",
        settings=chosen,
        dtype=dtype,
        device=next(iter(free)).partition(":")[0],
        files=SimpleNamespace(quantisation=stored),
        weights=needed,
    )
    return Memory(asked=cast("Asked", asked), weights=weights, work=work, free=free)


def advice(of: Memory) -> str:
    """Return what is said to do where it does not fit."""
    with pytest.raises(ConfigError) as refused:
        of.require()
    return str(refused.value).partition("\n")[2]


sizes = st.integers(0, 300).map(lambda megabytes: megabytes * MB)


@given(st.lists(sizes, min_size=1, max_size=3), sizes, sizes)
def test_weights_are_held_against_all_devices_together(
    rooms: list[int], weights: int, work: int
) -> None:
    """What does not fit is refused; a pass must fit beside them on each device."""
    free = {f"cuda:{number}": room for number, room in enumerate(rooms)}
    found = memory(free, weights=weights, work=work, device_map="auto")
    assert found.lacks == (weights > sum(rooms))
    beside = weights + work * len(rooms) > sum(rooms)
    assert found.tight == (beside and not found.lacks)
    assert bool(found.warning) == found.tight
    if not found.lacks:
        found.require()


@pytest.mark.parametrize(
    "unknown",
    [{"weights": None}, {"work": None}, {"free": {"cuda:0": 1, "cuda:1": None}}],
)
def test_what_is_not_known_warns_nobody(unknown: dict[str, Any]) -> None:
    """Neither does it refuse anybody, but for weights that are known not to fit."""
    found = memory(**{"free": {"cuda:0": 105 * MB}, **unknown})
    assert (found.lacks, found.tight, found.warning) == (False, False, "")
    known = memory({"cpu": 99 * MB}, work=None)
    assert (known.lacks, known.tight) == (True, False)


def test_with_offload_nothing_is_too_large() -> None:
    """The rest goes to main memory and to disk, as was asked for."""
    found = memory({"cuda:0": 1, "cpu": 1}, device_map="auto", offload=True)
    assert (found.lacks, found.tight) == (False, False)


def test_a_tight_fit_names_what_to_set() -> None:
    """Half the tokens of a pass, and what is held of prompts where some is."""
    free = {"cpu": 105 * MB}
    warned = memory(free, batch_tokens=8192).warning
    assert warned.endswith("set batch_tokens: 4096, or share_prefixes: false")
    warned = memory(free, batch_tokens=100, share_prefixes=False).warning
    assert warned.endswith("set batch_tokens: 50")


@pytest.mark.parametrize(
    ("room", "fits"),
    [
        (99, ["dtype: bfloat16", "quantisation: nf4", "quantisation: int8"]),
        (50, ["dtype: bfloat16", "quantisation: nf4", "quantisation: int8"]),
        (49, ["quantisation: nf4", "quantisation: int8"]),
        (13, ["quantisation: nf4"]),
        (12, []),
    ],
)
def test_only_what_would_fit_is_advised(room: int, fits: list[str]) -> None:
    """Each form with what it needs; one that just fits is one."""
    said = advice(memory({"cpu": room * MB}))
    assert re.findall(r"(\w+: \w+) would need", said) == fits
    assert said.startswith("Nothing that can be set") == (not fits)


@pytest.mark.parametrize("how", [{"stored": '{"bits": 4}'}, {"quantisation": "nf4"}])
def test_weights_in_another_form_are_not_advised_a_third(how: dict[str, Any]) -> None:
    """Neither those that lie quantised, nor those that are to be, are halved again."""
    assert advice(memory({"cpu": 99 * MB}, **how)).startswith("Nothing")


def test_half_precision_is_not_advised_to_be_halved() -> None:
    """It is no form of a model that is in it; the quantised ones are."""
    said = advice(memory({"cpu": 99 * MB}, dtype="bfloat16"))
    assert "dtype:" not in said
    assert "quantisation: int8" in said


@pytest.mark.parametrize(
    ("gpus", "advised"), [((60, 40), True), ((60, 39), False), ((99,), False)]
)
def test_more_gpus_are_advised_where_they_hold_it(
    gpus: tuple[int, ...], advised: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it, over more than one; of a single one there is no map."""
    free = {f"cuda:{number}": room * MB for number, room in enumerate(gpus)}
    monkeypatch.setattr(_hf_room, "free_memory", lambda device, several: free)
    said = advice(memory({"cuda:0": gpus[0] * MB}))
    assert ("device_map: auto over 2 devices has 100 MB" in said) == advised


@pytest.mark.parametrize(("quantisation", "advised"), [(None, True), ("nf4", False)])
def test_a_map_that_is_full_may_go_on_to_disk(
    quantisation: str | None, advised: bool
) -> None:
    """Unless weights are quantised, which main memory would not be."""
    free = {"cuda:0": 10, "cuda:1": 10}
    said = advice(memory(free, device_map="auto", quantisation=quantisation))  # type: ignore[arg-type]
    assert ("offload: true" in said) == advised


def checkpoint(folder: Path, **config: object) -> CheckpointFiles:
    """Return six whole numbers and six of four bytes, of a module each."""
    tensors = {"ids": ("I64", (6,)), "w": ("F32", (2, 3))}
    weights = write_checkpoint(folder, tensors, **config)
    return CheckpointFiles(folder, (weights,), False, False)


@pytest.mark.parametrize(
    ("dtype", "size"), [("float64", 8), ("float32", 4), ("bfloat16", 2), ("float16", 2)]
)
def test_numbers_take_what_their_dtype_takes(
    tmp_path: Path, dtype: str, size: int
) -> None:
    """Fractions are cast as they are loaded, and whole numbers are not."""
    assert stored_bytes(checkpoint(tmp_path), dtype) == 6 * 8 + 6 * size


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_what_lies_quantised_takes_what_it_lies_in(tmp_path: Path, dtype: str) -> None:
    """Scales are fractions too, and are loaded as they are."""
    found = checkpoint(tmp_path, quantization_config={"bits": 4})
    assert stored_bytes(found, dtype) == 6 * 8 + 6 * 4


def test_all_shards_are_counted(tmp_path: Path) -> None:
    """What a header says of itself is no tensor."""
    one = checkpoint(tmp_path)
    more = write_safetensors(tmp_path / "b", {"v": ("BF16", (5,))}, format="pt")
    both = CheckpointFiles(tmp_path, (*one.weights, more), False, False)
    assert stored_bytes(both, "float32") == stored_bytes(one, "float32") + 5 * 4


@pytest.mark.parametrize("kind", ["plain", "quantised", "pickled"])
def test_an_adapter_is_counted_on_any_base(tmp_path: Path, kind: str) -> None:
    """Its ten numbers are loaded in the dtype that is asked for, whatever is below."""
    config = {"quantization_config": {"bits": 4}} if kind == "quantised" else {}
    base = checkpoint(tmp_path, **config)
    weights = write_safetensors(tmp_path / "a", {"lora": ("F32", (10,))})
    adapter = AdapterFiles(folder=tmp_path, weights=weights)
    given = (tmp_path, base.weights, kind == "pickled", False)
    alone, both = CheckpointFiles(*given), CheckpointFiles(*given, adapter=adapter)
    for dtype, size in (("float32", 4), ("bfloat16", 2)):
        added = stored_bytes(both, dtype) - stored_bytes(alone, dtype)
        assert added == 10 * size


@pytest.mark.parametrize(
    "config",
    [
        {"hidden_size": 8},
        {"num_hidden_layers": 2},
        {"num_hidden_layers": "2", "hidden_size": 8},
        {"text_config": {"hidden_size": 8}, "num_hidden_layers": 2},
    ],
)
def test_half_a_config_is_no_guess(config: dict[str, Any]) -> None:
    """Both sizes are needed, of the part that writes."""
    assert work_bytes(config, "bfloat16", 100) is None


LAYERS = {"num_hidden_layers": 2, "hidden_size": 8}
TEXT = {**LAYERS, "num_attention_heads": 4, "intermediate_size": 16, "vocab_size": 10}


@pytest.mark.parametrize(
    ("config", "numbers"),
    [
        # 2 layers, keys and values of 8 numbers, twice; 6 * 8 + 3 * 16; 512 outputs.
        (TEXT, 4 * 2 * 8 * 100 + 96 * 100 + 512 * 10),
        ({"text_config": TEXT}, 4 * 2 * 8 * 100 + 96 * 100 + 512 * 10),
        ({**TEXT, "vocab_size": None}, 4 * 2 * 8 * 100 + 96 * 100),
        ({**TEXT, "num_key_value_heads": 1}, 4 * 2 * 2 * 100 + 96 * 100 + 5120),
        ({**TEXT, "head_dim": 6}, 4 * 2 * 24 * 100 + 96 * 100 + 5120),
        ({**TEXT, "num_attention_heads": None}, 4 * 2 * 8 * 100 + 96 * 100 + 5120),
        # Of its experts, three work on a token at a time.
        (
            {**TEXT, "moe_intermediate_size": 10, "num_experts_per_tok": 3},
            4 * 2 * 8 * 100 + (6 * 8 + 3 * 30) * 100 + 5120,
        ),
        (
            {**TEXT, "moe_intermediate_size": 20},
            4 * 2 * 8 * 100 + (6 * 8 + 3 * 20) * 100 + 5120,
        ),
        (LAYERS, 4 * 2 * 8 * 100 + 6 * 8 * 100),
    ],
)
def test_what_a_pass_needs_is_counted_by_hand(
    config: dict[str, Any], numbers: int
) -> None:
    """Of 100 tokens, numbers of two bytes, a byte for each pair, and 20 % more."""
    expected = int(1.2 * (2 * numbers + 100 * 100))
    assert work_bytes(config, "bfloat16", 100) == expected


@pytest.mark.parametrize(
    ("vision", "each"),
    [
        ({"hidden_size": 64, "intermediate_size": 100}, 6 * 64 + 3 * 100),
        ({"embed_dim": 64, "hidden_size": 8, "mlp_ratio": 2}, 6 * 64 + 3 * 128),
        ({"hidden_size": 64}, 6 * 64 + 3 * 256),
        ({"hidden_size": 64, "mlp_ratio": [2, 2]}, 6 * 64 + 3 * 256),
        ({"hidden_size": 64, "mlp_ratio": 0}, 6 * 64 + 3 * 256),
        (
            {"hidden_size": 64, "mlp_ratio": 1.5, "spatial_merge_size": 2},
            (6 * 64 + 3 * 96) * 4,
        ),
    ],
)
def test_a_large_vision_encoder_needs_more_than_a_small_model(
    vision: dict[str, Any], each: int
) -> None:
    """Whichever of the two has more at hand counts; four patches make a token."""
    config = {"text_config": TEXT, "vision_config": vision}
    numbers = 4 * 2 * 8 * 100 + each * 100 + 5120
    assert work_bytes(config, "float32", 100) == int(1.2 * (4 * numbers))


@given(st.integers(1, 300), st.integers(1, 300))
def test_quantised_numbers_round_up(inputs: int, outputs: int) -> None:
    """Half a byte each, a scale for each 64 begun, four bytes for each 256 of these."""
    number = inputs * outputs
    least = number / 2 + number / 64 + 4 * number / 64 / 256
    assert least <= quantised_bytes("nf4", inputs, outputs) < least + 1 + 1 + 4 + 0.1
    assert quantised_bytes("int8", inputs, outputs) == number + 4 * outputs


@pytest.mark.parametrize(
    ("method", "device", "inputs", "outputs", "fits"),
    [
        ("nf4", "cpu", 128, 96, True),
        ("nf4", "cpu", 96, 96, False),
        ("nf4", "cpu", 128, 48, False),
        ("nf4", "cpu:0", 96, 96, False),
        ("nf4", "cuda", 96, 48, True),
        ("nf4", "cuda:1", 96, 48, True),
        ("int8", "cpu", 96, 48, True),
    ],
)
def test_processors_take_whole_blocks_of_half_bytes(
    method: str, device: str, inputs: int, outputs: int, fits: bool
) -> None:
    """64 inputs and 32 outputs at a time; GPUs and whole bytes take any number."""
    assert fits_kernel(method, device, inputs, outputs) == fits
