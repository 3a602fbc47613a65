"""The same checkpoint, clips and conditions through lmms-eval and through us."""
