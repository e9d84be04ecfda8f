"""The query explorer: the data of every query, packed to fit into the page."""
