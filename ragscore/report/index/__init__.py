"""The page of all result folders beneath a folder, and the server that shows it and the reports."""
