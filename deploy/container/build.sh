#!/bin/sh
# build.sh OUT: builds the package from this checkout and puts its tarball into OUT.
set -eu
out=$1
cd "$(dirname "$0")/../.."
[ -d node_modules ] || npm ci --no-progress --no-audit --no-fund
mkdir -p "$out"
npm pack --silent --pack-destination "$out"
