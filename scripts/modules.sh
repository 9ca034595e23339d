#!/usr/bin/env bash
# Checks go.mod: it is what `go mod tidy` makes of it, and modernc.org/libc is the version that modernc.org/sqlite was
# made with, since another one may break it at run time without a word.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! go mod tidy -diff; then
  echo "go.mod is not tidy: run \`go mod tidy\`" >&2
  exit 1
fi

# version MODULE prints the version that the build uses, nothing if it uses none.
version() {
  go list -m -f '{{.Version}}' "$1" 2>/dev/null || true
}

if [ -n "$(version modernc.org/sqlite)" ]; then
  want=$(awk '$1 == "modernc.org/libc" { print $2 }' "$(go list -m -f '{{.GoMod}}' modernc.org/sqlite)")
  have=$(version modernc.org/libc)
  if [ "$have" != "$want" ]; then
    echo "modernc.org/libc is $have, but modernc.org/sqlite was made with $want: run \`go get modernc.org/libc@$want\`" >&2
    exit 1
  fi
fi
