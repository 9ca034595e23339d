#!/usr/bin/env bash
# Proves that Digdag's Java client, unchanged from its registry, works against our server: compiles conformance/java
# with the libraries of its pom.xml and runs it on a server with authentication and a second listener.
#
# Maven is used as it is: repositories and proxies are for ~/.m2/settings.xml, or the file that MAVEN_SETTINGS names.
set -euo pipefail
cd "$(dirname "$0")/.."
out=.bin/java
classpath=$out/classpath
options=(-B -q)
[ -z "${MAVEN_SETTINGS:-}" ] || options+=(-s "$MAVEN_SETTINGS")

# complete tells whether all libraries of the last time are still there and pom.xml is the same.
complete() {
  [ -s "$classpath" ] && [ ! conformance/java/pom.xml -nt "$classpath" ] || return
  local jar
  while read -r jar; do
    [ -f "$jar" ] || return
  done < <(tr ':' '\n' <"$classpath")
}

# libraries asks Maven where they are. A registry that does not answer at once is asked again.
libraries() {
  mvn "${options[@]}" -f conformance/java/pom.xml dependency:build-classpath -Dmdep.outputFile="$PWD/$classpath"
}

mkdir -p "$out/classes"
complete || libraries || libraries
javac -proc:none -nowarn -d "$out/classes" -cp "$(cat "$classpath")" conformance/java/*.java
key=$(head -c 16 /dev/urandom | base64)
scripts/withserver.sh server.admin.port=0 "digdag.secret-encryption-key=$key" database.type=memory \
  server.authenticator.basic.username=java server.authenticator.basic.password=duke server.authenticator.basic.admin=true -- \
  java -Dorg.slf4j.simpleLogger.defaultLogLevel=error -cp "$out/classes:$(cat "$classpath")" Main
