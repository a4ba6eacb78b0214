"""Models: a spec with a configuration and an expected outcome; how TLC is asked, and what it answered."""
