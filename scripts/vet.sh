#!/usr/bin/env bash
# Vets and builds all packages without cgo for the systems that Trowel runs on. One architecture of each is enough
# to find what differs between systems, and macOS has the 64-bit Arm that servers have, too.
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED=0

for target in linux/amd64 darwin/arm64 windows/amd64; do
  export GOOS=${target%/*} GOARCH=${target#*/}
  echo "$target"
  go build ./...
  go vet ./...
done
