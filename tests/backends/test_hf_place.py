"""Where a model's parts go: over several devices, and aside where that is allowed."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file

from pytest_vdg.backends import _hf_place, _hf_room
from pytest_vdg.backends._hf_asked import SEEING
from pytest_vdg.backends._hf_checks import open_checkpoint
from pytest_vdg.backends._hf_place import Placing, first_device, placing_of
from pytest_vdg.backends._hf_quantise import quantised_bytes
from pytest_vdg.backends._hf_skeleton import skeleton_of
from pytest_vdg.backends.protocol import Reply, Request
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.errors import BackendError, ConfigError
from tests.backends.families import TINY
from tests.backends.subject import ROUNDING, apart, clip, good, request, shown
from tests.backends.tinymodel import edit_json

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("accelerate")

GROUNDED = Path(__file__).parents[2] / "example_suite" / "checkpoints" / "grounded"
LAYER = re.compile(r"(.*\.(?:layers|blocks)\.\d+\.)")
LITTLE = {"batch_tokens": 64, "prefix_bytes": 1000}
"""So that passes need no more than the tiny weights do."""


def made(folder: Path, device: str, **settings: Any) -> TransformersBackend:  # noqa: ANN401
    """Return a backend that lays its model over devices."""
    how = {**LITTLE, "device_map": "auto", **settings}
    return TransformersBackend(
        TransformersSettings(checkpoint=folder, device=device, **how)
    )


@contextmanager
def free(*gpus: int, main: int = 0) -> Iterator[None]:
    """Pretend that there are GPUs with so much free memory."""
    found = {f"cuda:{number}": each for number, each in enumerate(gpus)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_hf_room, "_of_gpus", lambda device, several: dict(found))
        patched.setattr(_hf_room, "available", lambda: main)
        yield


def placed(folder: Path, *gpus: int, main: int = 0, **settings: Any) -> Placing:  # noqa: ANN401
    """Return where the parts of a checkpoint would go."""
    with free(*gpus, main=main):
        return placing_of(made(folder, "cuda", **settings).memory)


@pytest.mark.parametrize("quantisation", [None, "nf4", "int8"])
def test_two_gpus_share_a_model(checkpoint: Path, quantisation: str | None) -> None:
    """Each has a part, none waits elsewhere, and people hear where it lies."""
    if quantisation is not None:
        pytest.importorskip("bitsandbytes")
    found = placed(checkpoint, 10**7, 10**7, quantisation=quantisation)
    assert set((found.places or {}).values()) == {0, 1}
    assert found.notes == ("the model lies on cuda:0, cuda:1",)
    options = found.options("bfloat16")
    assert options["device_map"] == found.places
    assert ("quantization_config" in options) == (quantisation is not None)


def test_a_checkpoint_that_lies_quantised_is_laid_out_by_its_files(own: Path) -> None:
    """Its layers look whole to transformers, and would find no place."""
    path = own / "model.safetensors"
    packed = {
        name: torch.zeros(each.numel() // 2, dtype=torch.uint8)
        if each.ndim == 2 and "embed" not in name and "lm_head" not in name
        else each.bfloat16()
        for name, each in load_file(path).items()
    }
    save_file(packed, path)
    edit_json(own / "config.json", dtype="bfloat16", quantization_config={"bits": 4})
    stored = made(own, "cuda").memory.weights or 0
    found = placed(own, stored * 3 // 4, stored * 3 // 4)
    assert set((found.places or {}).values()) == {0, 1}
    (own / "config.json").write_text(
        (own / "config.json").read_text().replace("quantization_config", "none")
    )
    with pytest.raises(ConfigError, match="cannot be divided"):
        placed(own, stored * 3 // 4, stored * 3 // 4)


@pytest.mark.parametrize("method", [None, "nf4", "int8"])
def test_no_device_is_given_more_than_it_holds(method: str | None) -> None:
    """Nor a part of a layer: what one device computes of it, it computes whole.

    Within 10 %, as quantised weights have scales of which accelerate does not know.
    """
    files = open_checkpoint(GROUNDED, allow_pickle=False, trust_remote_code=False)
    skeleton = skeleton_of(files, SEEING, "bfloat16")
    assert skeleton is not None
    parts = {name: part.nbytes for name, part in skeleton.model.named_parameters()}
    if method is not None:
        layers = {f"{name}.weight": size for name, *size in skeleton.layers()}
        parts |= {n: quantised_bytes(method, *size) for n, size in layers.items()}
    for tenths in range(3, 11):
        first = sum(parts.values()) * tenths // 10
        room: dict[int | str, int] = {0: first, 1: 10**7}
        places = skeleton.device_map(room, method, "cuda")
        assert set(places.values()) <= {0, 1}
        if method is not None:  # one that lies quantised is laid out in the same way
            stored = sum(parts.values())
            assert skeleton.device_map(room, None, "cuda", stored=stored) == places
        where = {name: _where(places, name) for name in parts}
        assert sum(parts[n] for n in parts if where[n] == 0) <= 1.1 * first
        for layer in {m[1] for n in parts if (m := LAYER.match(n))}:
            assert len({where[n] for n in parts if n.startswith(layer)}) == 1


def _where(places: Mapping[str, int | str], name: str) -> int | str:
    """Return where the part *name* goes: with the longest beginning that is named."""
    known = [each for each in places if not each or f"{name}.".startswith(f"{each}.")]
    return places[max(known, key=len)]


def test_one_gpu_that_holds_all_of_it_gets_all(checkpoint: Path) -> None:
    """Then nothing is to be told, as without a map."""
    found = placed(checkpoint, 10**7)
    assert found.places == {"": 0}
    assert found.notes == ()


def test_a_gpu_is_filled_straight_from_the_files() -> None:
    """Main memory, which was not held against the weights, never has all of them."""
    for device in ("cuda", "cuda:1"):
        assert Placing(device=device).options("bfloat16")["device_map"] == {"": device}
    for device in ("cpu", "mps"):
        assert Placing(device=device).options("bfloat16") == {}


def test_a_map_of_one_device_changes_nothing_else(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same weights in the same dtype, and no hook that would cost each pass."""
    settings = TransformersSettings(checkpoint=checkpoint, device="cpu")
    models = []
    for options in ({}, {"device_map": {"": "cpu"}}):
        monkeypatch.setattr(Placing, "options", lambda self, dtype, how=options: how)
        backend = TransformersBackend(settings)
        backend.load()
        assert backend._asking is not None
        models.append(backend._asking.loaded.model)
    plain, mapped = models
    assert not any(hasattr(each, "_hf_hook") for each in mapped.modules())
    expected = plain.state_dict()
    assert mapped.state_dict().keys() == expected.keys()
    for name, tensor in mapped.state_dict().items():
        assert tensor.dtype == expected[name].dtype
        assert torch.equal(tensor, expected[name])


