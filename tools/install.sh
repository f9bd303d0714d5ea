#!/usr/bin/env bash
# Put the real tools that the tests run into .tools/bin: promtool, amtool, kustomize, helm, and our
# own small programs around the vendors' configuration parsers.
#
# Each is built from the Go modules that tools/go/<name>/go.sum pins, once for every content of that
# folder, into a cache outside the tree. Nothing is installed on the system. Where a tool cannot be
# had, one line says so and its tests are skipped by name; with CI=true that is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly bin=.tools/bin
readonly cache="${XDG_CACHE_HOME:-$HOME/.cache}/gpupolicy/tools"

missing() {
  echo "gpupolicy: $1; tests that need it are skipped" >&2
  if [ "${CI:-}" = true ]; then exit 1; fi
}

# The service discoveries that promtool would carry take longer to build than all the rest.
build_tags() {
  if [ "$1" = promtool ]; then echo remove_all_sd,enable_kubernetes_sd,enable_file_sd; fi
}

# NVIDIA's bindings to the driver library are C; nothing of the driver is needed to build or run.
uses_c() {
  if [ "$1" = nvidia-config ]; then echo 1; else echo 0; fi
}

build() {
  local name=$1 to=$2 package=. started=$SECONDS
  echo "building $name (once; kept in $cache)" >&2
  mkdir -p "$to"
  (
    cd "tools/go/$name"
    if ! compgen -G '*.go' >/dev/null; then package=$(go list -f '{{.ImportPath}}' tool); fi
    CGO_ENABLED=$(uses_c "$name") go build -trimpath -mod=readonly -buildvcs=false \
      -tags "$(build_tags "$name")" -ldflags='-s -w' -o "$to/$name.part" "$package"
  ) && mv "$to/$name.part" "$to/$name" && echo "built $name in $((SECONDS - started)) s" >&2
}

# What a binary depends on: its folder, how it is built, and the toolchain.
digest_of() {
  {
    cat "tools/go/$1"/*
    declare -f build build_tags uses_c
    go env GOVERSION GOOS GOARCH
  } | sha256sum | cut -c1-16
}

if ! command -v go >/dev/null; then
  missing "go is not on PATH, so promtool, amtool, kustomize, helm and the vendors' parsers cannot be built"
  exit 0
fi

mkdir -p "$bin"
for folder in tools/go/*/; do
  name=$(basename "$folder")
  to="$cache/$name-$(digest_of "$name")"
  if [ -x "$to/$name" ] || build "$name" "$to"; then
    ln -sfn "$to/$name" "$bin/$name"
  else
    missing "$name could not be built"
  fi
done
