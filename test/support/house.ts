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
    circles: () => findCircles(new Map([...targets].map(([path, found]) => [path, found.map(({ to }) => to.path)]))),
  };
}

/** Tarjan's algorithm: every group of files that reach each other. */
function findCircles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[] = [];
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
      if (group.length > 1 || graph.get(path)?.includes(path)) circles.push(group.sort().join(' ↔ '));
    }
    return low;
  };
  for (const path of graph.keys()) visit(path);
  return circles;
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
  return {
    path,
    text,
    lines: text.split('\n').length - 1,
    room: path.startsWith('src/db/migrations/') ? 'migrations' : top === 'src' ? room.replace(/\.ts$/, '') : top,
    role: /\.(store|routes|cli|tools)\.ts$/.exec(path)?.[1] as Role | undefined,
    screen: /^web\/screens\/([^/]+)\//.exec(path)?.[1],
    imports: parseImports(path, text),
  };
}

function parseImports(path: string, text: string): Import[] {
  const { module, errors } = parseSync(path.endsWith('.json') ? 'x.ts' : path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
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

function packageName(address: string): string {
  return address
    .split('/')
    .slice(0, address.startsWith('@') ? 2 : 1)
    .join('/');
}
