import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix, relative, resolve, sep } from 'node:path';
import { parseSync } from 'oxc-parser';

/** The only file that loads the user's code, from an address that only the config knows. */
const usersCode = { file: 'src/config/agents/code-agents.ts', from: 'url' };

export type Role = 'store' | 'routes' | 'cli' | 'tools';

export interface SourceFile {
  path: string;
  text: string;
  lines: number;
  /** The folder below src/, the name of a file right below it, `migrations`, or `web`. */
  room: string;
  /** From the file's name, as in `mail.store.ts`. */
  role: Role | undefined;
  /** The noun of a screen. */
  screen: string | undefined;
  imports: Import[];
  /** Where it uses the global `fetch` or `WebSocket`, or a function of Node that opens a connection. */
  connects: Connect[];
}

interface Connect {
  line: number;
  by: string;
}

interface Import {
  line: number;
  address: string;
  isTypeOnly: boolean;
}

export type House = ReturnType<typeof buildHouse>;

/** Parses the files, and finds what the rules of the architecture ask for. */
export function buildHouse(texts: ReadonlyMap<string, string>) {
  const files = [...texts].map(([path, text]) => parsed(path, text));
  const byPath = new Map(files.map((file) => [file.path, file]));
  const edges = files.flatMap((from) =>
    from.imports
      .filter(({ address }) => address.startsWith('.'))
      .map(({ address, ...rest }) => {
        const path = posix.join(posix.dirname(from.path), address);
        return { from, to: byPath.get(path) ?? parsed(path, ''), ...rest };
      }),
  );
  const targets = Map.groupBy(edges, ({ from }) => from.path);
  return {
    files,
    imports: (isFault: (edge: (typeof edges)[number]) => boolean) =>
      edges.filter(isFault).map(({ from, line, to }) => `${from.path}:${line} imports ${to.path}`),
    packages: (isFault: (use: { from: SourceFile; name: string; isTypeOnly: boolean }) => boolean) =>
      files.flatMap((from) =>
        from.imports
          .filter(({ address }) => !address.startsWith('.'))
          .map((each) => ({ ...each, from, name: packageName(each.address) }))
          .filter(isFault)
          .map(({ line, name }) => `${from.path}:${line} imports ${name}`),
      ),
    connects: (isFault: (from: SourceFile) => boolean) =>
      files
        .filter(isFault)
        .flatMap(({ path, connects }) => connects.map(({ line, by }) => `${path}:${line} uses ${by}`)),
    reachableFrom(starts: readonly SourceFile[]): Set<string> {
      const seen = new Set(starts.map(({ path }) => path));
      const queue = [...seen];
      for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
        for (const { to, isTypeOnly } of targets.get(path) ?? []) {
          if (isTypeOnly || seen.has(to.path)) continue;
          seen.add(to.path);
          queue.push(to.path);
        }
      }
      return seen;
    },
    cycles: () => findCycles(new Map([...targets].map(([path, found]) => [path, found.map(({ to }) => to.path)]))),
  };
}

/** Tarjan's algorithm: every group of files that reach each other. */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[] = [];
  const visit = (path: string): number => {
    const known = order.get(path);
    if (known !== undefined) return stack.includes(path) ? known : Number.POSITIVE_INFINITY;
    order.set(path, order.size);
    stack.push(path);
    const low = Math.min(
      order.get(path) ?? 0,
      ...(graph.get(path) ?? []).map((to) => Math.min(visit(to), lowest.get(to) ?? Number.POSITIVE_INFINITY)),
    );
    lowest.set(path, low);
    if (low === order.get(path)) {
      const group = stack.splice(stack.indexOf(path));
      for (const each of group) lowest.set(each, Number.POSITIVE_INFINITY);
      if (group.length > 1 || graph.get(path)?.includes(path)) cycles.push(group.sort().join(' ↔ '));
    }
    return low;
  };
  for (const path of graph.keys()) visit(path);
  return cycles;
}

