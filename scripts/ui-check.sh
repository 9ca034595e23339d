#!/usr/bin/env bash
# Checks the source of the web UI and what is built of it. scripts/node.sh starts it in the folder ui.
set -euo pipefail

npx biome ci --colors=off --error-on-warnings .
npx tsc --noEmit
npx vitest run

built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
npx vite build --logLevel warn --outDir "$built" --emptyOutDir
if ! diff -rq "$built" ../internal/ui/dist; then
  echo "internal/ui/dist is not what ui builds: run \`make ui\` and commit it" >&2
  exit 1
fi
node scripts/budgets.mjs ../internal/ui/dist
