"""What is wrong with a dataset before anything is searched: one file for each check,
``check_table.py`` has their table."""
