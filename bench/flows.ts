import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../src/config/load-config.ts';
import { serveHttp } from '../src/http/server/serve.ts';
import { createHub } from '../src/hub.ts';
import { startModelServer } from '../test/support/models/model-server.ts';

/**
 * `node bench/flows.ts [FLOW]`: counts the files of src/ (without base/) in which each main flow runs code, from request to reply, once everything
 * is loaded. Lists the files when a flow is named.
 */
const mcpHeaders = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
const root = join(import.meta.dirname, '..');
const model = await startModelServer({ script: () => ({ text: 'Fine.' }) });
const folder = await openFolder(model.url);
const config = await loadConfig({ cwd: folder, env: { AGENT_ZOO_HOME: folder }, home: folder });
const profiler = new Session();
profiler.connect();
await profiler.post('Profiler.enable');
const hub = await createHub({ config, watch: true });
const server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
const owner = { authorization: `Bearer ${await hub.callers.ownerKey()}` };

await hub.knowledge.sync({ target: 'all' });
await post('/api/agents', { name: 'Wizard', systemPrompt: 'Be concise.' });
await post('/api/team/members', { id: 'boss', type: 'SUPERVISOR' });
await post('/api/team/members', { id: 'worker-1', type: 'WORKER', supervisorId: 'boss' });
const { token } = await post('/api/team/members/worker-1/token', {});
const session = await openMcpSession();
const { id: chat } = await post('/api/chats', { agentId: 'reviewer' });

const flows: Record<string, () => Promise<unknown>> = {
  inject: () => callTool('agent_zoo_inject', { agentId: 'wizard' }),
  edit: async () => {
    const { revision, ...agent } = await send('GET', '/api/agents/wizard');
    const { systemPrompt, name } = agent;
    return send(
      'PUT',
      '/api/agents/wizard',
      { systemPrompt: `${systemPrompt}!`, name },
      { 'if-match': `"${revision}"` },
    );
  },
  mail: () =>
    post(
      '/mcp/execute',
      { agentId: 'worker-1', toolName: 'mcp__mail__send', input: { toAgentId: 'boss', subject: 'Hi', body: 'Done' } },
      { authorization: `Bearer ${token}` },
    ),
  search: () => post('/tools/search', { query: 'how are timeouts retried' }),
  chat: async () => {
    await post(`/api/chats/${chat}/messages`, { text: 'Hello' });
    while ((await send('GET', `/api/chats/${chat}`)).state === 'answering')
      await new Promise((done) => setTimeout(done, 20));
  },
  'external tool': () => callTool('mcp__everything__echo', { message: 'hi' }),
  'Lua prompt': () => post('/agents/runbook/prompt', { service: 'billing' }),
};

const [wanted] = process.argv.slice(2);
for (const [name, run] of Object.entries(flows)) {
  if (wanted !== undefined && wanted !== name) continue;
  await run();
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await run();
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  await profiler.post('Profiler.stopPreciseCoverage');
  const files = result
    .filter(
      ({ url, functions }) => url.startsWith('file:') && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    )
    .map(({ url }) => relative(root, fileURLToPath(url)))
    .filter((file) => file.startsWith('src/') && !file.startsWith('src/base/'))
    .sort();
  process.stdout.write(`${name.padEnd(14)} ${files.length} files\n`);
  if (wanted !== undefined) process.stdout.write(`${files.join('\n')}\n`);
}

await server.close();
await hub.close();
await model.close();
await rm(folder, { recursive: true });

function callTool(name: string, input: object) {
  return post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } },
    { ...mcpHeaders, 'mcp-session-id': session },
  );
}

async function openMcpSession(): Promise<string> {
  const clientInfo = { name: 'flows', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...owner, ...mcpHeaders },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

function post(path: string, body: object, headers: Record<string, string> = {}) {
  return send('POST', path, body, headers);
}

async function send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(server.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...owner, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : text;
}

async function openFolder(modelUrl: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-flows-'));
  const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
  await mkdir(join(folder, 'notes'));
  await writeFile(join(folder, 'notes', 'retries.md'), '# Retries\n\nA call that timed out is retried three times.\n');
  await writeFile(
    join(folder, 'runbook.lua'),
    `agent = { name = "runbook", description = "Runbooks", arguments = { { name = "service", required = true } } }
function agent.resolve(args, config, context)
  local found = context.search(args.service .. " retries")
  return { system = "Help with " .. args.service .. ": " .. #found .. " passages", messages = {} }
end
return agent
`,
  );
  await writeFile(
    join(folder, 'zoo.toml'),
    `[agents.reviewer]
model = "openai-compatible/m"
system_prompt = "Review."

[agents.script.runbook]
path = "runbook.lua"

[connectors.filesystem.notes]
root = "./notes"

[providers.openai-compatible]
type = "openai-compatible"
base_url = ${JSON.stringify(modelUrl)}

[mcp_servers.everything]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(everything)}]
`,
  );
  return folder;
}
