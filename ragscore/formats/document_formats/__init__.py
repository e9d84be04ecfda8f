"""Documents on disk: a folder of texts, or ``documents.jsonl``."""
