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

# Symbolic links of the recorded projects. On their way into the neighbour folder they became files with the link's target.
links=(
  conformance/cli/cases/push-files/p/lib/link.txt
  conformance/cli/cases/push-outgoing-symlinks/p/dir
  conformance/cli/cases/push-outgoing-symlinks/p/out.txt
)

# is_link tells whether a line of diff is about such a link, whose target is the file's text.
is_link() {
  local link
  for link in "${links[@]}"; do
    [[ $1 == *"$link"* && -L $link && -f $shared/$link && $(readlink "$link") == $(cat "$shared/$link") ]] && return
  done
  return 1
}

# newer prints what is in the source and missing or different here. What only the copy has is ours.
newer() {
  local line
  { diff -rq --no-dereference "$shared/$1" "$2" || true; } | while IFS= read -r line; do
    [[ $line == "Only in $2"* ]] || is_link "$line" || printf '%s\n' "$line"
  done
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
    for link in "${links[@]}"; do [[ $link == "$to"/* ]] && rm -f "$link"; done
    cp -R "$shared/$from/." "$to"
    for link in "${links[@]}"; do
      [[ $link == "$to"/* && -f $link && ! -L $link ]] && ln -sf "$(cat "$link")" "$link"
    done
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
