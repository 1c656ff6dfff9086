#!/bin/sh
# start.sh [COMMAND…]: runs `zoo`, by default `zoo serve`. The shell is replaced, so that signals reach the hub itself.
set -eu
[ $# -gt 0 ] || set -- serve
exec node "$(dirname "$0")/node_modules/agent-zoo/bin/zoo.js" "$@"
