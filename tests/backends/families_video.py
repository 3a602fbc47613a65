"""Tiny checkpoints of families with an encoder of their own for videos.

Apart from those put together of parts because these have much to configure:
marks around each frame, pooling, patches of any number.
"""

from __future__ import annotations

from pathlib import Path

from tests.backends.tinyfamilies import (
    CHATML,
    PAD_IDS,
    PADS,
    PIXELS,
    RECURRENT,
    SIDE,
    SIZE,
    SLIDING,
    Untyped,
    chatml,
    ids,
    letters,
    save,
    text_sizes,
    turns,
    vision_sizes,
)


def glm4v(folder: Path) -> Path:
    """Frames in pairs, as pictures between the marks of a video, whole seconds."""
    import transformers as hf

    return _glm(folder, "Glm4v", "Glm4v", hf.Glm4vConfig)


def glm46v(folder: Path) -> Path:
    """As `glm4v`, with tenths of seconds."""
    import transformers as hf

    return _glm(folder, "Glm46V", "Glm46V", hf.Glm46VConfig)


def glm4v_moe(folder: Path) -> Path:
    """As `glm4v`, with experts."""
    import transformers as hf

    experts = {
        "n_routed_experts": 4,
        "num_experts_per_tok": 2,
        "n_shared_experts": 1,
        "moe_intermediate_size": 16,
    }
    return _glm(folder, "Glm4vMoe", "Glm4v", hf.Glm4vMoeConfig, **experts)


def _glm(
    folder: Path, stem: str, parts: str, config_class: Untyped, **text: int
) -> Path:
    import transformers as hf

    kinds = ("image", "video")
    ends = [f"<|{side}_of_{kind}|>" for kind in kinds for side in ("begin", "end")]
    tokenizer = letters(
        {"image_token": "<|image|>", "video_token": "<|video|>"},
        ["[gMASK]", "<sop>", "<|user|>", "<|assistant|>", *ends],
    )
    marks = {f"{kind}_token_id": f"<|{kind}|>" for kind in kinds}
    marks |= {f"{kind}_start_token_id": f"<|begin_of_{kind}|>" for kind in kinds}
    marks |= {f"{kind}_end_token_id": f"<|end_of_{kind}|>" for kind in kinds}
    kind = "glm4v_moe" if text else "glm4v"
    axes = {"mrope_section": [1, 1, 0] if text else [1, 1, 2]}  # half of it turns
    rope = {"rope_type": "default", "rope_theta": 1e4, **axes}
    config = config_class(
        text_config={
            **text_sizes(tokenizer, f"{kind}_text"),
            **text,
            "rope_parameters": rope,
        },
        vision_config={
            "depth": 2,
            "num_heads": 4,
            "hidden_size": 32,
            "patch_size": 8,
            "out_hidden_size": 32,
            "intermediate_size": 48,
            "image_size": SIDE,
            "model_type": f"{kind}_vision",
        },
        **ids(tokenizer, **marks),
    )
    edges = {"shortest_edge": 16 * 16, "longest_edge": SIDE * SIDE * 32}
    sizes = {"size": edges, "patch_size": 8, "merge_size": 2, **PIXELS}
    processor = getattr(hf, f"{parts}Processor")(
        image_processor=getattr(hf, f"{parts}ImageProcessor")(**sizes),
        tokenizer=tokenizer,
        video_processor=getattr(hf, f"{parts}VideoProcessor")(**sizes),
        chat_template=turns(
            begin="[gMASK]<sop>",
            user="<|user|>\n",
            end="",
            assistant="<|assistant|>\n",
            parts={
                kind: f"<|begin_of_{kind}|><|{kind}|><|end_of_{kind}|>"
                for kind in kinds
            },
        ),
    )
    model = getattr(hf, f"{stem}ForConditionalGeneration")(config)
    return save(folder, model, processor)


def gemma4(folder: Path) -> Path:
    """Patches pooled three by three; each frame with its minute and second."""
    vision = {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "head_dim": 8,
        "position_embedding_size": 64,
    }
    return _gemma4(folder, "Gemma4", vision, hidden_size_per_layer_input=0)


def gemma4_unified(folder: Path) -> Path:
    """As `gemma4`, without an encoder; tokens of a frame see each other both ways."""
    vision = {"mm_embed_dim": 32, "mm_posemb_size": 64, "output_proj_dims": 32}
    return _gemma4(folder, "Gemma4Unified", vision)


