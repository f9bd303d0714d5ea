"""The plan: our intermediate representation, and how a policy becomes one."""