def test_parts_that_find_no_place_are_refused(checkpoint: Path) -> None:
    """The sum would do, and no division of layers does: a vocabulary is one part."""
    rooms = (200_000,) * 3
    with pytest.raises(ConfigError, match=r"cannot be divided .*\n.*offload: true"):
        placed(checkpoint, *rooms)


def test_what_waits_in_main_memory_is_told(checkpoint: Path) -> None:
    """It was allowed, and it is slow."""
    with free(1, 1):
        needed = made(checkpoint, "cuda").memory.work or 0
    found = placed(checkpoint, needed + 500_000, main=10**9, offload=True)
    assert set((found.places or {}).values()) == {0, "cpu"}
    (note,) = found.notes
    assert note.startswith("the model lies on cuda:0, cpu: what waits")
    assert note.endswith("which is slow")


def test_a_model_that_only_waits_is_refused(checkpoint: Path) -> None:
    """It would be computed on the processor under the name of a GPU."""
    with pytest.raises(ConfigError, match=r"no part finds a place.*device: cpu"):
        placed(checkpoint, 1000, main=10**9, offload=True)


def test_a_model_without_known_parts_takes_one_device(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What transformers cannot lay out is not guessed."""
    monkeypatch.setattr("pytest_vdg.backends._hf_asked.skeleton_of", lambda *_: None)
    with pytest.raises(ConfigError, match="does not say what parts"):
        placed(checkpoint, 10**7)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"device": "cuda:1", "device_map": "auto"}, "device: cuda:1 names one"),
        ({"device": "mps", "device_map": "auto"}, "device: mps names one"),
        ({"offload": True}, "Add: device_map: auto"),
        (
            {"offload": True, "device_map": "auto", "quantisation": "nf4"},
            "would not be quantised",
        ),
        ({"device": "mps", "quantisation": "nf4"}, "cannot be computed on device mps"),
        ({"device_map": "automatic"}, "Did you mean 'auto'"),
    ],
)
def test_what_contradicts_itself_is_refused(
    settings: dict[str, Any], words: str
) -> None:
    """Before a file is looked at; the message says what to leave out."""
    with pytest.raises(ConfigError, match=words):
        TransformersSettings(checkpoint="any", **settings)


FAMILIES = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "internvl", "gemma4")


@pytest.mark.parametrize("kind", FAMILIES)
def test_answers_do_not_depend_on_where_parts_lie(kind: str, tmp_path: Path) -> None:
    """Half in memory and half on disk, alone and together, as on one device.

    What prompts share is found out by the trial, as for any model.
    """
    folder = TINY[kind].build(tmp_path)
    asked = _requests()
    whole = TransformersBackend(TransformersSettings(checkpoint=folder, device="cpu"))
    expected = good(whole.ask_many(asked))
    model = made(folder, "cpu", offload=True)
    half = (model.memory.weights or 0) * 2 // 3
    with free(main=half + (model.memory.work or 0)):
        together = good(model.ask_many(asked))
    alone = [good(model.ask_many([each]))[0] for each in asked]
    loaded = model._asking
    assert loaded is not None
    assert {"cpu", "disk"} == set(loaded.loaded.model.hf_device_map.values())
    assert model.identity.environment["offload"] == "true"
    assert any("which is slow" in note for note in model.notes)
    assert model.sharing.startswith("shares prefixes")
    for replies in (together, alone):
        assert _apart(replies, expected) < ROUNDING


def _requests() -> list[Request]:
    long = clip(4, seed=3)
    clips = (clip(2), long, shown("black", long, 1), None)
    questions = ("what color is the shape ?", "which comes first ?")
    return [request(each, question) for question in questions for each in clips]


def _apart(some: list[Reply], others: list[Reply]) -> float:
    return max(apart(one, other) for one, other in zip(some, others, strict=True))


def test_the_folder_on_disk_goes_with_the_model(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another dtype is written anew there; closing the backend removes it.

    The next checkpoint is held against what is free then, on a GPU as well.
    """
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    model = made(checkpoint, "cpu", offload=True)
    with free(main=0):
        model.load()
    assert list(tmp_path.glob("vdg-offload-*"))
    gc.disable()  # its own time is not ours
    try:
        model.close()
        assert not list(tmp_path.glob("vdg-offload-*"))
    finally:
        gc.enable()


def test_the_folder_on_disk_does_not_outlive_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is left of a model that does not load."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def fail(more: Any) -> None:  # noqa: ANN401
        assert Path(more["offload_folder"]).is_dir()
        raise BackendError("no luck")

    placing = Placing(device="cpu", places={"": "disk"})
    with pytest.raises(BackendError, match="no luck"):
        _hf_place.with_room_on_disk(placing, fail)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("places", "device"),
    [
        ({"visual": "cpu", "layers": 0, "head": 1}, "cuda:0"),
        ({"visual": "disk", "layers": "cpu"}, "cpu"),
        ({"": "disk"}, "cpu"),
        ({"": "cuda:1"}, "cuda:1"),
    ],
)
def test_inputs_go_where_the_model_computes(
    places: dict[str, Any], device: str
) -> None:
    """Never where parts of it only wait."""
    model = type("Dispatched", (), {"hf_device_map": places, "device": "meta"})
    assert str(first_device(model)) == device
