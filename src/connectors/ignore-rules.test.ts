import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { parseIgnoreFile } from './ignore-pattern.ts';
import { type IgnoreFiles, IgnoreRules } from './ignore-rules.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Tree {
  /** Every folder, the topmost as ''. */
  folders: readonly string[];
  files: readonly string[];
  /** By folder, with the slash at its end. */
  ignoreFiles: ReadonlyMap<string, string>;
  exclude?: string;
}

/** Names that are close to each other, so that rules match often. */
const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('a', 'b', 'ab') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        'abc',
        'a.b',
        'B',
        'é',
        'ab é',
        'x y',
        'x ',
        '#a',
        '!a',
        'a*',
        'a[b]',
        'a\\b',
        '-',
        ']',
        'foo.log',
        '.hidden',
      ],
    ),
  },
);
const piece = fc.oneof(
  { weight: 6, arbitrary: name },
  { weight: 3, arbitrary: fc.constantFrom('*', '**', '***', '?', '*.log', 'a*', '*b', 'a**', '**b', '?b') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[
        '[ab]',
        '[!a]',
        '[^a]',
        '[a-c]*',
        '[]-]',
        '[!]a]',
        '[[:alpha:]]',
        '[[:upper:]]',
        '[[:nope:]]',
        '[a',
        '[a-',
        '[\\]a]',
        '[[:alpha:]',
      ],
      ...[
        '[b-a]',
        '[a-\\c]',
        '[[:digit:]a]',
        '[--b]',
        '[a-]',
        '[[]',
        '[[:]',
        '[[::]]',
        '[\\',
        '[é]',
        '[!é]',
        '[/]',
        '[a/]b',
      ],
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\\*', '\\a', '\\#a', '\\!a', 'x\\ ', 'a\\', '\\\\', 'a\\\\b', '\\[a]', '**\\'),
  },
);
const rule = fc
  .tuple(
    fc.constantFrom('', '', '', '!', '!', '#', '\\!', '!!'),
    fc.constantFrom('', '', '', '/', '**/', '//'),
    fc.oneof(
      { weight: 3, arbitrary: fc.array(piece, { minLength: 1, maxLength: 2 }) },
      { weight: 1, arbitrary: fc.array(piece, { minLength: 3, maxLength: 4 }) },
    ),
    fc.constantFrom('/', '/', '/**/', '', '//', '\\/'),
    fc.constantFrom('', '', '', '/', '/**', '/*', '//', ' ', '  ', '\\ ', '\t', ' \\ ', '/ ', '\r'),
  )
  .map(([sign, start, pieces, between, end]) => `${sign}${start}${pieces.join(between)}${end}`);
const ignoreFile = fc
  .tuple(
    fc.constantFrom('', '', '\uFEFF'),
    fc.array(rule, { maxLength: 6 }),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
  )
  .map(([mark, rules, lineEnd, isEnded]) => mark + rules.join(lineEnd) + (isEnded ? lineEnd : ''));
const tree: fc.Arbitrary<Tree> = fc
  .tuple(
    fc.array(fc.array(name, { minLength: 1, maxLength: 4 }), { minLength: 8, maxLength: 30 }),
    fc.array(ignoreFile, { minLength: 1, maxLength: 4 }),
    fc.array(fc.nat(20), { minLength: 4, maxLength: 4 }),
    fc.option(ignoreFile, { nil: '' }),
  )
  .map(([paths, texts, places, exclude]) => {
    const parents = new Set<string>(['']);
    for (const path of paths)
      for (let end = 1; end < path.length; end++) parents.add(`${path.slice(0, end).join('/')}/`);
    const all = [...parents];
    const files = [...new Set(paths.map((path) => path.join('/')))].filter((path) => !parents.has(`${path}/`));
    const ignoreFiles = new Map(
      texts.map((text, index) => [index === 0 ? '' : (all[(places[index] ?? 0) % all.length] ?? ''), text]),
    );
    return { folders: all, files, ignoreFiles, exclude };
  });

describe('ignore files', () => {
  it('hide exactly what git hides', () => {
    const compared = { paths: 0, hidden: 0 };
    const property = fc.property(tree, (generated) => {
      const { ours, gits } = decideBoth(generated);
      compared.paths += ours.size;
      compared.hidden += [...ours.values()].filter(Boolean).length;
      expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(gits));
    });
    fc.assert(property, { numRuns: 60 });
    // A generator that matches nothing, or everything, would prove nothing.
    expect(compared.hidden / compared.paths).toBeGreaterThan(0.03);
    expect(compared.hidden / compared.paths).toBeLessThan(0.9);
  });
});

