"""Every value that the VDG paper prints and its published answers can check.

"Accuracy Without Grounding: Diagnosing Visual Dependency Dissociation in Video
LLM Benchmarks" (2026); tables and sections are the paper's. Apart from the code
that computes ours so that nothing of ours can leak into it. Texts, as printed:
the number of digits says how exactly a value is known.
"""

from __future__ import annotations

MODELS = {
    "qwen2vl": "Qwen2-VL-7B",
    "llava": "LLaVA-Video-7B",
    "internvl2": "InternVL2-8B",
}
"""Name of a model in the files, and in the paper; the order of its columns."""

TASKS = (
    "Attribute Perception",
    "Object Recognition",
    "OCR Problems",
    "Action Recognition",
    "Action Reasoning",
    "Temporal Reasoning",
)

OVERALL = "Overall"

# Table 1: VDG and its interval, a row a task, a column a model.
TABLE_1 = {
    "Attribute Perception": ("0.40 0.28 0.52", "0.46 0.35 0.56", "0.38 0.26 0.50"),
    "Object Recognition": ("0.25 0.13 0.37", "0.48 0.37 0.59", "0.38 0.28 0.48"),
    "OCR Problems": ("0.32 0.20 0.44", "0.33 0.21 0.44", "0.23 0.11 0.34"),
    "Action Recognition": ("0.21 0.12 0.31", "0.32 0.22 0.41", "0.25 0.15 0.35"),
    "Action Reasoning": ("0.23 0.11 0.34", "0.16 0.07 0.25", "0.18 0.08 0.28"),
    "Temporal Reasoning": ("0.00 -0.11 0.11", "0.08 -0.03 0.19", "0.09 0.00 0.18"),
    OVERALL: ("0.24 0.19 0.29", "0.31 0.26 0.35", "0.25 0.21 0.30"),
}

# Table S4: shares of the categories I, II, III, IV.
TABLE_S4 = {
    "Attribute Perception": (
        "0.460 0.240 0.060 0.240",
        "0.490 0.330 0.030 0.150",
        "0.450 0.250 0.070 0.230",
    ),
    "Object Recognition": (
        "0.340 0.280 0.090 0.290",
        "0.510 0.270 0.030 0.190",
        "0.400 0.230 0.020 0.350",
    ),
    "OCR Problems": (
        "0.310 0.260 0.110 0.320",
        "0.390 0.300 0.060 0.250",
        "0.310 0.230 0.080 0.380",
    ),
    "Action Recognition": (
        "0.250 0.430 0.040 0.280",
        "0.330 0.450 0.010 0.210",
        "0.280 0.290 0.030 0.400",
    ),
    "Action Reasoning": (
        "0.230 0.320 0.110 0.340",
        "0.210 0.400 0.050 0.340",
        "0.230 0.320 0.050 0.400",
    ),
    "Temporal Reasoning": (
        "0.110 0.290 0.130 0.470",
        "0.190 0.270 0.110 0.430",
        "0.160 0.280 0.070 0.490",
    ),
    OVERALL: (
        "0.283 0.303 0.090 0.323",
        "0.353 0.337 0.048 0.262",
        "0.305 0.267 0.053 0.375",
    ),
}

# Table S5: accuracy on black clips, then "alignment" in percent (a dash where
# the accuracy is at chance).
TABLE_S5 = {
    "Attribute Perception": ("0.300 35", "0.360 25", "0.320 54"),
    "Object Recognition": ("0.370 15", "0.300 55", "0.250"),
    "OCR Problems": ("0.370 56", "0.360 71", "0.310 63"),
    "Action Recognition": ("0.470 31", "0.460 23", "0.320 25"),
    "Action Reasoning": ("0.430 54", "0.450 49", "0.370 40"),
    "Temporal Reasoning": ("0.420 63", "0.380 75", "0.350 48"),
    OVERALL: ("0.393 29", "0.385 31", "0.320 -21"),
}

KEY_SHARES = "24 29 26 21"
"""Section S5: percent of the key that A, B, C and D are."""

BLACK_SHARES = {"qwen2vl": "B 31", "llava": "A 26 B 29 C 19 D 26", "internvl2": "A 31"}
"""Section S5: labels and percent of the answers on black clips."""

# Table 3: accuracy on the original clips, Qwen2-VL.
TABLE_3_ORIGINAL = {
    "OCR Problems": "0.570",
    "Action Recognition": "0.680",
    "Action Reasoning": "0.550",
    "Temporal Reasoning": "0.545",
    "Attribute Perception": "0.700",
    "Object Recognition": "0.620",
    OVERALL: "0.611",
}

# Table S12: correct to incorrect, incorrect to correct, net, stable percent.
TABLE_S12 = {
    "qwen2vl": "32 27 -5 90.2",
    "llava": "28 25 -3 91.2",
    "internvl2": "25 28 3 91.2",
}

# Table S14: "Spearman" and exact agreement in percent.
TABLE_S14 = {
    ("qwen2vl", "llava"): "0.304 64.8",
    ("qwen2vl", "internvl2"): "0.274 63.5",
    ("llava", "internvl2"): "0.298 65.0",
}

# Section 4.1: Spearman between task ranks.
RANK_CORRELATIONS = {
    ("qwen2vl", "llava"): "0.771",
    ("qwen2vl", "internvl2"): "0.667",
    ("llava", "internvl2"): "0.928",
}

