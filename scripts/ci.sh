#!/usr/bin/env bash
# Runs the stages of CI one after the other, cheap ones first, and stops at the first that fails.
# Missing programs are fatal here: a test that cannot run is no test that passed.
set -euo pipefail
cd "$(dirname "$0")/.."
export CI=true
spent=() # a line for each stage that has ended

# report prints the seconds of all stages, also of those before one that failed.
report() {
  printf '\n'
  printf '%s\n' "${spent[@]}"
}

stage() {
  local name=$1 began=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  if ! "$@"; then
    spent+=("$(printf '%5d s  %s, failed' $((SECONDS - began)) "$name")")
    report
    printf '\n== %s failed after %d s: %s\n' "$name" $((SECONDS - began)) "$*" >&2
    exit 1
  fi
  printf '== %s: %d s\n' "$name" $((SECONDS - began))
  spent+=("$(printf '%5d s  %s' $((SECONDS - began)) "$name")")
}

stage "setup" scripts/setup.sh
stage "copies of specs and cases" scripts/sync.sh --check
stage "modules" scripts/modules.sh
stage "format" make --no-print-directory fmt-check
stage "lint" make --no-print-directory lint
stage "vet for other systems" scripts/vet.sh
stage "web UI" make --no-print-directory ui-check
stage "examples" make --no-print-directory smoke
stage "fuzz" scripts/fuzz.sh 2s
stage "tests" make --no-print-directory race
stage "web UI in a browser" make --no-print-directory ui-e2e
stage "conformance" make --no-print-directory conformance
stage "outside systems" make --no-print-directory wire
stage "services of clouds" make --no-print-directory clouds
stage "Java client" make --no-print-directory java
stage "API document" make --no-print-directory schemathesis
stage "chaos, the short form" make --no-print-directory chaos CHAOSKILLS=15 CHAOSFAULTS=25 CHAOSFLAGS=-together RUN='^(kill-sqlite|kill-postgresql|cluster)\z'
report
printf 'CI passed in %d s\n' "$SECONDS"
