#!/bin/sh
# Policy 'field-five-pools': labels and taints of nodes that nothing else sets.
# Written by gpupolicy. It may run again at any time, and has to for new nodes.
#
#   label-nodes.sh [--dry-run] [arguments of kubectl, such as --context NAME]
#
# With --dry-run it prints the commands and runs none.
set -eu

dry_run=
if [ "${1-}" = --dry-run ]; then
  dry_run=yes
  shift
fi
failed=0

run() {
  if [ -n "$dry_run" ]; then
    printf "'%s' " "$@"
    printf '\n'
  else
    "$@" || failed=1
  fi
}

# found POOL SELECTOR: says so if no node has these labels, which kubectl would pass over.
found() {
  pool=$1 selector=$2
  shift 2
  if [ -n "$dry_run" ]; then return 0; fi
  nodes=$(kubectl "$@" get nodes -l "$selector" -o name) || { failed=1; return 1; }
  if [ -z "$nodes" ]; then
    printf "pool '%s': no node has %s\n" "$pool" "$selector" >&2
    return 1
  fi
}

# spot
if found 'spot' 'cloud.example.com/capacity=spot' "$@"; then
  run kubectl "$@" label nodes -l 'cloud.example.com/capacity=spot' 'gpupolicy.dev/pool=spot' 'nvidia.com/device-plugin.config=default' --overwrite
  run kubectl "$@" taint nodes -l 'cloud.example.com/capacity=spot' 'cloud.example.com/spot=true:NoSchedule' --overwrite
fi

exit "$failed"
