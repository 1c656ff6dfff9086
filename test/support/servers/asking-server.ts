// An MCP server on stdio that asks the client of a call, and remembers its roots, as many servers do. Argument: a folder
// through which calls in several processes wait for each other.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const meeting = process.argv[2] ?? '';
const waiting = new Map<string, (message: { result?: unknown; error?: { message: string } }) => void>();
let asked = 0;
let roots: unknown;

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

async function ask(method: string, params: object): Promise<unknown> {
  asked += 1;
  const id = `question-${asked}`;
  const { promise, resolve } = Promise.withResolvers<{ result?: unknown; error?: { message: string } }>();
  waiting.set(id, resolve);
  send({ id, method, params });
  const { result, error } = await promise;
  return error ? { refused: error.message } : result;
}

/** Resolves when this many calls have arrived, in any process. */
async function meet(name: string, count: number): Promise<void> {
  writeFileSync(join(meeting, name), '');
  while (readdirSync(meeting).length < count) await sleep(5);
}

const schema = { type: 'object', properties: { name: { type: 'string' }, together: { type: 'number' } } };
const tools = ['elicit', 'sample', 'list_roots', 'wait', 'withdraw'].map((name) => ({ name, inputSchema: schema }));

async function call(tool: string, { name = '', together = 0 }: { name?: string; together?: number }): Promise<unknown> {
  if (together > 0) await meet(`${tool}-${name}`, together);
  if (tool === 'elicit') {
    const requestedSchema = { type: 'object', properties: { secret: { type: 'string' } } };
    return ask('elicitation/create', { message: `For ${name} only`, requestedSchema });
  }
  if (tool === 'sample') {
    const content = { type: 'text', text: `For ${name} only` };
    return ask('sampling/createMessage', { messages: [{ role: 'user', content }], maxTokens: 10 });
  }
  if (tool === 'list_roots') {
    if (roots !== undefined) return roots;
    const told = await ask('roots/list', {});
    if (typeof told === 'object' && told !== null && 'roots' in told) roots = told;
    return told;
  }
  if (tool === 'withdraw') {
    const said = ask('elicitation/create', {
      message: 'Never mind?',
      requestedSchema: { type: 'object', properties: {} },
    });
    send({ method: 'notifications/cancelled', params: { requestId: `question-${asked}`, reason: 'Never mind.' } });
    await meet('withdrawn', 2);
    // If an answer came anyway, it would be the first of the two.
    return Promise.race([said, { answered: false }]);
  }
  return { waited: true };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, ...answer } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(answer);
  else if (method === 'initialize') {
    const serverInfo = { name: 'asking', version: '1.0.0' };
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') send({ id, result: { tools } });
  else if (method === 'tools/call') {
    void call(params.name, params.arguments ?? {}).then((said) =>
      send({ id, result: { content: [{ type: 'text', text: JSON.stringify({ pid: process.pid, said }) }] } }),
    );
  } else if (id !== undefined) send({ id, result: {} });
}
