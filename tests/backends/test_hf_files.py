"""Tests of what is read from a checkpoint's files, and of what is refused."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path

import pytest

from pytest_vdg.backends._hf_checks import open_checkpoint
from pytest_vdg.backends._hf_files import CheckpointFiles, read_safetensors_header
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.errors import ConfigError
from tests.backends.tinymodel import edit_json


def opened(folder: Path, **trust: bool) -> CheckpointFiles:
    """Open *folder*, trusting nothing unless told to."""
    defaults = {"allow_pickle": False, "trust_remote_code": False}
    return open_checkpoint(folder, **{**defaults, **trust})


class Bomb:
    """Writes a marker file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.marker,)


def test_a_folder_without_config_is_no_checkpoint(tmp_path: Path) -> None:
    """The folder above or beside the checkpoint is the usual slip."""
    with pytest.raises(ConfigError, match=r"no config\.json"):
        opened(tmp_path)


def test_a_folder_without_weights_is_refused(own: Path) -> None:
    """A processor alone cannot be asked."""
    (own / "model.safetensors").unlink()
    with pytest.raises(ConfigError, match="holds no weights"):
        opened(own)


def test_an_adapter_is_refused(own: Path) -> None:
    """An adapter's base weights lie elsewhere, where their digest is not taken."""
    edit_json(own / "adapter_config.json", base_model_name_or_path="owner/base")
    with pytest.raises(ConfigError, match="merge"):
        opened(own)


def test_pickled_weights_need_a_yes(own: Path, tmp_path: Path) -> None:
    """A pickle is refused with the option that allows it, and is never opened."""
    marker = tmp_path / "ran"
    (own / "model.safetensors").unlink()
    (own / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb(marker)))
    with pytest.raises(ConfigError, match="allow_pickle: true"):
        opened(own)
    assert opened(own, allow_pickle=True).weights_are_pickle
    assert not marker.exists()


def test_safetensors_are_taken_where_both_are(own: Path) -> None:
    """Allowing pickles does not prefer them."""
    (own / "pytorch_model.bin").write_bytes(b"pickle")
    files = opened(own, allow_pickle=True)
    assert [path.name for path in files.weights] == ["model.safetensors"]
    assert not files.weights_are_pickle


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", {"auto_map": {"AutoModel": "modeling_x.X"}}),
        ("tokenizer_config.json", {"auto_map": {"AutoTokenizer": ["x.X", None]}}),
        ("preprocessor_config.json", {"auto_map": {"AutoProcessor": "x.X"}}),
        ("processor_config.json", {"video_processor": {"auto_map": {"A": "x.X"}}}),
    ],
)
def test_code_of_the_checkpoints_own_needs_a_yes(
    own: Path, name: str, content: dict[str, object]
) -> None:
    """Wherever code is named, it is refused before anything could load it."""
    edit_json(own / name, **content)
    with pytest.raises(ConfigError, match="trust_remote_code: true") as raised:
        opened(own)
    assert name in str(raised.value)
    assert opened(own, trust_remote_code=True).remote_code


@pytest.mark.parametrize("name", ["attn_implementation", "_attn_implementation"])
def test_a_kernel_of_the_hub_needs_a_yes(own: Path, name: str) -> None:
    """A config that names one would have it fetched and run, files local or not."""
    edit_json(own / "config.json", **{name: "someone/fast-attention"})
    with pytest.raises(ConfigError, match=r"kernel of the Hub .*someone/fast"):
        opened(own)
    assert opened(own, trust_remote_code=True).attention == "someone/fast-attention"


def test_a_missing_chat_template_is_seen_from_the_files(own: Path) -> None:
    """Without a template nobody knows how the model was trained to be asked."""
    (own / "chat_template.jinja").unlink()
    with pytest.raises(ConfigError, match="no chat template"):
        opened(own)
    edit_json(own / "tokenizer_config.json", chat_template="{{ messages }}")
    opened(own)


def test_a_lost_shard_is_named(own: Path) -> None:
    """An index that names files which are not there is a broken download."""
    (own / "model.safetensors").rename(own / "model-00001-of-00002.safetensors")
    shards = {
        "a": "model-00001-of-00002.safetensors",
        "b": "model-00002-of-00002.safetensors",
    }
    edit_json(own / "model.safetensors.index.json", weight_map=shards)
    with pytest.raises(ConfigError, match=r"lacks 1 of 2 .* model-00002-of-00002"):
        opened(own)
    shutil.copy(own / shards["a"], own / shards["b"])
    assert [path.name for path in opened(own).weights] == sorted(shards.values())


@pytest.mark.parametrize("name", ["../other/model.safetensors", "/etc/hostname"])
def test_an_index_names_no_file_outside_the_folder(own: Path, name: str) -> None:
    """Weights from elsewhere would be read, and could change unseen."""
    (own / "model.safetensors").unlink()
    edit_json(own / "model.safetensors.index.json", weight_map={"a": name})
    with pytest.raises(ConfigError, match="no file of the checkpoint's own folder"):
        opened(own)


def test_two_files_on_the_size_of_frames_must_agree(own: Path) -> None:
    """Of two configs of the video processor one is not read: no limit is lost."""
    path = own / "video_preprocessor_config.json"
    new = json.loads((own / "processor_config.json").read_text())["video_processor"]
    size = new["size"]
    path.write_text(json.dumps({"do_resize": True}))
    opened(own)
    limits = {"min_pixels": size["shortest_edge"], "max_pixels": size["longest_edge"]}
    path.write_text(json.dumps(limits))
    opened(own)
    path.write_text(json.dumps({**limits, "max_pixels": 50176}))
    with pytest.raises(ConfigError, match=r"differ in the size of frames .*50176"):
        opened(own)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
        (b"", "damaged or cut off"),
        (b"\x02\0\0\0\0\0\0\0{}", "cut off or holds no weights"),
        (b"\xff" * 64, "damaged or cut off"),
        (b"\x04\0\0\0\0\0\0\0[42]", "damaged or cut off"),
    ],
    ids=["pointer", "empty", "no-tensors", "noise", "list"],
)
def test_what_is_no_safetensors_file_is_said(
    own: Path, content: bytes, reason: str
) -> None:
    """A pointer, an empty or a broken file is found before torch is imported."""
    (own / "model.safetensors").write_bytes(content)
    with pytest.raises(ConfigError, match=reason):
        opened(own)


