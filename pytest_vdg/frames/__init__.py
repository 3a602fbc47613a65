"""Videos to frames: decoding, sampling, and what is taken away from a clip.

A package of its own, below the backends, so that what a model is shown is
decided and tested in one place and without a model. Import from its modules:
`clip`, `sampling`, `decode`, `conditions`.
"""
