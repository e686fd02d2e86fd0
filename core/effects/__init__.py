"""Effects: what a run was to bring about, read by another way than the acted program's own word."""
