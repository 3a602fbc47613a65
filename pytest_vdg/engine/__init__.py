"""Planning and running: where frames, questions, models and store meet."""
