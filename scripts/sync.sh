#!/usr/bin/env bash
# The specs, the design and the conformance cases are copies of what may lie in a neighbour folder, ../shared.
#
#   scripts/sync.sh            takes over what is new there
#   scripts/sync.sh --check    fails when something there is newer or missing here; without the folder there is nothing to check
set -euo pipefail
cd "$(dirname "$0")/.."
shared=../shared
copies=("conformance conformance" "spec docs/spec" "design.md docs/design.md")

if [ ! -d "$shared/conformance" ]; then
  [ "${1:-}" = --check ] && exit 0
  echo "cannot take over anything: there is no $shared/conformance" >&2
  exit 1
fi

# newer prints what is in the source and missing or different here. What only the copy has is ours.
newer() {
  diff -rq "$shared/$1" "$2" | grep -v "^Only in $2" || true
}

for copy in "${copies[@]}"; do
  read -r from to <<<"$copy"
  found=$(newer "$from" "$to")
  [ -n "$found" ] || continue
  if [ "${1:-}" = --check ]; then
    echo "$to differs from $shared/$from:" >&2
    echo "$found" | head -n 20 >&2
    stale=1
    continue
  fi
  if [ -d "$shared/$from" ]; then
    cp -R "$shared/$from/." "$to"
  else
    cp "$shared/$from" "$to"
  fi
  chmod -R u+w "$to"
  echo "$found"
done

if [ -n "${stale:-}" ]; then
  echo "run \`make conformance-sync\`, read the difference, and commit it (git add -f conformance docs)" >&2
  exit 1
fi
