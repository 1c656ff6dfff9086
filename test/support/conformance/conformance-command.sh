# What the conformance suites start as the client, once for each of their scenarios and many at once: a shell starts in a tenth
# of the time of a Node. It hands the task to the process of the test, where the client is loaded already, and ends as that says.
for url; do :; done
context=$MCP_CONFORMANCE_CONTEXT
[ -n "$context" ] || context='{}'
printf '{"url":"%s","scenario":"%s","context":%s}' "$url" "$MCP_CONFORMANCE_SCENARIO" "$context" |
  curl --silent --show-error --fail-with-body --data-binary @- "$CONFORMANCE_CLIENT" >&2
