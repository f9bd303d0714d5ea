"""One vocabulary for every finding: codes, places, order, and the forms in which they are shown."""
