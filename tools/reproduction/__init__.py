"""What the VDG paper prints, what its answers give, and how far the two agree."""
