"""The query explorer: what the page holds of every query, packed to fit, and the worst ones."""
