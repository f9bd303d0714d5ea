"""Does it fit? One file a check; `gpupolicy.all_checks` lists them in order."""
