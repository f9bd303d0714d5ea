module gpupolicy.dev/testbed/certs

go 1.26.0
