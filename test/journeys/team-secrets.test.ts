import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectV1 } from '../support/clients/mcp-clients.ts';
import { type RunningZoo, runZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { newTestDatabase, type TestDatabase, usualDatabaseKinds } from '../support/databases/test-database.ts';
import { ownerHeader } from '../support/hubs/owner-key.ts';
import { formsOf, type PlantedSecret, plantSecrets } from '../support/tools/planted-secrets.ts';

const faultyServer = fileURLToPath(new URL('../support/servers/faulty-server.ts', import.meta.url));

const toml = `
[log]
secret_env = ["HOUSE_NUMBER"]

[agents.tester]
tools = ["fails_*", "refuses", "answers", "script_fails"]

[tools.script.script_fails]
path = "fails.lua"

[events.webhooks.audit]
url = "http://zoo:\${HOOK_PASSWORD}@127.0.0.1:1/\${HOOK_TOKEN}"
secret = "\${HOOK_SECRET}"
`;

const script = `
tool = { description = "Fails.", parameters = { { name = "text", type = "string", required = true } } }
function execute(input)
  log.error("it was " .. input.text)
  error("no " .. input.text)
end
`;

const hooks = { HOOK_PASSWORD: 'in-the-address-1', HOOK_TOKEN: 'in-the-path-22', HOOK_SECRET: 'signs-all-of-it' };

interface Call {
  agentId?: string;
  toolName: string;
  input?: unknown;
}

describe.each(usualDatabaseKinds)('secrets in a team on %s', (kind) => {
  let database: TestDatabase;
  let folder: ZooFolder;
  let zoo: RunningZoo;
  let faulty: ReturnType<typeof startFaulty>;
  let secrets: PlantedSecret[];
  const tokens = new Map<string, string>();
  const urls = { zoo: '', faulty: '' };
  /** The replies to rejected calls, and everything that readers saw. */
  const replies: string[] = [];
  let calls = 0;

  beforeAll(async () => {
    database = await newTestDatabase(kind);
    folder = await zooFolder({ isNew: true });
    await writeFile(join(folder.dir, 'zoo.toml'), toml + dbSection(database));
    await writeFile(join(folder.dir, 'fails.lua'), script);
    await mkdir(join(folder.dir, 'home'));
    for (const member of [
      ['lead', '--type', 'SUPERVISOR'],
      ['worker', '--supervisor', 'lead', '--agent', 'tester'],
    ]) {
      const made = await runZoo(['team', 'add', ...member, '--json'], { cwd: folder.dir, env: hooks });
      tokens.set(member[0] ?? '', JSON.parse(made.stdout).token);
    }
    secrets = plantSecrets(tokens.get('worker') ?? '');
    const env = {
      ...hooks,
      ...Object.fromEntries(secrets.flatMap(({ env: name, value }) => (name ? [[name, value]] : []))),
    };
    zoo = startZoo(['serve', '--bind', '127.0.0.1:0', '--log-json'], {
      cwd: folder.dir,
      env: { ...env, ZOO_LOG: 'debug' },
    });
    faulty = startFaulty(folder.dir, env);
    urls.zoo = (await zoo.says(/Web app +(\S+)\n/))[1] ?? '';
    urls.faulty = await faulty.url;
    for (const secret of secrets) await underEveryFault(secret);
    await Promise.all(secrets.map(({ text }) => refused('faulty', call('fails_for_a_while', { text }))));
    await refusedByMcp();
    await read('lead');
    zoo.process.kill('SIGTERM');
    await zoo.ended;
    await faulty.end();
  }, 180_000);
  afterAll(async () => {
    await folder[Symbol.asyncDispose]();
    await database.remove();
  });

  async function underEveryFault({ text, value }: PlantedSecret): Promise<void> {
    // Calls that succeed and store text.
    const about = `About ${text}`.slice(0, 190).replaceAll('\n', ' ');
    await accepted('zoo', call('mcp__mail__send', { toAgentId: 'lead', subject: about, body: `It is ${text}` }));
    await accepted('zoo', call('mcp__mail__send', { toHuman: true, subject: 'For you', body: text }));
    await accepted('zoo', call('mcp__system__log_decision', { title: about, body: `Because of ${text}` }));
    const task = await accepted('zoo', {
      toolName: 'mcp__task__create',
      agentId: 'lead',
      input: { title: about, description: text, assigneeId: 'worker', branchName: about },
    });
    const { id } = JSON.parse(task).data;
    await accepted('zoo', call('mcp__task__add_comment', { taskId: id, body: text }));
    await accepted(
      'zoo',
      call('mcp__task__update_status', { taskId: id, status: 'IN_PROGRESS', comment: text, prUrl: null }),
    );
    await accepted('zoo', call('mcp__task__update_status', { taskId: id, status: 'REVIEW', comment: text }));
    await accepted('zoo', {
      agentId: 'lead',
      toolName: 'mcp__epic__request_changes',
      input: { taskId: id, comment: text },
    });
    await accepted('zoo', call('mcp__task__update_status', { taskId: id, status: 'FAILED', comment: text }));
    await accepted('zoo', {
      agentId: 'lead',
      toolName: 'mcp__epic__create',
      input: { title: about, description: text },
    });
    await accepted(
      'faulty',
      call('answers', {
        text,
        password: value,
        deep: { apiKey: [value], list: [{ token: value }] },
        secret: { a: value },
      }),
    );
    // Invalid calls.
    await refused('zoo', call('mcp__mail__send', { toAgentId: text, subject: 'a', body: 'b' }));
    await refused('zoo', call('mcp__mail__send', { toAgentId: 'lead', subject: 'a', body: 'b', [text]: text }));
    await refused('zoo', call('mcp__mail__send', { toAgentId: 'lead', subject: { password: value }, body: [text] }));
    await refused('zoo', call('mcp__mail__read', { mailId: text.slice(0, 100) }));
    await refused('zoo', call('mcp__task__update_status', { taskId: id, status: text }));
    await refused('zoo', { agentId: 'worker', toolName: 'mcp__mail__send', [text]: text } as Call);
    await refused('zoo', `{"agentId":"worker","toolName":"mcp__mail__send","input":{"subject":${text}`);
    await refused('zoo', call('mcp__supervisor__create_worker', { agentId: text }));
    await refused('zoo', call(text, { text }));
    await refused('zoo', call('script_fails', { text }));
    await refused('faulty', call('fails_unexpectedly', { text }));
    await refused('faulty', call('fails_as_expected', { text }));
    await refused('faulty', call('refuses', { text }));
    // Unknown callers.
    const status = { toolName: 'mcp__agent__get_status' };
    await refused(
      'zoo',
      { ...status, agentId: 'worker', input: { token: value } },
      { authorization: `Bearer ${encodeURIComponent(value)}x` },
    );
    await refused('zoo', { ...status, agentId: text.slice(0, 200) }, { authorization: `Bearer ${tokens.get('lead')}` });
    await refused('zoo', { ...status, agentId: 'worker', input: { text } }, {});
  }

  function call(toolName: string, input: object): Call {
    return { agentId: 'worker', toolName, input };
  }

  async function post(server: keyof typeof urls, body: Call | string, given?: Record<string, string>): Promise<string> {
    calls += 1;
    const member = typeof body === 'string' ? 'worker' : (body.agentId ?? 'worker');
    const headers = given ?? { authorization: `Bearer ${tokens.get(member) ?? ''}` };
    const response = await fetch(`${urls[server]}/mcp/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return response.text();
  }

  /** A tool may return a secret to the caller that sent it. */
  async function accepted(server: keyof typeof urls, body: Call): Promise<string> {
    const text = await post(server, body);
    if (JSON.parse(text).success !== true) throw new Error(`${JSON.stringify(body)}: ${text}`);
    return text;
  }

  async function refused(
    server: keyof typeof urls,
    body: Call | string,
    headers?: Record<string, string>,
  ): Promise<void> {
    const text = await post(server, body, headers);
    if (JSON.parse(text).success !== false) throw new Error(`${JSON.stringify(body)}: ${text}`);
    replies.push(text);
  }

  async function refusedByMcp(): Promise<void> {
    const client = await connectV1({ url: `${urls.zoo}/mcp`, token: tokens.get('worker') ?? '' });
    for (const { text, value } of secrets) {
      for (const [tool, input] of [
        [text, { text }],
        ['mcp__mail__send', { toAgentId: text, subject: { password: value }, [text]: text }],
        ['mcp__supervisor__create_worker', { agentId: text }],
        ['script_fails', { text }],
      ] as const) {
        const answer = await client
          .call(tool, input)
          .catch((error: Error) => ({ isError: true, message: error.message }));
        if (!answer.isError) throw new Error(`${tool}: ${JSON.stringify(answer)}`);
        replies.push(JSON.stringify(answer));
        calls += 1;
      }
    }
    await client.close();
  }

  async function read(agentId: string): Promise<void> {
    let cursor: string | null = null;
    do {
      const input = { includeRead: true, ...(cursor !== null && { cursor }) };
      const text = await accepted('zoo', { agentId, toolName: 'mcp__mail__list_inbox', input });
      replies.push(text);
      cursor = JSON.parse(text).data.cursor;
    } while (cursor !== null);
    for (const path of ['/api/mail?all=true&limit=200', '/api/decisions?limit=500', '/api/team/health']) {
      const headers = { ...(await ownerHeader({ home: join(folder.dir, 'home') })) };
      replies.push(await (await fetch(`${urls.zoo}${path}`, { headers })).text());
    }
  }

  /** Finds a complete secret, or the beginning of a long one that was cut. */
  function hits(where: string, text: string): string[] {
    const planted = [...secrets, ...Object.entries(hooks).map(([name, value]) => ({ name, value }))];
    return planted.flatMap(({ name, value }) =>
      formsOf(value.slice(0, 30)).some((form) => text.includes(form))
        ? [`${name} in ${where}: …${around(text, value)}…`]
        : [],
    );
  }

  function around(text: string, value: string): string {
    const at = Math.max(...formsOf(value.slice(0, 30)).map((form) => text.indexOf(form)));
    return text.slice(Math.max(0, at - 120), at + 60);
  }

  it('at least twenty are planted, under every fault', () => {
    expect(secrets.length).toBeGreaterThanOrEqual(20);
    expect(calls).toBeGreaterThan(secrets.length * 25);
  });

  it('are in no table, and in no file of the database', async () => {
    const tables = { ...(await dumpTables(database)), ...(await databaseFiles(database)) };
    expect(Object.keys(tables).length).toBeGreaterThan(15);
    expect(tables.mails).toContain('[removed]');
    expect(tables.decision_groups).toContain('[removed]');
    expect(Object.entries(tables).flatMap(([name, text]) => hits(name, text))).toEqual([]);
  });

  it('are in no line of the process log', async () => {
    const { stdout, stderr } = await zoo.ended;
    expect(stderr).toContain('Webhook \\"audit\\" cannot be reached');
    expect(faulty.said()).toContain('a tool failed unexpectedly');
    expect([...hits('zoo serve', stdout + stderr), ...hits('the log', faulty.said())]).toEqual([]);
  });

  it('are in no mail and in no reply to a failed call', () => {
    expect(replies.length).toBeGreaterThan(secrets.length * 14);
    expect(replies.join('\n')).toContain('[removed]');
    expect(replies.flatMap((text) => hits('an answer', text))).toEqual([]);
  });
});

function dbSection({ db }: TestDatabase): string {
  const [[name, value] = ['', '']] = Object.entries(db);
  return `[db]\n${name} = ${JSON.stringify(value)}\n`;
}

function startFaulty(cwd: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [faultyServer], {
    cwd,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: cwd,
      AGENT_ZOO_HOME: join(cwd, 'home'),
      ZOO_CONFIG: join(cwd, 'zoo.toml'),
      ...env,
    },
  });
  const exited = once(child, 'exit');
  let said = '';
  const url = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk;
        const found = /serving (\S+)\n/.exec(said)?.[1];
        if (found) resolve(found);
      });
    }
    exited.then(() => reject(new Error(`The server ended: ${said}`)));
  });
  return {
    url,
    said: () => said,
    async end() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Returns every row of every table as text. */
async function dumpTables({ db }: TestDatabase): Promise<Record<string, string>> {
  const toText = (rows: object[]) => rows.map((row) => Object.values(row).map(String).join('\n')).join('\n');
  if ('path' in db) {
    const database = new DatabaseSync(db.path);
    const names = database.prepare(`select name from sqlite_master where type = 'table'`).all();
    const tables = names.map(({ name }) => [name, toText(database.prepare(`select * from "${name}"`).all())]);
    database.close();
    return Object.fromEntries(tables);
  }
  const client = new pg.Client({ connectionString: db.url });
  await client.connect();
  const { rows } = await client.query(`select table_name from information_schema.tables where table_schema = 'public'`);
  const tables: Record<string, string> = {};
  for (const { table_name: name } of rows) tables[name] = toText((await client.query(`select * from "${name}"`)).rows);
  await client.end();
  return tables;
}

/** Returns the bytes of the files, which may still contain deleted text. */
async function databaseFiles({ db }: TestDatabase): Promise<Record<string, string>> {
  if (!('path' in db)) return {};
  const folder = join(db.path, '..');
  const files = (await readdir(folder)).map(async (name) => [name, await readFile(join(folder, name), 'utf8')]);
  return Object.fromEntries(await Promise.all(files));
}