# Table 4: accuracies, VDG, interval; Table S6: D, C, net; D:C is in both.
TABLE_4 = {
    "internvl2": "0.600 0.318 0.282 0.236 0.330 8.8",
    "qwen2vl": "0.568 0.304 0.264 0.220 0.308 8.3",
    "llava": "0.514 0.206 0.308 0.264 0.352 12.8",
}
TABLE_S6 = {
    "internvl2": "159 18 8.8 141",
    "qwen2vl": "150 18 8.3 132",
    "llava": "167 13 12.8 154",
}

# Table S3: wrong in both, right in the second only, in the first only, in both,
# chi-square, p. The paper's "first" is the left one of the pair.
TABLE_S3 = {
    ("internvl2", "qwen2vl"): (
        "131 69 85 215 1.46 0.227",
        "280 61 68 91 0.28 0.597",
    ),
    ("internvl2", "llava"): (
        "148 52 95 205 12.0 0.0005",
        "302 39 95 64 22.6 <0.001",
    ),
    ("qwen2vl", "llava"): (
        "169 47 74 210 5.59 0.018",
        "318 30 79 73 21.1 <0.001",
    ),
}

# Table S11, on Video-MME, InternVL2 against Qwen2-VL: as Table S3.
TABLE_S11 = {
    "original": "120 34 52 341 3.58 0.0906",
    "black": "263 58 22 204 15.2 0.0008",
}

# Table 2: "b01 b10" and p on the original clips.
TABLE_2 = {
    "MVBench, InternVL2 against Qwen2-VL": "58 28 0.0003",
    "MVBench, InternVL2 against LLaVA-Video": "52 24 0.0006",
    "MVBench, Qwen2-VL against LLaVA-Video": "41 18 0.0007",
    "Video-MME, InternVL2 against Qwen2-VL": "34 52 0.0906",
}

# Table 6: original, black, VDG.
TABLE_6 = {
    "Qwen2-VL-2B": "0.472 0.313 0.159",
    "Qwen2-VL-72B": "0.667 0.410 0.257",
    "Qwen2.5-VL-3B": "0.572 0.362 0.210",
    "Qwen2.5-VL-7B": "0.630 0.333 0.297",
    "Qwen2.5-VL-32B": "0.635 0.369 0.266",
    "Qwen2.5-VL-72B": "0.703 0.377 0.326",
    "Qwen3-VL-2B": "0.447 0.333 0.114",
    "Qwen3-VL-8B": "0.514 0.407 0.107",
    "Qwen3-VL-32B": "0.557 0.392 0.165",
    "InternVL2-2B": "0.513 0.295 0.218",
    "InternVL2-8B": "0.583 0.312 0.272",
    "InternVL2-26B": "0.582 0.320 0.262",
    "InternVL2-76B": "0.308 0.357 -0.048",
    "InternVL2.5-78B": "0.452 0.452 0.000",
    "VideoLLaMA2-7B": "0.585 0.342 0.243",
    "LLaVA-Video-7B": "0.638 0.351 0.287",
    "GPT-4o-mini": "0.622 0.332 0.290",
    "Gemini 2.5 FL": "0.552 0.237 0.315",
    "Llama 3.2 11B": "0.427 0.322 0.105",
    "Nemotron Nano 12B": "0.440 0.415 0.025",
}

# Table 7: black, single frame, shuffled, original; spatial, diversity, temporal.
TABLE_7 = {
    "Qwen2-VL-2B": "0.313 0.377 0.475 0.472 0.064 0.098 -0.003",
    "Qwen2-VL-72B": "0.410 0.490 0.637 0.667 0.080 0.147 0.030",
    "Qwen2.5-VL-3B": "0.362 0.420 0.550 0.572 0.058 0.130 0.022",
    "Qwen2.5-VL-7B": "0.333 0.425 0.572 0.630 0.092 0.147 0.058",
    "Qwen2.5-VL-32B": "0.369 0.462 0.600 0.635 0.093 0.138 0.035",
    "Qwen2.5-VL-72B": "0.377 0.482 0.625 0.703 0.105 0.143 0.078",
    "Qwen3-VL-2B": "0.333 0.385 0.418 0.447 0.052 0.033 0.029",
    "Qwen3-VL-8B": "0.407 0.488 0.522 0.514 0.081 0.034 -0.008",
    "Qwen3-VL-32B": "0.392 0.475 0.513 0.557 0.083 0.038 0.044",
    "InternVL2-2B": "0.295 0.380 0.503 0.513 0.085 0.123 0.010",
    "InternVL2-8B": "0.312 0.420 0.575 0.583 0.108 0.155 0.008",
    "InternVL2-26B": "0.320 0.405 0.575 0.582 0.085 0.170 0.007",
    "InternVL2-76B": "0.357 0.280 0.295 0.308 -0.077 0.015 0.013",
    "InternVL2.5-78B": "0.452 0.448 0.452 0.452 -0.004 0.004 0.000",
    "VideoLLaMA2-7B": "0.342 0.475 0.550 0.585 0.133 0.075 0.035",
    "LLaVA-Video-7B": "0.351 0.443 0.628 0.638 0.092 0.185 0.010",
}