export function readSources(): Map<string, string> {
  const root = resolve(import.meta.dirname, '..', '..');
  const paths = ['src', 'web'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(
        (entry) => entry.isFile() && ['.ts', '.tsx'].includes(extname(entry.name)) && !/\.test\.tsx?$/.test(entry.name),
      )
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
  return new Map(paths.map((path) => [path.split(sep).join('/'), readFileSync(join(root, path), 'utf8')]));
}

const known = new Map<string, SourceFile>();

/** Houses with planted faults share nearly all of their files. */
function parsed(path: string, text: string): SourceFile {
  const key = `${path}\n${text}`;
  const file = known.get(key) ?? parseFile(path, text);
  known.set(key, file);
  return file;
}

export function parseFile(path: string, text: string): SourceFile {
  const [top = '', room = ''] = path.split('/');
  const { module, program, errors } = parseSync(path.endsWith('.json') ? 'x.ts' : path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  return {
    path,
    text,
    lines: text.split('\n').length - 1,
    room: path.startsWith('src/db/migrations/') ? 'migrations' : top === 'src' ? room.replace(/\.ts$/, '') : top,
    role: /\.(store|routes|cli|tools)\.ts$/.exec(path)?.[1] as Role | undefined,
    screen: /^web\/screens\/([^/]+)\//.exec(path)?.[1],
    imports: readImports(path, text, module, lineAt),
    connects: top === 'src' && mayConnect.test(text) ? [...readConnects(program, lineAt)] : [],
  };
}

function readImports(
  path: string,
  text: string,
  module: ReturnType<typeof parseSync>['module'],
  lineAt: (offset: number) => number,
): Import[] {
  const imported = module.staticImports.map(({ start, entries, moduleRequest }) => ({
    line: lineAt(start),
    address: moduleRequest.value,
    isTypeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
  }));
  const exported = module.staticExports.flatMap(({ start, entries }) =>
    entries.flatMap(({ moduleRequest, isType }) =>
      moduleRequest ? [{ line: lineAt(start), address: moduleRequest.value, isTypeOnly: isType }] : [],
    ),
  );
  const dynamic = module.dynamicImports
    .map(({ start, moduleRequest }) => ({
      line: lineAt(start),
      address: text.slice(moduleRequest.start, moduleRequest.end).replace(/^['"`]|['"`]$/g, ''),
      isTypeOnly: false,
    }))
    .filter(({ address }) => !(path === usersCode.file && address === usersCode.from));
  return [...imported, ...exported, ...dynamic];
}

const mayConnect = /fetch|WebSocket|EventSource|node:(?:https?|http2|net|tls|dgram)|undici/;
const globals = new Set(['fetch', 'WebSocket', 'EventSource']);
/** What Node's modules offer to serve, to describe types or to compare addresses; everything else connects. */
const harmless: Record<string, readonly string[]> = {
  'node:http': ['createServer', 'ServerResponse', 'Agent', 'globalAgent'],
  'node:https': ['createServer', 'Agent', 'globalAgent'],
  'node:net': ['createServer', 'isIP', 'isIPv4', 'isIPv6', 'BlockList'],
  'node:tls': ['createServer', 'createSecureContext'],
  'node:http2': [],
  'node:dgram': [],
  undici: [],
};

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

/** Finds connections by syntax: imports, and names of the global object that no parameter or variable around them hides. */
function* readConnects(
  node: Node | object,
  lineAt: (offset: number) => number,
  taken: readonly string[] = [],
): Generator<Connect> {
  const { type, start } = node as Node;
  if (type === 'ImportDeclaration') {
    yield* importedConnects(node as Node, lineAt);
    return;
  }
  // Types are gone when the code runs.
  if (type.startsWith('TS') && !/^TS(?:As|Satisfies|NonNull)/.test(type)) return;
  if (type === 'Identifier') {
    const { name } = node as Node & { name: string };
    if (globals.has(name) && !taken.includes(name)) yield { line: lineAt(start), by: name };
    return;
  }
  if (type === 'ImportExpression') {
    const { value } = (node as Node & { source: { value?: unknown } }).source;
    if (typeof value === 'string' && Object.hasOwn(harmless, value)) yield { line: lineAt(start), by: value };
  }
  const known = [...taken, ...declaredNames(node as Node)];
  for (const [key, value] of Object.entries(node)) {
    if (isOnlyAName(node as Node, key)) continue;
    for (const each of [value].flat()) if (isNode(each)) yield* readConnects(each, lineAt, known);
  }
}

function* importedConnects(node: Node, lineAt: (offset: number) => number): Generator<Connect> {
  const { source, specifiers, importKind } = node as Node & {
    source: { value: string };
    specifiers: { importKind?: string; imported?: { name: string } }[];
    importKind?: string;
  };
  const allowed = Object.hasOwn(harmless, source.value) ? harmless[source.value] : undefined;
  if (!allowed || importKind === 'type') return;
  for (const { importKind: kind, imported } of specifiers) {
    if (kind !== 'type' && !allowed.includes(imported?.name ?? ''))
      yield { line: lineAt(node.start), by: `${imported?.name ?? 'all'} of ${source.value}` };
  }
}

/** `x.fetch`, `{ fetch: … }` and a method named `fetch` mention no variable. */
function isOnlyAName(node: Node, key: string): boolean {
  if (node.computed) return false;
  const isGlobalObject = (node as { object?: { name?: string } }).object?.name === 'globalThis';
  if (node.type === 'MemberExpression') return key === 'property' && !isGlobalObject;
  return key === 'key' && node.shorthand !== true;
}

/** Returns the names of a function's parameters, or of the variables of a block. */
function declaredNames({ params, body }: Node): string[] {
  const names: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    else if (isNode(value)) {
      if (value.type === 'Identifier') names.push(String(value.name));
      else
        for (const [key, each] of Object.entries(value)) if (!/^(?:key|typeAnnotation|right)$/.test(key)) visit(each);
    }
  };
  visit(params);
  for (const statement of Array.isArray(body) ? body : []) {
    if (statement.type === 'VariableDeclaration') for (const { id } of statement.declarations) visit(id);
    if (statement.type === 'FunctionDeclaration') visit(statement.id);
  }
  return names;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function packageName(address: string): string {
  return address
    .split('/')
    .slice(0, address.startsWith('@') ? 2 : 1)
    .join('/');
}
