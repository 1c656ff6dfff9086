// The command that the conformance suites start as the client, once per scenario and many at once. It passes the task to the
// test process, which has loaded the client, and exits with its result.
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
