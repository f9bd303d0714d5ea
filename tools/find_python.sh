#!/bin/sh
# Print the first Python on PATH that can make our virtual environment; nothing if there is none.
for name in python3 python3.13 python3.12 python3.11 python; do
  if "$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    command -v "$name"
    exit 0
  fi
done