def test_a_file_cut_off_in_the_middle_is_found(own: Path) -> None:
    """The header tells how long the file must be."""
    path = own / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ConfigError, match="cut off"):
        opened(own)


def test_broken_json_names_its_file(own: Path) -> None:
    """A half-written config is a wrong checkpoint, not a crash."""
    (own / "config.json").write_text("{")
    with pytest.raises(ConfigError, match=r"config\.json is no JSON"):
        opened(own)
    (own / "config.json").write_text("[]")
    with pytest.raises(ConfigError, match="no JSON object"):
        opened(own)


def test_weights_are_known_by_content(own: Path) -> None:
    """One other byte is another model, though name and size are the same."""
    before = opened(own).weights_digest
    assert opened(own).weights_digest == before
    path = own / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert opened(own).weights_digest != before


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("tokenizer_config.json", {"eos_token": "<pad>"}),
        ("processor_config.json", {"video_processor": {"do_resize": False}}),
        ("generation_config.json", {"eos_token_id": 5}),
        ("video_preprocessor_config.json", {"do_resize": False}),
    ],
)
def test_what_changes_the_input_changes_the_processor_digest(
    own: Path, name: str, changes: dict[str, object]
) -> None:
    """Tokenizer, processor and stop tokens can all change an answer."""
    before = opened(own).processor_digest
    edit_json(own / name, **changes)
    assert opened(own).processor_digest != before


def test_the_chat_template_is_part_of_the_processor(own: Path) -> None:
    """One more space in the template is another question."""
    before = opened(own).processor_digest
    path = own / "chat_template.jinja"
    path.write_text(path.read_text() + " ")
    assert opened(own).processor_digest != before


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("config.json", {"transformers_version": "9.9", "_name_or_path": "/tmp"}),
        ("tokenizer_config.json", {"padding_side": "right"}),
        ("generation_config.json", {"temperature": 3.0, "do_sample": True}),
        ("trainer_state.json", {"step": 7}),
    ],
)
def test_what_changes_no_answer_changes_no_digest(
    own: Path, name: str, changes: dict[str, object]
) -> None:
    """Saving again with another version must not make runs incomparable."""
    before = opened(own)
    digests = before.config_digest, before.processor_digest
    edit_json(own / name, **changes)
    after = opened(own)
    assert (after.config_digest, after.processor_digest) == digests


def test_merged_frames_are_the_models_word_first(own: Path) -> None:
    """The vision config tells how many frames make one token; else processors do."""
    assert opened(own).frames_per_token == 2
    config = json.loads((own / "config.json").read_text())
    del config["vision_config"]["temporal_patch_size"]
    (own / "config.json").write_text(json.dumps(config))
    assert opened(own).frames_per_token == 2
    (own / "processor_config.json").unlink()
    assert opened(own).frames_per_token == 1
    edit_json(own / "preprocessor_config.json", temporal_patch_size=3)
    assert opened(own).frames_per_token == 3


def test_dtype_comes_from_the_config_else_the_weights(own: Path) -> None:
    """What ``auto`` will mean is known before anything is loaded."""
    config = json.loads((own / "config.json").read_text())
    edit_json(own / "config.json", dtype="bfloat16")
    assert opened(own).dtype == "bfloat16"
    del config["dtype"]
    (own / "config.json").write_text(json.dumps(config))
    assert opened(own).dtype == "float32"


@pytest.mark.parametrize(
    ("named", "dtype"),
    [("half", "float16"), ("float", "float32"), ("double", "float64")],
)
def test_dtypes_are_called_by_their_usual_names(
    own: Path, named: str, dtype: str
) -> None:
    """Torch has two names for each; a run is known by one."""
    edit_json(own / "config.json", dtype=named)
    assert opened(own).dtype == dtype
    told = TransformersBackend(TransformersSettings(checkpoint=own, device="cpu"))
    assert f"({dtype})" in told.memory_told()


def test_a_dtype_that_nothing_is_asked_in_is_refused(own: Path) -> None:
    """The message names the file, and what may stand there."""
    edit_json(own / "config.json", dtype="float8_e4m3fn")
    with pytest.raises(
        ConfigError, match=r"config\.json has the dtype 'float8_e4m3fn'"
    ):
        assert opened(own).dtype


def test_quantisation_is_told_with_its_settings(own: Path) -> None:
    """Four bits and eight bits are different environments."""
    assert opened(own).quantisation == "none"
    edit_json(own / "config.json", quantization_config={"bits": 4})
    assert opened(own).quantisation == '{"bits": 4}'


def test_a_touched_file_shows_in_the_stamp(own: Path) -> None:
    """A checkpoint that is written to is noticed without hashing it again."""
    files = opened(own)
    assert files.stamp() == files.opened_stamp
    edit_json(own / "config.json", more=1)
    assert files.stamp() != files.opened_stamp


def test_the_header_lists_the_tensors(checkpoint: Path) -> None:
    """The header is read without the data."""
    header = read_safetensors_header(checkpoint / "model.safetensors")
    assert any("visual" in name for name in header)
