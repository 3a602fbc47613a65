"""Tiny checkpoints of the LLaVA line and its like, which take a video as a video.

Apart from other families that do because these are put together of parts: an
encoder of pictures, a projector, a language model of any kind.
"""

from __future__ import annotations

from pathlib import Path

from tests.backends.tinyfamilies import (
    CHATML,
    IMAGE_VIDEO,
    PAD_IDS,
    PADS,
    PIXELS,
    SIDE,
    SIZE,
    Untyped,
    chatml,
    ids,
    letters,
    save,
    siglip_sizes,
    text_sizes,
    turns,
    vision_sizes,
)

CROPPED = {"size": {"shortest_edge": SIDE}, "crop_size": SIZE, **PIXELS}


def internvl(folder: Path) -> Path:
    """Patches merged two by two; each frame named and numbered."""
    import transformers as hf

    marks = {
        "start_image_token": "<img>",
        "end_image_token": "</img>",
        "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }
    tokenizer = letters(marks, CHATML)
    vision = {**vision_sizes(), "image_size": [SIDE, SIDE], "patch_size": [8, 8]}
    config = hf.InternVLConfig(
        text_config=text_sizes(tokenizer, "qwen2"),
        vision_config=vision,
        image_seq_length=4,
        **ids(tokenizer, image_token_id="<IMG_CONTEXT>"),
    )
    processor = hf.InternVLProcessor(
        image_processor=hf.GotOcr2ImageProcessor(size=SIZE),
        tokenizer=tokenizer,
        video_processor=hf.InternVLVideoProcessor(size=SIZE),
        image_seq_length=4,
        chat_template=chatml(image="<IMG_CONTEXT>\n", video="<video>\n"),
    )
    return save(folder, hf.InternVLForConditionalGeneration(config), processor)


def llava_onevision(folder: Path) -> Path:
    """Patches pooled two by two, a line's end after the last."""
    import transformers as hf

    tokenizer = letters(IMAGE_VIDEO, CHATML)
    config = hf.LlavaOnevisionConfig(
        text_config=text_sizes(tokenizer, "qwen2"),
        vision_config=siglip_sizes(),
        image_grid_pinpoints=[[SIDE, SIDE]],
        vision_feature_layer=-1,
        **ids(tokenizer, image_token_index="<image>", video_token_index="<video>"),
    )
    processor = hf.LlavaOnevisionProcessor(
        image_processor=hf.LlavaOnevisionImageProcessor(
            size=SIZE, image_grid_pinpoints=[[SIDE, SIDE]]
        ),
        tokenizer=tokenizer,
        video_processor=hf.LlavaOnevisionVideoProcessor(size=SIZE),
        num_image_tokens=16,
        vision_feature_select_strategy="full",
        chat_template=chatml(image="<image>\n", video="<video>\n"),
    )
    return save(folder, hf.LlavaOnevisionForConditionalGeneration(config), processor)


def llava_next_video(folder: Path) -> Path:
    """Vicuna's turns; a video's frames are pooled two by two."""
    import transformers as hf

    tokenizer = letters(IMAGE_VIDEO)
    config = hf.LlavaNextVideoConfig(
        text_config=text_sizes(tokenizer, "llama"),
        vision_config=vision_sizes("clip_vision_model"),
        image_grid_pinpoints=[[SIDE, SIDE]],
        vision_feature_layer=-1,
        **ids(tokenizer, image_token_index="<image>", video_token_index="<video>"),
    )
    processor = hf.LlavaNextVideoProcessor(
        video_processor=hf.LlavaNextVideoVideoProcessor(**CROPPED),
        image_processor=hf.LlavaNextImageProcessor(
            **CROPPED, image_grid_pinpoints=[[SIDE, SIDE]]
        ),
        **_vicuna(tokenizer),
    )
    return save(folder, hf.LlavaNextVideoForConditionalGeneration(config), processor)


def video_llava(folder: Path) -> Path:
    """Vicuna's turns; every patch of every frame, and its class token."""
    import transformers as hf

    tokenizer = letters(IMAGE_VIDEO)
    config = hf.VideoLlavaConfig(
        text_config=text_sizes(tokenizer, "llama"),
        vision_config=vision_sizes("clip_vision_model"),
        vision_feature_layer=-1,
        **ids(tokenizer, image_token_index="<image>", video_token_index="<video>"),
    )
    processor = hf.VideoLlavaProcessor(
        image_processor=hf.VideoLlavaImageProcessor(**CROPPED),
        video_processor=hf.VideoLlavaVideoProcessor(**CROPPED),
        **_vicuna(tokenizer),
    )
    return save(folder, hf.VideoLlavaForConditionalGeneration(config), processor)


def _vicuna(tokenizer: Untyped) -> dict[str, Untyped]:
    """Return what processors of CLIP's patches before Vicuna have in common."""
    return {
        "tokenizer": tokenizer,
        "patch_size": 8,
        "vision_feature_select_strategy": "default",
        "num_additional_image_tokens": 1,
        "chat_template": turns(
            user="USER: ",
            end=" ",
            assistant="ASSISTANT:",
            parts={"image": "<image>\n", "video": "<video>\n"},
        ),
    }


def video_llama_3(folder: Path) -> Path:
    """Frames of any size; each is introduced by its time in seconds."""
    import transformers as hf

    tokenizer = letters(PADS, CHATML)
    vision = {k: v for k, v in vision_sizes().items() if k != "image_size"}
    config = hf.VideoLlama3Config(
        text_config=text_sizes(tokenizer, "qwen2"),
        vision_config=vision,
        **ids(tokenizer, **PAD_IDS),
    )
    size = {"shortest_edge": 16 * 16, "longest_edge": SIDE * SIDE * 16}
    sizes = {"size": size, "patch_size": 8, "merge_size": 2, **PIXELS}
    processor = hf.VideoLlama3Processor(
        image_processor=hf.VideoLlama3ImageProcessor(**sizes),
        tokenizer=tokenizer,
        video_processor=hf.VideoLlama3VideoProcessor(**sizes),
        chat_template=chatml(image="<|image_pad|>\n", video="<|video_pad|>\n"),
    )
    return save(folder, hf.VideoLlama3ForConditionalGeneration(config), processor)


def smolvlm(folder: Path) -> Path:
    """A video is a list of pictures, each introduced by minute and second."""
    import transformers as hf

    marks = {
        **IMAGE_VIDEO,
        "fake_image_token": "<fake_token_around_image>",
        "global_image_token": "<global-img>",
        "end_of_utterance_token": "<end_of_utterance>",
    }
    tokenizer = letters(marks, ["<|im_start|>"])
    config = hf.SmolVLMConfig(
        text_config=text_sizes(tokenizer, "llama"),
        vision_config=vision_sizes(),
        scale_factor=2,
        **ids(tokenizer, image_token_id="<image>"),
    )
    edges = {
        "size": {"longest_edge": SIDE},
        "max_image_size": {"longest_edge": SIDE},
        **PIXELS,
    }
    processor = hf.SmolVLMProcessor(
        image_processor=hf.SmolVLMImageProcessor(**edges),
        tokenizer=tokenizer,
        video_processor=hf.SmolVLMVideoProcessor(
            **edges,
            video_sampling={"max_frames": 64, "fps": 1, "video_size": edges["size"]},
        ),
        image_seq_len=4,
        chat_template=turns(
            begin="<|im_start|>",
            user="User: ",
            end="<end_of_utterance>\n",
            assistant="Assistant:",
            parts={"image": "<image>", "video": "<video>"},
        ),
    )
    return save(folder, hf.SmolVLMForConditionalGeneration(config), processor)


def perception_lm(folder: Path) -> Path:
    """Llama 3's turns; patches pooled two by two."""
    import transformers as hf

    headers = ("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
    marks = {"image_token": "<|image|>", "video_token": "<|video|>"}
    tokenizer = letters(marks, headers)
    config = hf.PerceptionLMConfig(
        text_config=text_sizes(tokenizer, "llama"),
        vision_config=_perception_encoder(),
        vision_use_cls_token=True,
        projector_pooling_ratio=2,
        **ids(tokenizer, image_token_id="<|image|>", video_token_id="<|video|>"),
    )
    processor = hf.PerceptionLMProcessor(
        video_processor=hf.PerceptionLMVideoProcessor(size=SIZE),
        image_processor=hf.PerceptionLMImageProcessor(tile_size=SIDE),
        tokenizer=tokenizer,
        patch_size=16,
        pooling_ratio=2,
        chat_template=turns(
            begin="<s>",
            user="<|start_header_id|>user<|end_header_id|>\n\n",
            end="<|eot_id|>",
            assistant="<|start_header_id|>assistant<|end_header_id|>\n\n",
            parts={"image": "<|image|>", "video": "<|video|>"},
        ),
    )
    return save(folder, hf.PerceptionLMForConditionalGeneration(config), processor)


def _perception_encoder() -> dict[str, Untyped]:
    return {
        "model_type": "timm_wrapper",
        "architecture": "vit_pe_core_tiny_patch16_384",
        "model_args": {
            "embed_dim": 32,
            "depth": 2,
            "num_heads": 4,
            "img_size": [SIDE, SIDE],
            "ref_feat_shape": [2, 2],
            "global_pool": "",
            "init_values": 0.1,
            "use_post_transformer_norm": False,
        },
    }
