#!/usr/bin/env bash
# Finds every fuzz target of the module and fuzzes each for the given time: scripts/fuzz.sh 30s
# A found input is written to testdata/fuzz of its package; commit it with the fix.
set -euo pipefail
cd "$(dirname "$0")/.."
duration=${1:-30s}
scratch=$(mktemp -d)
log=$scratch/log
trap 'rm -rf "$scratch"' EXIT

# targets prints "package target" for each fuzz target. It reads the source: to ask the test programs, all of them would have
# to be built.
targets() {
  git ls-files -co --exclude-standard '*_test.go' | sed 's|^|./|' | xargs grep -HoE '^func Fuzz[A-Za-z0-9_]*\(' |
    sed -E 's|/[^/]*:func (Fuzz[A-Za-z0-9_]*)\($| \1|' | sort
}

# build makes the test program of a package, once for all its targets. Inputs that reach new code are kept where go test keeps
# them.
build() {
  program=$scratch/fuzz.test
  corpus=$(go env GOCACHE)/fuzz/$(go list "$1")
  go test -c -fuzz . -o "$program" "$1" 2>"$log" || { cat "$log" >&2; return 1; }
}

# fuzz fuzzes one target of the package that was built, in the package's folder, as go test does.
fuzz() {
  (cd "$1" && "$program" -test.run '^$' -test.fuzz "^$2\$" -test.fuzztime "$duration" -test.fuzzminimizetime 10s \
    -test.fuzzcachedir "$corpus") >"$log" 2>&1
}

# cut_short tells whether the last run failed only because its time was over while an input was being tried: Go up to
# 1.26 sometimes reports the end of -fuzztime as a failure, without an input (golang/go#75804).
cut_short() {
  grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input written' "$log"
}

list=$(targets)
count=0
built=
while read -r package target; do
  [ -n "$target" ] || continue
  count=$((count + 1))
  if [ "$package" != "$built" ]; then
    build "$package"
    built=$package
  fi
  if ! fuzz "$package" "$target" && ! { cut_short && fuzz "$package" "$target"; }; then
    cat "$log"
    echo "fuzzing $target of $package failed" >&2
    exit 1
  fi
  echo "$package $target: $(grep -o 'execs: [0-9]*' "$log" | tail -n 1 || true)"
done <<<"$list"
if [ "$count" -eq 0 ]; then
  echo "no fuzz target found: they are functions FuzzX(*testing.F) in _test.go files" >&2
  exit 1
fi
