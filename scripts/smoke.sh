#!/usr/bin/env bash
# Runs the examples as a new user would and looks at what they print and leave behind. The first is the README's
# first command as it stands there; the others run in a copy, so that a second run starts anew.
set -euo pipefail
cd "$(dirname "$0")/.."
trowel=$PWD/bin/trowel
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
  bin/trowel push hello --project examples -e "$TROWEL_SERVER"
  bin/trowel start hello hello --session now -e "$TROWEL_SERVER"
  bin/trowel log 1 --follow -e "$TROWEL_SERVER"
  bin/trowel schedules -e "$TROWEL_SERVER"'
cp -R examples "$work/examples"
rm -rf "$work"/examples/.digdag "$work"/examples/*/.digdag "$work"/examples/*/data

cd "$work/examples/load"
expect 0 "us: 250 orders" "$trowel" run load.dig --session 2024-01-15
expect 0 "Skipped" "$trowel" run load.dig --session 2024-01-15
expect 1 "the load of 2024-01-16 failed: Command failed with code 1 (runtime)" \
  "$trowel" run load.dig --session 2024-01-16 -p source=nowhere

cd "$work/examples/fanout"
expect 0 "noram refunds: " "$trowel" run fanout.dig

cd "$work/examples/resume"
expect 1 "the figures are not approved" "$trowel" run resume.dig --session 2024-01-15
touch data/approved
expect 0 "published 21" "$trowel" run resume.dig --session 2024-01-15
if grep -qx extracted "$work/out"; then
  cat "$work/out"
  echo "the second run did again what had succeeded" >&2
  exit 1
fi