def _gemma4(
    folder: Path, stem: str, vision: dict[str, Untyped], **text: Untyped
) -> Path:
    import transformers as hf

    marks = {
        "image_token": "<|image|>",
        "boi_token": "<|image>",
        "eoi_token": "<image|>",
        "audio_token": "<|audio|>",
        "boa_token": "<|audio>",
        "eoa_token": "<audio|>",
    }
    tokenizer = letters(marks, ["<|video|>", "<|turn>", "<turn|>"])
    config = getattr(hf, f"{stem}Config")(
        text_config={
            **text_sizes(tokenizer),
            "vocab_size_per_layer_input": len(tokenizer),
            "global_head_dim": 8,
            **SLIDING,
            **text,
        },
        vision_config={**vision, "patch_size": 4},
        audio_config=None,
        **ids(
            tokenizer,
            image_token_id="<|image|>",
            video_token_id="<|video|>",
            boi_token_id="<|image>",
            eoi_token_id="<image|>",
            boa_token_id="<|audio>",
            eoa_token_index="<audio|>",
            audio_token_id="<|audio|>",
        ),
    )
    processor = getattr(hf, f"{stem}Processor")(
        feature_extractor=getattr(hf, f"{stem}AudioFeatureExtractor")(),
        image_processor=getattr(hf, f"{stem}ImageProcessor")(
            patch_size=4, max_soft_tokens=70
        ),
        tokenizer=tokenizer,
        video_processor=getattr(hf, f"{stem}VideoProcessor")(
            patch_size=4, max_soft_tokens=70
        ),
        chat_template=turns(
            begin="<s>",
            user="<|turn>user\n",
            end="<turn|>\n",
            assistant="<|turn>model\n",
            parts={"image": "\n\n<|image|>\n\n", "video": "\n\n<|video|>\n\n"},
        ),
    )
    return save(
        folder, getattr(hf, f"{stem}ForConditionalGeneration")(config), processor
    )


def molmo2(folder: Path) -> Path:
    """Each frame between marks of its own, after its seconds."""
    import transformers as hf

    marks = {"image_token": "<|image|>", "video_token": "<|video|>"}
    own = {
        "image_patch_id": "<im_patch>",
        "image_start_token_id": "<im_start>",
        "image_end_token_id": "<im_end>",
        "frame_start_token_id": "<frame_start>",
        "frame_end_token_id": "<frame_end>",
        "low_res_image_start_token_id": "<low_res_im_start>",
    }
    tokenizer = letters(marks, [*CHATML, *own.values(), "<im_col>", "<im_low>"])
    text = {**text_sizes(tokenizer), "additional_vocab_size": 8}
    config = hf.Molmo2Config(
        text_config=text,
        vision_config={
            **{k: v for k, v in vision_sizes().items() if k != "image_size"},
            "num_key_value_heads": 4,
            "head_dim": 8,
            "image_size": [SIDE, SIDE],
        },
        adapter_config={
            "vision_feature_layer": [-1, -2],
            "hidden_size": 32,
            "head_dim": 8,
            "num_attention_heads": 4,
            "num_key_value_heads": 4,
            "intermediate_size": 48,
            "text_hidden_size": 32,
        },
        **ids(tokenizer, **own),
    )
    sizes = {"size": SIZE, "patch_size": 8, **PIXELS}
    processor = hf.Molmo2Processor(
        image_processor=hf.Molmo2ImageProcessor(
            **sizes, pooling_size=[2, 2], overlap_margins=[1, 1]
        ),
        video_processor=hf.Molmo2VideoProcessor(**sizes, pooling_size=[2, 2]),
        tokenizer=tokenizer,
        chat_template=chatml(image="<|image|>", video="<|video|>"),
    )
    return save(folder, hf.Molmo2ForConditionalGeneration(config), processor)


def minicpmv4_6(folder: Path) -> Path:
    """Frames packed to one row of patches, each at its own size."""
    return _minicpm(folder, "MiniCPMV4_6", "qwen3")


def minicpmv4_7(folder: Path) -> Path:
    """As `minicpmv4_6`, on the language model of Qwen3.5."""
    rope = {
        "rope_type": "default",
        "rope_theta": 1e4,
        "mrope_section": [1, 1, 0],
        "partial_rotary_factor": 0.5,
    }
    own = {**RECURRENT, "rope_parameters": rope}
    return _minicpm(folder, "MiniCPMV4_7", "qwen3_5_text", **own)


def _minicpm(folder: Path, stem: str, kind: str, **text: Untyped) -> Path:
    import transformers as hf

    marks = {
        **PADS,
        "image_start_token": "<image>",
        "image_end_token": "</image>",
        "slice_start_token": "<slice>",
        "slice_end_token": "</slice>",
        "image_id_start_token": "<image_id>",
        "image_id_end_token": "</image_id>",
    }
    tokenizer = letters(marks, CHATML)
    edges = {
        "image_start_id": "<image>",
        "image_end_id": "</image>",
        "slice_start_id": "<slice>",
        "slice_end_id": "</slice>",
    }
    config = getattr(hf, f"{stem}Config")(
        text_config={**text_sizes(tokenizer, kind), **text},
        vision_config={**vision_sizes(), "num_hidden_layers": 2, "insert_layer_id": 0},
        insert_layer_id=0,
        image_size=SIDE,
        **(ids(tokenizer, **edges, newline_id="\n") if text else {}),
        **ids(tokenizer, **PAD_IDS),
    )
    sizes = {"patch_size": 8, "scale_resolution": SIDE, **PIXELS}
    processor = getattr(hf, f"{stem}Processor")(
        image_processor=hf.MiniCPMV4_6ImageProcessor(**sizes),
        video_processor=hf.MiniCPMV4_6VideoProcessor(**sizes),
        tokenizer=tokenizer,
        chat_template=chatml(image="<|image_pad|>\n", video="<|video_pad|>\n"),
    )
    model = getattr(hf, f"{stem}ForConditionalGeneration")(config)
    return save(folder, model, processor)
