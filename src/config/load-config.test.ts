import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HubError } from '../base/hub-error.ts';
import { loadConfig } from './load-config.ts';

let dir: string;

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'zoo-config-')));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function write(name: string, text: string | Uint8Array): Promise<string> {
  const file = join(dir, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

/** Loads the config that a command would find. */
function find(env: Record<string, string> = {}, explicitFile?: string) {
  return loadConfig({ cwd: join(dir, 'work'), env, home: join(dir, 'home'), explicitFile });
}

/** Names the config in the working folder, if there is one: a found one would need trust. */
function load(env: Record<string, string> = {}, explicitFile?: string) {
  const named = ['zoo.toml', 'ctx.toml'].find((name) => existsSync(join(dir, 'work', name)));
  return find(named === undefined || env.CTX_CONFIG ? env : { ZOO_CONFIG: named, ...env }, explicitFile);
}

async function failure(env: Record<string, string> = {}, explicitFile?: string): Promise<HubError> {
  const error = await load(env, explicitFile).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(HubError);
  return error as HubError; // Just asserted.
}

describe('the config file', () => {
  test('is searched for in a fixed order', async () => {
    const places = [
      'home/.agent-zoo/zoo.toml',
      'work/config/ctx.toml',
      'work/.ctx/config.toml',
      'work/ctx.toml',
      'work/zoo.toml',
    ];
    for (const place of places) {
      const file = await write(place, '');
      expect((await find()).file).toBe(file);
    }
    const byCtx = await write('ctx-config.toml', '');
    expect((await find({ CTX_CONFIG: byCtx })).file).toBe(byCtx);
    const byZoo = await write('work/sub/zoo-config.toml', '');
    expect((await find({ CTX_CONFIG: byCtx, ZOO_CONFIG: 'sub/zoo-config.toml' })).file).toBe(byZoo);
    const explicit = await write('explicit.toml', '');
    expect((await load({ ZOO_CONFIG: byZoo }, '../explicit.toml')).file).toBe(explicit);
  });

  test('is optional: the defaults apply, with the data in the home folder', async () => {
    const loaded = await load();
    expect(loaded.file).toBeNull();
    expect(loaded.folder).toBe(join(dir, 'work'));
    expect(loaded.config).toEqual({
      db: { path: join(dir, 'home/.agent-zoo/zoo.sqlite') },
      server: {
        bind: '127.0.0.1:7331',
        anonymous: 'use',
        trusted_proxies: [],
        caller_limit: 100,
        address_limit: 200,
        failure_limit: 10,
      },
      agents: {},
      connectors: {},
      tools: {},
      chunking: { max_tokens: 700, overlap_tokens: 80 },
      retrieval: { hybrid_alpha: 0.4, candidate_k_keyword: 80, candidate_k_vector: 80, final_limit: 12 },
      embedding: { provider: 'disabled', batch_size: 64, max_retries: 5, timeout_secs: 30, index: 'memory' },
      permissions: { SUPERVISOR: {}, ORCHESTRATOR: {}, WORKER: {} },
      team: {
        stalled_after_secs: 1_800,
        waiting_after_secs: 86_400,
        escalation_window_secs: 600,
        reconcile_every_secs: 30,
      },
      log: { secret_env: [] },
      chats: {},
      runs: {},
      events: { webhooks: {} },
      context: { folders: [], allow_hosts: [] },
      workspace: {},
      providers: {},
      engine: { max_ticks: 10, after_untrusted: 'ask', ask_before_memory: false },
      a2a: { peers: {} },
    });
  });

  test('an A2A peer has its address, and its secrets are redacted', async () => {
    const text = `[a2a.peers.travel]\nurl = "https://agents.example/travel"\nbearer = "\${TRAVEL}"\nheaders = { "X-API-Key" = "literal-key-1" }\n`;
    await write('work/zoo.toml', text);
    const loaded = await load({ TRAVEL: 'word-of-the-day' });
    expect(loaded.config.a2a.peers).toEqual({
      travel: {
        url: 'https://agents.example/travel',
        bearer: 'word-of-the-day',
        headers: { 'X-API-Key': 'literal-key-1' },
      },
    });
    expect(loaded.secrets).toEqual(expect.arrayContaining(['word-of-the-day', 'literal-key-1']));
    await write('work/zoo.toml', '[a2a.peers.travel]\nurl = "ftp://agents.example"\n');
    await expect(load()).rejects.toThrow(/a2a\.peers\.travel\.url/);
  });

  test('~ is the home folder, in AGENT_ZOO_HOME and in [db] path', async () => {
    expect((await load({ AGENT_ZOO_HOME: '~/zoo' })).dataDir).toBe(join(dir, 'home/zoo'));
    await write('work/zoo.toml', '[db]\npath = "~/data/z.sqlite"\n');
    expect((await load()).config.db).toEqual({ path: join(dir, 'home/data/z.sqlite') });
  });

  test('Windows line ends work', async () => {
    await write('work/zoo.toml', '\ufeff[agents.a]\r\nsystem_prompt = """\r\none\r\ntwo"""\r\n');
    expect((await load()).config.agents).toEqual({ a: { system_prompt: 'one\ntwo' } });
  });

  test('AGENT_ZOO_HOME moves the data folder and the config in it', async () => {
    const file = await write('elsewhere/zoo.toml', '');
    const loaded = await load({ AGENT_ZOO_HOME: join(dir, 'elsewhere') });
    expect(loaded).toMatchObject({ file, dataDir: join(dir, 'elsewhere') });
    expect(loaded.config.db).toEqual({ path: join(dir, 'elsewhere/zoo.sqlite') });
  });

  test.each([
    ['--config', {}, 'nowhere.toml'],
    ['$ZOO_CONFIG', { ZOO_CONFIG: 'nowhere.toml' }, undefined],
    ['$CTX_CONFIG', { CTX_CONFIG: 'nowhere.toml' }, undefined],
  ])('a missing file named by %s is an error; no other location is tried', async (by, env, explicit) => {
    await write('work/zoo.toml', '');
    const error = await failure(env, explicit);
    expect(error.code).toBe('INVALID_CONFIG');
    expect(error.message).toContain(join(dir, 'work/nowhere.toml'));
    expect(error.message).toContain(by);
  });
});

describe('the user-wide config of Context Harness', () => {
  test('is not read, and a notice says what to do', async () => {
    const global = await write('home/.config/ctx/config.toml', '[server]\nbind = "127.0.0.1:9"\n');
    expect((await load()).notices).toEqual([
      `${global} is not read: Agent Zoo uses one config at a time. Name it with --config or $CTX_CONFIG to use it.`,
    ]);
    await write('work/.ctx/config.toml', '');
    expect((await load()).notices).toEqual([
      `${global} is not read: Agent Zoo uses one config at a time. Copy the sections that you need into .ctx/config.toml.`,
    ]);
    expect((await load({ CTX_CONFIG: global })).notices).toEqual([]);
    const other = await write('xdg/ctx/config.toml', '');
    expect((await load({ XDG_CONFIG_HOME: join(dir, 'xdg') })).notices[0]).toContain(other);
    await write('work/zoo.toml', '');
    expect((await load()).notices).toEqual([]);
  });
});

describe('the database', () => {
  const address = 'postgres://zoo:secret@db.example/zoo';
  test.each([
    ['[db] url wins over DATABASE_URL', '[db]\nurl = "postgresql://file/zoo"', { url: 'postgresql://file/zoo' }],
    ['DATABASE_URL wins over [db] path', '[db]\npath = "x.sqlite"', { url: address }],
    ['DATABASE_URL serves without [db]', '', { url: address }],
    [
      'other keys apply to either',
      '[db]\nlisten_url = "postgres://direct/zoo"\nbus_url = "nats://n"\nmax_connections = 4\nprepare = false',
      { url: address, listen_url: 'postgres://direct/zoo', bus_url: 'nats://n', max_connections: 4, prepare: false },
    ],
  ])('%s', async (_name, text, db) => {
    await write('work/zoo.toml', text);
    expect((await load({ DATABASE_URL: address })).config.db).toEqual(db);
  });

  test('the secrets in its addresses are removed from everything that is shown or stored', async () => {
    await write(
      'work/zoo.toml',
      `[db]
url = "postgres://zoo:first-password@db.example/zoo"
listen_url = "postgres://zoo:second%2Fpassword@db.example/zoo"
bus_url = "nats://third-secret-token@nats.example"`,
    );
    const secrets = (await load()).secrets;
    for (const secret of ['first-password', 'second/password', 'second%2Fpassword', 'third-secret-token'])
      expect(secrets).toContain(secret);
  });

  test.each([
    ['max_connections = 2', 'max_connections'],
    ['listen_url = "http://db"', 'listen_url'],
    ['bus_url = "redis://x"', 'bus_url'],
  ])('%s is refused', async (line, key) => {
    await write('work/zoo.toml', `[db]\n${line}`);
    await expect(load()).rejects.toThrow(key);
  });

  test.each([
    ['the folder of the file', 'work/sub/zoo.toml', 'work/sub'],
    ['the project of a .ctx/config.toml', 'work/.ctx/config.toml', 'work'],
    ['the project of a config/ctx.toml', 'work/config/ctx.toml', 'work'],
    ['the working folder of a ctx.toml below it, as in Context Harness', 'work/demo/config/ctx.toml', 'work'],
    ['the project of a ctx.toml elsewhere', 'other/config/ctx.toml', 'other'],
  ])('a path is relative to %s', async (_name, place, folder) => {
    const file = await write(place, '[db]\npath = "data/zoo.sqlite"');
    const loaded = await load({ ZOO_CONFIG: file });
    expect(loaded.folder).toBe(join(dir, folder));
    expect(loaded.config.db).toEqual({ path: join(dir, folder, 'data/zoo.sqlite') });
  });

  test('a DATABASE_URL for another kind of database is ignored and reported without its secrets', async () => {
    const loaded = await load({ DATABASE_URL: 'mysql://root:secret@localhost/app' });
    expect(loaded.config.db).toEqual({ path: join(dir, 'home/.agent-zoo/zoo.sqlite') });
    expect(loaded.problems).toHaveLength(1);
    expect(JSON.stringify(loaded.problems)).not.toContain('secret');
  });
});

describe('the content of a config file', () => {
  test('environment variables are replaced in every string; two dollar signs escape one', async () => {
    await write(
      'work/zoo.toml',
      `[server]\nbind = "127.0.0.1:\${PORT}"\n[agents.a]\nsystem_prompt = "$\${HOME} \${1}"`,
    );
    const { config } = await load({ PORT: '9000' });
    expect(config.server.bind).toBe('127.0.0.1:9000');
    expect(config.agents).toEqual({ a: { system_prompt: `\${HOME} \${1}` } });
  });

  test('an unset variable disables its entry, and is reported with key, file and line', async () => {
    const jira = `[tools.script.jira]\npath = "jira.lua"\napi_token = "\${JIRA_API_TOKEN}"\n`;
    const file = await write(
      'work/ctx.toml',
      `${jira}[tools.script.echo]\npath = "echo.lua"\n[embedding]\napi_key = "\${KEY}"\n`,
    );
    const { config, problems, unset } = await load({}, file);
    expect(config.tools).toEqual({ script: { echo: { path: 'echo.lua' } } });
    expect(config.embedding.provider).toBe('disabled');
    expect(problems.map(({ message }) => message)).toEqual([
      `ctx.toml:3: tools.script.jira.api_token: the environment variable JIRA_API_TOKEN is not set, so [tools.script.jira] is disabled. Set it, or write $\${JIRA_API_TOKEN} for the literal text.`,
      expect.stringContaining(
        'ctx.toml:7: embedding.api_key: the environment variable KEY is not set, so [embedding] is disabled.',
      ),
    ]);
    expect(unset.map(({ path }) => path)).toEqual([['tools', 'script', 'jira'], ['embedding']]);
  });

  test.each(['db', 'server', 'permissions.WORKER', 'log'])(
    'an unset variable in [%s] is an error: the default could mean something else',
    async (section) => {
      const file = await write('work/zoo.toml', `[${section}]\nkey = "\${MISSING}"\n`);
      const { message } = await failure({}, file);
      expect(message).toContain(`zoo.toml:2: ${section}.key: the environment variable MISSING is not set. Set it`);
    },
  );

  test('a Context Harness file with every section loads unchanged', async () => {
    const sections = ['connectors.git.platform', 'tools.script.jira', 'agents.reviewer', 'agents.script.responder'];
    const rest = ['providers.local', 'mcp_servers.files', 'permissions.WORKER'];
    await write('work/ctx.toml', [...sections, ...rest].map((name) => `[${name}]\nkey = "value"\n`).join('\n'));
    const loaded = await load();
    expect(loaded.problems).toEqual([]);
    expect(loaded.config.connectors).toEqual({ git: { platform: { key: 'value' } } });
  });

  test('an unknown section or key is a problem with a suggestion, not a failure', async () => {
    await write('work/zoo.toml', '[srver]\nbind = "127.0.0.1:1"\n[db]\npaht = "x"\n[weather]\nsun = true');
    const { problems } = await load();
    expect(problems.map((problem) => problem.message)).toEqual([
      'Unknown section [srver] was ignored. Did you mean [server]?',
      'Unknown section [weather] was ignored.',
      'Unknown key "paht" in [db] was ignored. Did you mean "path"?',
    ]);
  });
});

describe('an invalid file is reported with file, line, key and rule', () => {
  const deep = 100_000;
  test.each<[string, string | Uint8Array, RegExp]>([
    ['a value is missing', '[server]\nbind =\n', /^zoo\.toml:2: invalid TOML/],
    ['half-written table', '[db]\npath = "x"\n[agents.rev', /^zoo\.toml:3: invalid TOML/],
    ['half-written string', '[agents.a]\nsystem_prompt = """\nYou are', /^zoo\.toml:2: invalid TOML/],
    [
      'a day that does not exist',
      '[server]\n\nsince = 2026-02-30\n',
      /^zoo\.toml:3: invalid TOML: the date 2026-02-30 does not exist\.$/,
    ],
    [
      'a number beyond what JavaScript can say',
      '[chunking]\nmax_tokens = 9223372036854775807\n',
      /^zoo\.toml:2: chunking\.max_tokens: .*must be a number/,
    ],
    ['a table twice', '[db]\n[db]\n', /^zoo\.toml:2: invalid TOML/],
    ['bind is a number', '[server]\nbind = 7331', /^zoo\.toml:2: server\.bind: .*must be text/],
    ['bind is no address', '[server]\nbind = "everywhere"', /^zoo\.toml:2: server\.bind: must be HOST:PORT/],
    ['a certificate has no key', '[server]\ncert = "c.pem"', /^zoo\.toml:2: server\.cert: needs "key"/],
    ['a key has no certificate', '[server]\nkey = "k.pem"', /^zoo\.toml:2: server\.key: needs "cert"/],
    [
      'public_url has a path',
      '[server]\npublic_url = "https://zoo.example/zoo"',
      /server\.public_url: must be an address/,
    ],
    [
      'public_url has another scheme',
      '[server]\npublic_url = "ftp://zoo.example"',
      /server\.public_url: must be an address/,
    ],
    [
      'public_url is not encrypted, and the hub is',
      '[server]\ncert = "c"\nkey = "k"\npublic_url = "http://zoo.example"',
      /^zoo\.toml:4: server\.public_url: must begin with https/,
    ],
    [
      'public_url is not encrypted',
      '[server]\npublic_url = "http://zoo.example"\ntrusted_proxies = ["10.0.0.2"]',
      /^zoo\.toml:2: server\.public_url: must begin with https:.* let the proxy serve HTTPS, or set "cert" and "key"$/,
    ],
    [
      'public_url has neither proxies nor a certificate',
      '[server]\npublic_url = "https://zoo.example"',
      /^zoo\.toml:2: server\.public_url: needs "trusted_proxies".*or "cert" and "key"/,
    ],
    [
      'every address is a proxy',
      '[server]\npublic_url = "https://zoo.example"\ntrusted_proxies = ["10.0.0.2", "0.0.0.0/0"]',
      /server\.trusted_proxies\[1\]: must not cover every address/,
    ],
    [
      'every IPv6 address is a proxy',
      '[server]\npublic_url = "https://zoo.example"\ntrusted_proxies = ["::/0"]',
      /server\.trusted_proxies\[0\]: must not cover every address/,
    ],
    [
      'a proxy is a name',
      '[server]\npublic_url = "https://zoo.example"\ntrusted_proxies = ["proxy.example"]',
      /server\.trusted_proxies\[0\]: must be an IP address or a range/,
    ],
    [
      'proxies serve no address',
      '[server]\ntrusted_proxies = ["10.0.0.0/8"]',
      /^zoo\.toml:2: server\.trusted_proxies: needs "public_url"/,
    ],
    ['bind has a port too high', '[server]\nbind = "127.0.0.1:65536"', /server\.bind: must be HOST:PORT/],
    ['db is a text', 'db = "x.sqlite"', /^zoo\.toml:1: db: .*must be an object/],
    ['db url of another database', '[db]\nurl = "mysql://x"', /db\.url: must begin with postgres/],
    ['agents is a list', 'agents = []', /^zoo\.toml:1: agents: .*must be an object/],
    ['a later section is a number', 'chunking = 3', /^zoo\.toml:1: chunking: .*must be an object/],
    ['__proto__ as a table', '[agents.__proto__]\nname = "x"', /^zoo\.toml:1: .*"__proto__"/],
    ['__proto__ as a key', '[db]\n__proto__.polluted = true', /^zoo\.toml:2: .*"__proto__"/],
    ['__proto__ inside an inline table', 'x = { "__proto__" = { polluted = true } }', /"__proto__"/],
    ['nested lists', `x = ${'['.repeat(deep)}`, /nested/],
    ['nested inline tables', `x = ${'{a='.repeat(deep)}`, /nested/],
    ['a dotted key without end', `x${'.a'.repeat(deep)} = 1`, /nested deeper than 64/],
    ['not UTF-8', new Uint8Array([0x61, 0x3d, 0x22, 0xff, 0x22]), /zoo\.toml cannot be read: it is not UTF-8/],
    ['two byte order marks', '\ufeff\ufeff[db]\n', /^zoo\.toml begins with two byte order marks\.$/],
    ['more than 4 MB', `x = "${'a'.repeat(4 * 1024 * 1024)}"`, /zoo\.toml has \d+ bytes\. The maximum/],
  ])('%s', async (_name, text, rule) => {
    await write('work/zoo.toml', text);
    const error = await failure();
    expect(error.code).toBe('INVALID_CONFIG');
    expect(error.message).toMatch(rule);
    expect(error.message.length).toBeLessThan(500);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  test('a folder instead of the file', async () => {
    await mkdir(join(dir, 'work/zoo.toml'), { recursive: true });
    expect((await failure()).message).toBe('zoo.toml is not a file.');
  });
});
