"""What was done on a screen, told afterwards: in steps of the past tense, those of one undertaking together."""
