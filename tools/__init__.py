"""Scripts that make what the repository holds: clips, checkpoints, pictures."""
