"""The forms in which findings are shown, one a file. Pure functions; nothing here prints."""
