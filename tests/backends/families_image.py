"""Tiny checkpoints of families that take several pictures, and no video.

Apart from those that take videos because their frames are pictures: one
placeholder each in the chat, and no word of their times.
"""

from __future__ import annotations

from pathlib import Path

from tests.backends.tinyfamilies import (
    CHATML,
    PIXELS,
    SIDE,
    SIZE,
    SLIDING,
    chatml,
    ids,
    letters,
    save,
    siglip_sizes,
    text_sizes,
    turns,
    vision_sizes,
)


def aria(folder: Path) -> Path:
    """Mixture of experts; as many queries a picture as its size has."""
    import transformers as hf

    tokenizer = letters({"image_token": "<|img|>"}, [*CHATML, "<fim_prefix>"])
    tokenizer.add_tokens(["<fim_suffix>"], special_tokens=True)
    config = hf.AriaConfig(
        text_config={**text_sizes(tokenizer, "aria_text"), "moe_num_experts": 4},
        vision_config={
            **vision_sizes("idefics3_vision"),
            "image_size": 980,
            "patch_size": 70,
        },
        projector_patch_to_query_dict={"49": 2, "196": 2},
        vision_feature_layer=-1,
        **ids(tokenizer, image_token_index="<|img|>"),
    )
    processor = hf.AriaProcessor(
        image_processor=hf.AriaImageProcessor(max_image_size=490, min_image_size=SIDE),
        tokenizer=tokenizer,
        size_conversion={490: 2, 980: 2},
        chat_template=chatml(image="<fim_prefix><|img|><fim_suffix>"),
    )
    return save(folder, hf.AriaForConditionalGeneration(config), processor)


def gemma3(folder: Path) -> Path:
    """A fixed number of tokens a picture, which see each other both ways."""
    import transformers as hf

    marks = {
        "image_token": "<image_soft_token>",
        "boi_token": "<start_of_image>",
        "eoi_token": "<end_of_image>",
    }
    tokenizer = letters(marks, ["<start_of_turn>", "<end_of_turn>"])
    config = hf.Gemma3Config(
        text_config={**text_sizes(tokenizer), **SLIDING},
        vision_config=siglip_sizes(),
        mm_tokens_per_image=4,
        **ids(
            tokenizer,
            image_token_index="<image_soft_token>",
            boi_token_index="<start_of_image>",
            eoi_token_index="<end_of_image>",
        ),
    )
    processor = hf.Gemma3Processor(
        image_processor=hf.Gemma3ImageProcessor(size=SIZE),
        tokenizer=tokenizer,
        image_seq_length=4,
        chat_template=_gemma_turns("<start_of_image>"),
    )
    return save(folder, hf.Gemma3ForConditionalGeneration(config), processor)


def idefics3(folder: Path) -> Path:
    """Pictures between marks, unsplit."""
    import transformers as hf

    others = ["<fake_token_around_image>", "<global-img>", "<end_of_utterance>"]
    tokenizer = letters({"image_token": "<image>"}, [*others, "<|begin_of_text|>"])
    config = hf.Idefics3Config(
        text_config=text_sizes(tokenizer, "llama"),
        vision_config=vision_sizes(),
        scale_factor=2,
        **ids(tokenizer, image_token_id="<image>"),
    )
    edges = {"size": {"longest_edge": SIDE}, "max_image_size": {"longest_edge": SIDE}}
    processor = hf.Idefics3Processor(
        image_processor=hf.Idefics3ImageProcessor(**edges, **PIXELS),
        tokenizer=tokenizer,
        image_seq_len=4,
        chat_template=turns(
            begin="<|begin_of_text|>",
            user="User:",
            end="<end_of_utterance>\n",
            assistant="Assistant:",
            parts={"image": "<image>"},
        ),
    )
    return save(folder, hf.Idefics3ForConditionalGeneration(config), processor)


