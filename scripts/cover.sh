#!/usr/bin/env bash
# Measures which statements tests reach as users exercise them: unit tests, the recorded cases on the command line and over
# REST, on both databases and with a remote agent, Digdag's Java client if Maven is here, and what the README shows.
#
#   scripts/cover.sh            measure everything, then print it
#   scripts/cover.sh unit rest  measure these suites again, keep what others reached
#   scripts/cover.sh none       print what was measured before; PKG=expression shows the functions of packages
#
# A suite that fails is named, and what it reached counts: `make ci` says whether tests pass. A process that is killed with
# SIGKILL writes nothing down. What was measured counts until code that is no test changes.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/.bin/cover
suites=(unit cli rest agent java smoke)
chosen=("$@")
[ $# -gt 0 ] || chosen=("${suites[@]}")

# What ships; packages of tests and the programs of developers do not.
packages=$(go list -deps ./cmd/trowel | grep "^$(go list -m)" | paste -sd,)
mkdir -p "$out"
code=$(git ls-files '*.go' | grep -v '_test\.go$' | xargs cat 2>/dev/null | sha256sum | cut -c1-16)

# build makes the program that writes down what it reaches. Suites clean the environment of what they start, so a script
# names the folder.
build() {
  [ -z "${built:-}" ] || return 0
  go build -cover -covermode=set -coverpkg="$packages" -o "$out/trowel-cover" ./cmd/trowel
  built=yes
}

# program SUITE writes the script by which a suite starts the program.
program() {
  build
  printf '#!/bin/sh\nGOCOVERDIR=%q exec %q "$@"\n' "$out/$1" "$out/trowel-cover" >"$out/trowel-$1"
  chmod +x "$out/trowel-$1"
}

# Tests run the program, too, in processes of their own: `go test` names a folder of its own for what these reach.
suite_unit() {
  go run ./internal/store/storetest/pgtest/withpostgres \
    go test -exec "env GOCOVERDIR=$out/unit" -vet=off -count=1 -timeout 40m -covermode=set -coverpkg="$packages" . ./cmd/... ./internal/... -args -test.gocoverdir="$out/unit" |
    grep -v '^ok ' || [ "${PIPESTATUS[0]}" -eq 0 ]
}
suite_cli() {
  go run ./conformance/cli -bin "$out/trowel-cli" -cases conformance/cli/cases -differs conformance/differs &&
    go run ./conformance/cli -bin "$out/trowel-cli" -cases conformance/cli/own
}
suite_rest() { go run ./conformance/both -bin "$out/trowel-rest" -differs conformance/differs; }
suite_agent() { go run ./conformance/both -bin "$out/trowel-agent" -differs conformance/differs -agent; }
suite_java() {
  command -v mvn >/dev/null || { echo "no Maven: the Java client is left out"; return 0; }
  TROWEL_BIN=$out/trowel-java scripts/java.sh
}
suite_smoke() { TROWEL_BIN=$out/trowel-smoke scripts/smoke.sh; }

for name in "${chosen[@]}"; do
  [ "$name" != none ] || continue
  [ "$(type -t "suite_$name")" = function ] || { echo "no suite $name; there are ${suites[*]}" >&2; exit 2; }
  began=$SECONDS
  rm -rf "${out:?}/$name" && mkdir "$out/$name"
  [ "$name" = unit ] || program "$name"
  status=passed
  "suite_$name" >"$out/$name.log" 2>&1 || status="failed, see $out/$name.log"
  printf '%-6s %5d s  %s\n' "$name" $((SECONDS - began)) "$status"
  [ -n "$(ls -A "$out/$name")" ] || continue
  rm -rf "$out/merged" && mkdir "$out/merged"
  go tool covdata merge -i="$out/$name" -o="$out/merged"
  rm -r "${out:?}/$name" && mv "$out/merged" "$out/$name"
  echo "$code" >"$out/$name.code"
done

measured=
for name in "${suites[@]}"; do
  if [ "$(cat "$out/$name.code" 2>/dev/null)" = "$code" ]; then
    measured+=${measured:+,}$out/$name
  else
    echo "$name does not count: it was not measured with this code" >&2
  fi
done
[[ $measured, == "$out/unit,"* ]] || { echo "nothing of unit tests is measured: run scripts/cover.sh unit" >&2; exit 1; }
go tool covdata textfmt -i="$out/unit" -o="$out/unit.txt"
go tool covdata textfmt -i="$measured" -o="$out/all.txt"
go run ./scripts/cover -unit "$out/unit.txt" -all "$out/all.txt" -pkg "${PKG:-}"
