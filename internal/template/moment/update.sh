#!/bin/sh
# Fetches Moment.js from the npm registry and takes over the two files that are committed here: the
# library without locales, as its authors minified it, and its licence. The version is Digdag's
# (language T22); the digest is the one that the registry publishes for it.
set -eu

version=2.21.0
digest=TCZ36BjURTeFTM/CwRcViQlfkMvL1/vFISuNLO5GkcVm1+QHfbSiNqZuWeMFjj1/3+uAjXswgRk30j1kkLYJBQ==

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

npm pack --silent "moment@$version" >/dev/null
got=$(openssl dgst -sha512 -binary "moment-$version.tgz" | base64 | tr -d '\n')
if [ "$got" != "$digest" ]; then
	echo "moment-$version.tgz has another content: sha512 $got" >&2
	exit 1
fi
tar -xzf "moment-$version.tgz" package/min/moment.min.js package/LICENSE
cp package/min/moment.min.js package/LICENSE "$here/"
