# The command that the conformance suites start as the client, once per scenario and many at once: a shell starts ten times
# faster than Node. It passes the task to the test process, which has loaded the client, and exits with its result.
for url; do :; done
context=$MCP_CONFORMANCE_CONTEXT
[ -n "$context" ] || context='{}'
printf '{"url":"%s","scenario":"%s","context":%s}' "$url" "$MCP_CONFORMANCE_SCENARIO" "$context" |
  curl --silent --show-error --fail-with-body --data-binary @- "$CONFORMANCE_CLIENT" >&2
