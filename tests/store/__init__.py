"""What is kept on disk: answers, and runs as baselines."""
