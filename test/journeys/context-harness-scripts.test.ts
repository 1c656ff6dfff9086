import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHub, type Hub, loadConfig, serveHttp } from '../../src/index.ts';
import { type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { ownerHeader } from '../support/hubs/owner-key.ts';

/** Scripts in the style of Context Harness: global tables, `params`, `ok`, `json` with nulls, `metadata_json`, `sleep`. */
const scripts = {
  'connectors/issues.lua': `
connector = { name = "issues", version = "0.1.0", description = "Issues of a repository" }

function connector.scan(config)
  local items = {}
  for page = 1, tonumber(config.max_pages) or 3 do
    local resp = http.get(config.base .. "/repos/" .. config.owner .. "/" .. config.repo .. "/issues", {
      headers = { ["Accept"] = "application/vnd.github+json", ["User-Agent"] = "issues-connector" },
      params = { state = "open", per_page = tostring(2), page = tostring(page) },
    })
    if not resp.ok then
      log.error("HTTP " .. resp.status)
      break
    end
    if resp.json == nil or #resp.json == 0 then break end
    for _, issue in ipairs(resp.json) do
      if issue.pull_request == nil then
        local parts = { "# " .. (issue.title or "Untitled") }
        if issue.labels and #issue.labels > 0 then
          local names = {}
          for _, label in ipairs(issue.labels) do table.insert(names, label.name) end
          table.insert(parts, "Labels: " .. table.concat(names, ", "))
        end
        table.insert(parts, (issue.body or "") .. "\\n")
        table.insert(items, {
          source_id = tostring(issue.number),
          title = issue.title,
          body = table.concat(parts, "\\n"),
          author = issue.user and issue.user.login or nil,
          source_url = issue.html_url,
          content_type = "text/markdown",
          created_at = issue.created_at,
          updated_at = issue.updated_at,
          metadata_json = json.encode({ number = issue.number, id = issue.id, state = issue.state }),
        })
      end
    end
    local remaining = resp.headers["x-ratelimit-remaining"]
    if remaining and tonumber(remaining) < 5 then break end
  end
  log.info("Fetched " .. #items .. " issues")
  return items
end
`,
  'connectors/jira.lua': `
connector = { name = "jira", version = "1.0" }

function connector.scan(config)
  local items, start_at = {}, 0
  while true do
    local resp = http.get(config.base .. "/rest/api/2/search", {
      headers = { ["Authorization"] = "Basic " .. base64.encode(config.email .. ":" .. config.api_token) },
      params = { jql = "project = " .. config.project_key .. " ORDER BY updated DESC", startAt = tostring(start_at) },
    })
    if not resp.ok then error("Jira: " .. resp.status .. " " .. resp.body) end
    local data = resp.json
    if not data or not data.issues then break end
    for _, issue in ipairs(data.issues) do
      local body = issue.fields.description or ""
      if issue.fields.comment and issue.fields.comment.comments then
        for _, comment in ipairs(issue.fields.comment.comments) do
          body = body .. "\\n\\n**" .. (comment.author.displayName or "Unknown") .. "**: " .. (comment.body or "")
        end
      end
      table.insert(items, {
        source_id = issue.key,
        title = issue.key .. ": " .. (issue.fields.summary or ""),
        body = body,
        source = "jira",
        source_url = config.base .. "/browse/" .. issue.key,
        author = issue.fields.creator and issue.fields.creator.displayName or nil,
        updated_at = issue.fields.updated,
        metadata_json = json.encode({ status = issue.fields.status and issue.fields.status.name or nil }),
      })
    end
    start_at = start_at + 2
    if start_at >= data.total then break end
    sleep(0.01)
  end
  return items
end
`,
  'connectors/pages.lua': `
connector = {}
function connector.scan(config)
  local items, cursor, has_more = {}, nil, true
  while has_more do
    local resp = http.post(config.base .. "/query", json.encode({ page_size = 1, start_cursor = cursor }), {
      headers = { ["Content-Type"] = "application/json", ["X-Version"] = 2 },
    })
    local data = json.decode(resp.body)
    for _, page in ipairs(data.results) do
      table.insert(items, { id = page.id, title = page.title, body = page.text, url = page.url })
    end
    has_more, cursor = data.has_more, data.next_cursor
  end
  return items
end
`,
  'connectors/exports.lua': `
connector = {}
function connector.scan(config)
  local items = {}
  for _, file in ipairs(fs.list("./data", "*.csv")) do
    local number = 0
    for line in fs.read(file.path):gmatch("[^\\n]+") do
      number = number + 1
      table.insert(items, { source_id = number, title = 2000 + number, body = line, updated_at = file.modified })
    end
  end
  return items
end
`,
  'connectors/data/posts.csv': 'kangaroo pouch\nwombat burrow\n',
  'connectors/data/notes.txt': 'not a table\n',
  'tools/ticket.lua': `
tool = {
  name = "create_ticket",
  version = "1.0.0",
  description = "Creates a ticket with related documents",
  parameters = {
    { name = "title", type = "string", required = true, description = "Title" },
    { name = "project", type = "string", required = false, default = "ENG" },
    { name = "priority", type = "string", default = "Medium", enum = { "Low", "Medium", "High" } },
    { name = "enrich", type = "boolean", default = true },
  },
}

local function related(title)
  local lines = ""
  for _, r in ipairs(context.search(title, { mode = "hybrid", limit = 3 })) do
    if r.source_url then
      lines = lines .. "- [" .. r.title .. "](" .. r.source_url .. ") (score: " .. string.format("%.2f", r.score) .. ")\\n"
    else
      lines = lines .. "- " .. (r.title or "untitled") .. "\\n"
    end
  end
  return lines
end

function tool.execute(params, context)
  local description = params.body or ""
  if params.enrich then description = description .. related(params.title) end
  local resp = http.post(context.config.base .. "/rest/api/3/issue", json.encode({
    fields = {
      project = { key = params.project },
      summary = params.title,
      description = { type = "doc", version = 1, content = { { type = "text", text = description } } },
      priority = { name = params.priority },
    },
  }), { headers = { ["Authorization"] = "Basic " .. base64.encode("bot:" .. context.config.token), ["Content-Type"] = "application/json" } })
  if not resp.ok then return { success = false, error = "HTTP " .. resp.status, details = resp.body } end
  return { success = true, key = resp.json.key, id = resp.json.id, message = "Created " .. resp.json.key }
end
`,
  'tools/echo.lua': `
tool = { name = "echo", description = "Echoes", parameters = { { name = "message", type = "string", required = true } } }
function tool.execute(params, context)
  local sources = context.sources()
  local healthy = true
  for _, each in ipairs(sources) do healthy = healthy and each.configured and each.healthy end
  local first = context.search(params.message, { limit = params.limit or 3 })[1]
  local document = first and context.get(first.id)
  return {
    echo = (context.config.greeting or "Echo") .. ": " .. params.message,
    params = params,
    source_count = #sources,
    healthy = healthy,
    chunk = document and document.chunks[1].text or nil,
    author = document and document.author or nil,
    created_at = document and document.created_at or nil,
  }
end
`,
  'agents/writer.lua': `
agent = { name = "writer", description = "Writes", tools = { "search", "get" }, arguments = { { name = "topic" } } }
function agent.resolve(args, config, context)
  local lines = {}
  for _, r in ipairs(context.search(args.topic, { mode = "hybrid", limit = tonumber(config.search_limit) or 8 })) do
    local doc = context.get(r.id)
    table.insert(lines, string.format("%s (%.2f): %s", r.title or "untitled", r.score, doc.chunks[1].text:sub(1, 80)))
  end
  return { system = table.concat(lines, "\\n"), messages = { { content = "I know " .. #lines .. " documents." } } }
end
`,
  'tools/plain.lua': `
tool = {}
function tool.execute(params) return ({ text = "done", number = 42, list = { 1, nil, 3 } })[params.kind] end
`,
};

const issues = [
  [
    {
      number: 1,
      id: 9007199254740993n,
      title: 'The pouch is empty',
      body: null,
      labels: [{ name: 'bug' }],
      user: { login: 'ann' },
      state: 'open',
      html_url: 'https://issues.example/1',
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-02T00:00:00Z',
    },
    { number: 2, title: 'A request', body: 'x', pull_request: {}, labels: [], user: null },
  ],
  [
    {
      number: 3,
      title: 'The burrow floods',
      body: 'Water rises in the burrow.',
      labels: [],
      user: null,
      state: 'open',
    },
  ],
];
const tickets = [1, 2, 3].map((number) => ({
  key: `ENG-${number}`,
  fields: {
    summary: `Ticket ${number}`,
    description: number === 1 ? null : `The eucalyptus harvest of year ${number}`,
    comment: { comments: [{ author: { displayName: 'Bo' }, body: 'The platypus agrees.', created: 'x' }] },
    creator: number === 2 ? null : { displayName: 'Cy' },
    status: null,
    updated: '2026-02-20T14:30:00.000+0000',
  },
}));

let folder: ZooFolder;
let origin: Server;
let base: string;
let hub: Hub;
let server: Awaited<ReturnType<typeof serveHttp>>;
const seen: { path: string; headers: IncomingMessage['headers']; body: string }[] = [];

beforeAll(async () => {
  origin = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const url = new URL(request.url ?? '', 'http://host');
    seen.push({ path: `${request.method} ${url.pathname}${url.search}`, headers: request.headers, body });
    // Some servers do not say that they send JSON.
    response.writeHead(200, { 'content-type': 'text/plain', 'x-ratelimit-remaining': '50' });
    response.end(toJson(replyTo(url, body)));
  });
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(origin.address() as AddressInfo).port}`;
  folder = await zooFolder();
  for (const [name, text] of Object.entries(scripts)) {
    await mkdir(dirname(join(folder.dir, name)), { recursive: true });
    await writeFile(join(folder.dir, name), text);
  }
  await writeFile(join(folder.dir, 'ctx.toml'), config());
  const env = { JIRA_API_TOKEN: 'jira-secret', AGENT_ZOO_HOME: join(folder.dir, 'home') };
  hub = await createHub({
    config: await loadConfig({ explicitFile: 'ctx.toml', cwd: folder.dir, env, home: folder.dir }),
  });
  server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server?.close();
  await hub?.close();
  origin.close();
  await folder[Symbol.asyncDispose]();
});

/** A ctx.toml with one line more than in Context Harness for each script that reaches a private address. */
function config(): string {
  const reach = `base = "${base}"\nallow_hosts = ["127.0.0.1"]\n`;
  return `
