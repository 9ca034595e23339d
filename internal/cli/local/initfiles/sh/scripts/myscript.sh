#!/bin/sh
# Tells which pair it was started for. Parameters are in the environment, too: $session_date.
set -eu

printf 'script: %s %s of %s\n' "$1" "$2" "$session_date"
