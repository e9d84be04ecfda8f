"""What many tests need: one module for each subject."""