[db]
path = "./data/ctx.sqlite"
[chunking]
max_tokens = 700
[retrieval]
final_limit = 12
[server]
bind = "127.0.0.1:7331"
[connectors.script.issues]
path = "connectors/issues.lua"
owner = "acme"
repo = "zoo"
max_pages = "3"
${reach}
[connectors.script.jira]
path = "connectors/jira.lua"
timeout = 600
email = "bot@acme.example"
api_token = "\${JIRA_API_TOKEN}"
project_key = "ENG"
${reach}
[connectors.script.pages]
path = "connectors/pages.lua"
${reach}
[connectors.script.exports]
path = "connectors/exports.lua"
[connectors.script.walled]
path = "connectors/pages.lua"
base = "${base}"
[tools.script.create_ticket]
path = "tools/ticket.lua"
token = "\${JIRA_API_TOKEN}"
${reach}
[agents.script.writer]
path = "agents/writer.lua"
search_limit = "2"
[tools.script.echo]
path = "tools/echo.lua"
greeting = "Hello"
[tools.script.plain]
path = "tools/plain.lua"
`;
}

function replyTo(url: URL, body: string): unknown {
  if (url.pathname === '/repos/acme/zoo/issues') return issues[Number(url.searchParams.get('page')) - 1] ?? [];
  if (url.pathname === '/rest/api/2/search') {
    const from = Number(url.searchParams.get('startAt'));
    return { total: tickets.length, issues: tickets.slice(from, from + 2) };
  }
  if (url.pathname === '/rest/api/3/issue') return { key: 'ENG-7', id: 9007199254740995n, self: null };
  const { start_cursor: cursor } = JSON.parse(body) as { start_cursor?: string };
  const page = {
    id: cursor ?? 'p1',
    title: 'A page',
    text: `The quokka page ${cursor ?? 'p1'}`,
    url: 'https://pages.example',
  };
  return { results: [page], has_more: cursor === undefined, next_cursor: cursor === undefined ? 'p2' : null };
}

/** Writes bigints as the integers that such servers send. */
function toJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? `<${each}>` : each));
  return text.replace(/"<(\d+)>"/g, '$1');
}

async function sync(source: string) {
  const [report] = await hub.knowledge.sync({ target: `script:${source}` });
  return report;
}

async function post(path: string, body: unknown): Promise<{ status: number; text: string; body: { result: unknown } }> {
  const headers = { ...(await ownerHeader({ hub })), 'content-type': 'application/json' };
  const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}

describe('a connector of Context Harness is synced as it is', () => {
  test('issues of a repository, page by page', async () => {
    expect(await sync('issues')).toMatchObject({ added: 2, failed: [] });
    expect(seen.map(({ path }) => path)).toEqual(
      [
        '/repos/acme/zoo/issues?page=1&per_page=2&state=open',
        '/repos/acme/zoo/issues?page=2&per_page=2&state=open',
        '/repos/acme/zoo/issues?page=3&per_page=2&state=open',
      ].map((path) => `GET ${path}`),
    );
    const [found] = await hub.knowledge.search({ query: 'pouch' });
    expect(found).toMatchObject({ source: 'script:issues', source_id: '1', source_url: 'https://issues.example/1' });
    const { metadata, body } = await hub.knowledge.get(found?.id ?? '');
    expect(body).toContain('Labels: bug');
    expect(metadata).toMatchObject({ number: 1, id: '9007199254740993', author: 'ann', state: 'open' });
  });

  test('tickets with null descriptions, a login and a name of their own', async () => {
    seen.length = 0;
    expect(await sync('jira')).toMatchObject({ added: 3, failed: [] });
    expect(seen[0]?.path).toBe('GET /rest/api/2/search?jql=project+%3D+ENG+ORDER+BY+updated+DESC&startAt=0');
    expect(seen[0]?.headers.authorization).toBe(`Basic ${btoa('bot@acme.example:jira-secret')}`);
    const found = await hub.knowledge.search({ query: 'platypus', filters: { source: 'jira' } });
    expect(found.map(({ title }) => title).sort()).toEqual(['ENG-1: Ticket 1', 'ENG-2: Ticket 2', 'ENG-3: Ticket 3']);
    expect(found[0]).toMatchObject({ source: 'script:jira', updated_at: '2026-02-20T14:30:00.000Z' });
  });

  test('pages that a POST with a cursor returns', async () => {
    seen.length = 0;
    expect(await sync('pages')).toMatchObject({ added: 2, failed: [] });
    expect(seen.map(({ path, body }) => [path, body])).toEqual([
      ['POST /query', '{"page_size":1}'],
      ['POST /query', '{"page_size":1,"start_cursor":"p2"}'],
    ]);
  });

  test('files beside the script, with numbers as ids and titles', async () => {
    expect(await sync('exports')).toMatchObject({ added: 2, failed: [] });
    const [found] = await hub.knowledge.search({ query: 'wombat' });
    expect(found).toMatchObject({ source_id: '2', title: '2002' });
  });

  test('a private address without allow_hosts is an error that names the line to add', async () => {
    const report = await sync('walled');
    expect(report?.error).toMatch(/add allow_hosts = \["127\.0\.0\.1"\] to \[connectors\.script\.walled\]\.$/);
  });
});

describe('a tool of Context Harness is called as it is', () => {
  test('it creates a ticket with related documents', async () => {
    seen.length = 0;
    const { status, text } = await post('/tools/create_ticket', { title: 'burrow floods', body: 'Please help. ' });
    expect([status, text]).toEqual([
      200,
      '{"result":{"id":9007199254740995,"key":"ENG-7","message":"Created ENG-7","success":true}}',
    ]);
    const { fields } = JSON.parse(seen[0]?.body ?? '');
    expect(fields).toMatchObject({ project: { key: 'ENG' }, priority: { name: 'Medium' }, summary: 'burrow floods' });
    expect(fields.description.content[0].text).toMatch(/^Please help\. - .*The burrow floods/);
  });

  test('it sees sources, passages, the author and parameters that it does not declare', async () => {
    const { body } = await post('/tools/echo', { message: 'pouch', limit: 2, extra: { deep: [1] } });
    expect(body.result).toMatchObject({
      echo: 'Hello: pouch',
      params: { message: 'pouch', limit: 2, extra: { deep: [1] } },
      source_count: 5,
      chunk: expect.stringContaining('The pouch is empty'),
      author: 'ann',
      created_at: '2026-01-01T00:00:00.000Z',
    });
  });

  test.each([
    ['text', '{"result":"done"}'],
    ['number', '{"result":42}'],
    ['list', '{"result":[1,null,3]}'],
    ['nothing', '{"result":null}'],
  ])('it returns a value that is wrapped once: %s', async (kind, expected) => {
    expect((await post('/tools/plain', { kind })).text).toBe(expected);
  });
});

test('an agent of Context Harness builds its prompt from passages', async () => {
  const { body } = await post('/agents/writer/prompt', { topic: 'burrow' });
  expect(body.result).toMatchObject({
    system: expect.stringMatching(/The burrow floods \(1\.00\): # The burrow floods/),
    tools: ['search', 'get'],
    messages: [{ role: 'assistant', content: 'I know 2 documents.' }],
  });
});
