#!/usr/bin/env bash
# Volcano's own go.mod takes its API package from a folder of its repository, which no module has.
# The published one of the release before differs from it, in what is compiled here, by one
# constant: take that one, and add the constant (volcano v1.15.1,
# staging/src/volcano.sh/apis/pkg/apis/scheduling/v1beta1/labels.go).
set -euo pipefail
readonly version=v1.14.0 sum=h1:Rf8wzGFmgzbyg85GO0CxapDDEk/VM3D7QbjbI/sH+OQ=

answer=$(cd "$(mktemp -d)" && echo 'module scratch' >go.mod && go mod download -json "volcano.sh/apis@$version")
field() { sed -n "s/^\t\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" <<<"$answer"; }
test "$(field Sum)" = "$sum" || { echo "volcano.sh/apis@$version is not what it was" >&2; exit 1; }

rm -rf apis
cp -r "$(field Dir)" apis
chmod -R u+w apis
cat >apis/pkg/apis/scheduling/v1beta1/queue_allocation_gate.go <<'GO'
package v1beta1

// QueueAllocationGateKey is an annotation and a scheduling gate.
const QueueAllocationGateKey = GroupName + "/queue-allocation-gate"
GO
