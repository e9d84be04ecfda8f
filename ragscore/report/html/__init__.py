"""The report as one HTML file: templates, style and script, put together by page.py."""
