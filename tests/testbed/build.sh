#!/usr/bin/env bash
# Put a real control plane into .tools/testbed: etcd, the API server and its controllers, Kueue,
# Volcano and our own program that makes certificates; KAI and older releases of Kueue and Volcano go
# into folders of their own there, kueue-0.14 for example.
#
#   tests/testbed/build.sh [FOLDER ...]     those of tests/testbed/go to build; all but kai if none
#                                           is named
#
# Each folder of tests/testbed/go is one upstream, since their dependencies conflict. Its go.sum
# pins every byte; its programs are built once for every content of the folder, into a cache outside
# the tree. Nothing is installed on the system.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly bin=.tools/testbed
readonly cache="${XDG_CACHE_HOME:-$HOME/.cache}/gpupolicy/testbed"

# What a program is called: as its images call it, not as its folder of source.
name_of() {
  case $1 in
    go.etcd.io/etcd/server/v3) echo etcd ;;
    volcano.sh/volcano/cmd/*) echo "vc-${1##*/}" ;;
    *) echo "${1##*/}" ;;
  esac
}

# Kubernetes' programs have no version of their own, and clients decide by the server's.
linker_flags() {
  local version at=k8s.io/component-base/version
  version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes 2>/dev/null || true)
  printf -- '-s -w'
  if [ "$1" = kubernetes ]; then
    printf -- ' -X %s.gitVersion=%s -X %s.gitTreeState=clean' "$at" "$version" "$at"
    printf -- ' -X %s.gitMajor=1 -X %s.gitMinor=%s' "$at" "$at" "$(cut -d. -f2 <<<"$version")"
  fi
}

packages() {
  if compgen -G '*.go' >/dev/null; then go list; else go list -f '{{.ImportPath}}' tool; fi
}

# In its own folder: build every program of an upstream into $2, or none.
build() {
  local name=$1 to=$2 package started
  mkdir -p "$to.part"
  cd "tests/testbed/go/$name"
  if [ -x prepare.sh ]; then ./prepare.sh || return 1; fi
  for package in $(packages); do
    started=$SECONDS
    CGO_ENABLED=0 nice -n 19 go build -p 2 -trimpath -mod=readonly -buildvcs=false \
      -ldflags="$(linker_flags "$name")" -o "$to.part/$(name_of "$package")" "$package" || return 1
    echo "built $(name_of "$package") in $((SECONDS - started)) s" >&2
  done
  rm -rf "$to"
  mv "$to.part" "$to"
}

# What the programs depend on: their folder, how they are built, and the toolchain.
digest_of() {
  {
    find "tests/testbed/go/$1" -maxdepth 1 -type f | sort | xargs cat
    declare -f build name_of linker_flags packages
    go env GOVERSION GOOS GOARCH
  } | sha256sum | cut -c1-16
}

if ! command -v go >/dev/null; then
  echo "gpupolicy: go is not on PATH, so the test bed cannot be built" >&2
  exit 1
fi

mkdir -p "$bin"
if [ $# -eq 0 ]; then
  for folder in tests/testbed/go/*/; do
    if [ "$(basename "$folder")" != kai ]; then set -- "$@" "$(basename "$folder")"; fi
  done
fi
for name; do
  to="$cache/$name-$(digest_of "$name")"
  if [ ! -d "$to" ]; then
    echo "building $name (once; kept in $cache)" >&2
    (build "$name" "$to") || { echo "gpupolicy: $name could not be built" >&2; exit 1; }
  fi
  into=$bin
  if [[ $name =~ -[0-9] || $name = kai ]]; then into=$bin/$name; fi
  mkdir -p "$into"
  for program in "$to"/*; do ln -sfn "$program" "$into/$(basename "$program")"; done
done