describe('hostile ignore files', () => {
  const rulesOf = (text: string, above?: IgnoreRules) =>
    new IgnoreRules({ '.gitignore': Buffer.from(text) }, { above, ...(above && { name: 'in' }) });
  const stars = 'a'.repeat(100).split('').join('*');

  it('a rule longer than any path is rejected, and its whole file is ignored', () => {
    expect(rulesOf(`${'#'.repeat(10_000)}\n${'a'.repeat(4_096)}\n`).judge('b', false)).toBeUndefined();
    expect(() => rulesOf(`*.log\n${'a'.repeat(4_097)}\n`)).toThrow(
      'Its .gitignore has a rule of more than 4,096 bytes in line 2. Shorten it.',
    );
  });

  it('too many rules for a folder are rejected, even from several files', () => {
    const many = 'a\n\n# b\n'.repeat(10_000);
    const above = rulesOf(many);
    expect(rulesOf(many, above).judge('a', false)?.isIgnored).toBe(true);
    expect(() => rulesOf('one', rulesOf(many, above))).toThrow(
      'Its .gitignore has too many rules: a folder may have at most 20,000, including those of the folders above. Remove some.',
    );
  });

  it.each([
    ['stars in a name', `${stars}*b*\n`.repeat(4_900), 'a'.repeat(254)],
    ['stars across folders', `${'**/a*/'.repeat(30)}b*\n`.repeat(4_000), 'a'.repeat(254)],
    ['brackets', `${'*[ab]'.repeat(100)}*c*\n`.repeat(1_900), 'ab'.repeat(120)],
  ])('%s that take too long are given up, and the file is named', (_what, text, name) => {
    let rules = rulesOf(text);
    for (let depth = 0; depth < 12; depth++) rules = rules.enter(`${'a/'.repeat(5)}a`);
    expect(() => rules.judge(name, false)).toThrow(/^Checking whether it is ignored takes too long.*\.gitignore/);
  });

  it('a rule that cannot match takes one step, no matter how long it is', () => {
    const cost = (text: string, name: string) => {
      const effort = { left: 1_000_000 };
      const [rule] = parseIgnoreFile(Buffer.from(text), { ignoreCase: false, already: 0 });
      expect(rule?.matches({ bytes: name, name, isFolder: false }, effort)).toBe(false);
      return 1_000_000 - effort.left;
    };
    expect(cost('a*'.repeat(2_000), 'a'.repeat(250))).toBe(1);
    expect(cost('*.log', `${'a'.repeat(250)}.txt`)).toBe(1);
    expect(cost(`${'?'.repeat(50)}*${'x'.repeat(200)}.txt`, `${'a'.repeat(250)}.txt`)).toBe(1);
    // Nothing is reached any more after the first step.
    expect(cost(`[b]${'*a'.repeat(100)}`, 'a'.repeat(250))).toBe(2);
  });

  it('the rules of large projects are cheap to match', () => {
    const text = Array.from(
      { length: 3_000 },
      (_, index) => `**/module-${index}*/build/*.o\n/out${index}/**\n*.x${index}\n`,
    );
    const rules = rulesOf(text.join('')).enter('packages').enter('module-2999b').enter('build');
    expect(rules.judge('main.o', false)?.because).toContain('**/module-2999*/build/*.o');
    expect(rules.judge('main.c', false)).toBeUndefined();
  });
});

function decideBoth(generated: Tree) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-zoo-ignore-'));
  folders.push(folder);
  const environment = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', ['init', '-q', folder], { env: environment });
  for (const path of generated.folders) mkdirSync(join(folder, path), { recursive: true });
  for (const path of generated.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '');
  }
  for (const [path, text] of generated.ignoreFiles) writeFileSync(join(folder, path, '.gitignore'), text);
  writeFileSync(join(folder, '.git/info/exclude'), generated.exclude ?? '');
  const paths = [
    ...generated.folders.filter((path) => path !== '').map((path) => path.slice(0, -1)),
    ...generated.files,
  ];
  const asked = spawnSync('git', ['check-ignore', '--no-index', '-z', '--stdin'], {
    cwd: folder,
    env: environment,
    input: paths.join('\0'),
  });
  expect(asked.stderr.toString()).toBe('');
  const hidden = new Set(asked.stdout.toString().split('\0'));
  rmSync(folder, { recursive: true, force: true });
  return {
    gits: new Map(paths.map((path) => [path, hidden.has(path)])),
    ours: new Map(paths.map((path) => [path, isHidden(generated, path)])),
  };
}

/** From the top down, as a walk does it. */
function isHidden({ folders: all, ignoreFiles, exclude }: Tree, path: string): boolean {
  const filesOf = (folder: string): IgnoreFiles => {
    const text = ignoreFiles.get(folder);
    return text === undefined ? {} : { '.gitignore': Buffer.from(text) };
  };
  let rules = new IgnoreRules(
    { ...filesOf(''), '.git/info/exclude': Buffer.from(exclude ?? '') },
    { isRepository: true },
  );
  const parts = path.split('/');
  for (const [index, part] of parts.entries()) {
    const here = `${parts.slice(0, index + 1).join('/')}/`;
    const isFolder = all.includes(here);
    if (rules.judge(part, isFolder)?.isIgnored) return true;
    rules = rules.enter(part, filesOf(here));
  }
  return false;
}
