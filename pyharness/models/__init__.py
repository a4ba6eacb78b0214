"""Models: a spec with a configuration and an expected outcome; checks by TLC, and their verdicts."""
