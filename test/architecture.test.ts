import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** The one place that loads code of the user, by an address that only the config knows. */
const usersCode = [{ name: 'code-agents.ts', from: 'url' }];

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
    .filter((each) => !usersCode.some((known) => file.endsWith(known.name) && known.from === each.from));
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