def llava(folder: Path) -> Path:
    """Qwen's turns around LLaVA's pictures, as LLaVA-Interleave has them."""
    import transformers as hf

    tokenizer = letters({"image_token": "<image>"}, CHATML)
    config = hf.LlavaConfig(
        text_config=text_sizes(tokenizer, "qwen2"),
        vision_config=siglip_sizes(),
        vision_feature_layer=-1,
        vision_feature_select_strategy="full",
        **ids(tokenizer, image_token_index="<image>"),
    )
    processor = hf.LlavaProcessor(
        image_processor=hf.SiglipImageProcessor(size=SIZE),
        tokenizer=tokenizer,
        patch_size=8,
        vision_feature_select_strategy="full",
        chat_template=chatml(image="<image>\n"),
    )
    return save(folder, hf.LlavaForConditionalGeneration(config), processor)


def mistral3(folder: Path) -> Path:
    """Pictures line by line, with a mark at the end of each."""
    import transformers as hf

    marks = {"image_token": "[IMG]", "image_break_token": "[IMG_BREAK]"}
    tokenizer = letters(
        {**marks, "image_end_token": "[IMG_END]"}, ["[INST]", "[/INST]"]
    )
    rope = {"rope_type": "default", "rope_theta": 1e4}
    config = hf.Mistral3Config(
        text_config=text_sizes(tokenizer, "mistral"),
        vision_config={**vision_sizes("pixtral"), "rope_parameters": rope},
        spatial_merge_size=2,
        **ids(tokenizer, image_token_index="[IMG]"),
    )
    processor = hf.PixtralProcessor(
        image_processor=hf.PixtralImageProcessor(
            size={"longest_edge": SIDE}, patch_size={"height": 16, "width": 16}
        ),
        tokenizer=tokenizer,
        patch_size=8,
        spatial_merge_size=2,
        chat_template=turns(
            begin="<s>",
            user="[INST]",
            end="[/INST]",
            assistant="",
            parts={"image": "[IMG]"},
        ),
    )
    return save(folder, hf.Mistral3ForConditionalGeneration(config), processor)


def gemma3n(folder: Path) -> Path:
    """A convolutional encoder; as many tokens a picture whatever its size."""
    import transformers as hf

    kinds = ("image", "audio")
    marks = {f"{kind}_token": f"<{kind}_soft_token>" for kind in kinds}
    marks |= {"boi_token": "<start_of_image>", "eoi_token": "<end_of_image>"}
    marks |= {"boa_token": "<start_of_audio>", "eoa_token": "<end_of_audio>"}
    tokenizer = letters(marks, ["<start_of_turn>", "<end_of_turn>"])
    text = {
        **text_sizes(tokenizer),
        "vocab_size_per_layer_input": len(tokenizer),
        "laurel_rank": 4,
        "hidden_size_per_layer_input": 4,
        "num_kv_shared_layers": 0,
        **SLIDING,
        "activation_sparsity_pattern": [0.0, 0.0],
        "altup_num_inputs": 2,
    }
    config = hf.Gemma3nConfig(
        text_config=text,
        vision_config={
            "hidden_size": 2048,
            "vocab_size": 4,
            "vocab_offset": len(tokenizer),
            "model_args": {"channel_multiplier": 0.0625},
        },
        audio_config={
            "hidden_size": 16,
            "conf_num_hidden_layers": 1,
            "vocab_size": 4,
            "conf_num_attention_heads": 2,
            "vocab_offset": len(tokenizer) + 4,
            "sscp_conv_channel_size": (4, 4),
        },
        vision_soft_tokens_per_image=256,
        **ids(
            tokenizer,
            image_token_id=marks["image_token"],
            audio_token_id=marks["audio_token"],
            **{f"bo{k[0]}_token_id": f"<start_of_{k}>" for k in kinds},
            **{f"eo{k[0]}_token_id": f"<end_of_{k}>" for k in kinds},
        ),
    )
    processor = hf.Gemma3nProcessor(
        feature_extractor=hf.Gemma3nAudioFeatureExtractor(),
        image_processor=hf.SiglipImageProcessor(size=SIZE),
        tokenizer=tokenizer,
        image_seq_length=256,
        chat_template=_gemma_turns("<image_soft_token>"),
    )
    return save(folder, hf.Gemma3nForConditionalGeneration(config), processor)


def _gemma_turns(image: str) -> str:
    return turns(
        begin="<s>",
        user="<start_of_turn>user\n",
        end="<end_of_turn>\n",
        assistant="<start_of_turn>model\n",
        parts={"image": image},
    )
