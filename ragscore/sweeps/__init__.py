"""What a sweep found: the best configuration, what is as good, and what the choice is worth."""
