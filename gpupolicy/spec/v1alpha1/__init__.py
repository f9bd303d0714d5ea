"""The models of `gpupolicy.dev/v1alpha1`, one module a topic."""
