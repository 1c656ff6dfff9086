// What the conformance suites start as the client, once for each of their scenarios and many at once. It hands the task to the
// process of the test, where the client is loaded already, and ends as that says.
import { request } from 'node:http';

const task = {
  url: process.argv.at(-1),
  scenario: process.env.MCP_CONFORMANCE_SCENARIO,
  context: JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}'),
};
const outgoing = request(process.env.CONFORMANCE_CLIENT ?? '', { method: 'POST' }, (incoming) => {
  if (incoming.statusCode !== 200) process.exitCode = 1;
  incoming.pipe(process.stderr);
});
outgoing.end(JSON.stringify(task));
