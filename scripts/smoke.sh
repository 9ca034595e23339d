#!/usr/bin/env bash
# Does what the README shows: its first command as it stands there, and what it does on a server. Examples and pages of
# the manual are run by TestDocuments of internal/cli.
set -euo pipefail
cd "$(dirname "$0")/.."
export TROWEL_BIN=${TROWEL_BIN:-$PWD/bin/trowel}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect EXIT TEXT COMMAND...: the command ends with this status, and TEXT is in its output.
expect() {
  local exit=$1 text=$2 got=0
  shift 2
  "$@" >"$work/out" 2>&1 || got=$?
  if [ "$got" -ne "$exit" ] || ! grep -qF -- "$text" "$work/out"; then
    cat "$work/out"
    echo "$*: exit $got, want $exit and an output with: $text" >&2
    exit 1
  fi
  echo "ok: $*"
}

expect 0 "Hello from Trowel!" go run ./cmd/trowel run examples/hello.dig --rerun

export HOME=$work XDG_CONFIG_HOME=$work/.config
# What the README does on a server; the program and its address stand elsewhere there.
# shellcheck disable=SC2016 # the variables are those of the inner shell
expect 0 "Hello from Trowel!" scripts/withserver.sh database.type=memory -- bash -ec '
  "$TROWEL_BIN" push hello --project examples -e "$TROWEL_SERVER"
  "$TROWEL_BIN" start hello hello --session now -e "$TROWEL_SERVER"
  "$TROWEL_BIN" log 1 --follow -e "$TROWEL_SERVER"
  "$TROWEL_BIN" schedules -e "$TROWEL_SERVER"'
