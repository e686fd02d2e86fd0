"""What a recording shows of a task, told without a model: nothing in it that was not seen or logged."""
