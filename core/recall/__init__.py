"""How a question about what was done is understood, what answers it, and how sure that is."""
