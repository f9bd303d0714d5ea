"""The command line: the only room that prints and exits. One file a verb."""
