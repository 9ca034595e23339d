#!/usr/bin/env bash
# Vets all packages, tests too, and links the program for the systems that Trowel runs on besides this one. One architecture of
# each is enough to find what differs between systems, and macOS has the 64-bit Arm that servers have, too. On this system the
# linter vets everything but the programs below conformance.
set -euo pipefail
cd "$(dirname "$0")/.."

here=$(go env GOOS)
go vet ./conformance/...
for target in linux/amd64 darwin/arm64 windows/amd64; do
  export GOOS=${target%/*} GOARCH=${target#*/}
  [ "$GOOS" != "$here" ] || continue
  echo "$target"
  go vet ./...
  go build -o /dev/null ./cmd/trowel
done
