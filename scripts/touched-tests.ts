import { dirname, join, normalize } from 'node:path';

/** The text of all relevant files, by path from the project folder. */
export type Sources = ReadonlyMap<string, string>;

export interface TouchedTest {
  file: string;
  /** The number of imports between the test and the nearest changed file. */
  distance: number;
}

const isTest = (file: string) => /\.test\.tsx?$/.test(file);
/** Journeys that open a browser or install the package. Nearly every change affects them. */
const slowParts = ['test/support/browser/browser.ts', 'test/support/command/packed-zoo.ts'];
/** Runs the command in another process, so its tests do not import the command's code. */
const commandParts = 'test/support/command/run-zoo.ts';
/** Tests that read files which no module imports. */
const readers: readonly [files: RegExp, test: string][] = [
  [/^(README|docs\/.+)\.md$/, 'test/journeys/docs.test.ts'],
  [/^examples\//, 'test/journeys/examples.test.ts'],
  [/\.md$/, 'test/documents.test.ts'],
  [/^(src|web)\/.+\.tsx?$/, 'test/architecture.test.ts'],
];

/**
 * Returns the tests that a change touches, nearest first: those that import a changed file, directly or through others, and the
 * journeys that are named after a changed command or screen, since they run it in another process.
 */
export function touchedTests(sources: Sources, changed: readonly string[]): TouchedTest[] {
  const importers = new Map<string, string[]>();
  for (const [file, text] of sources) {
    for (const imported of importsOf(file, text)) {
      const known = importers.get(imported);
      if (known) known.push(file);
      else importers.set(imported, [file]);
    }
  }
  const distances = new Map(changed.map((file) => [file, 0]));
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  const slow = new Set(slowParts.flatMap((part) => importers.get(part) ?? []));
  const processes = new Set([...slow, ...(importers.get(commandParts) ?? [])]);
  const named = new Set([...changed.flatMap(readersOf), ...namedJourneys(changed, processes)]);
  const touched: TouchedTest[] = [];
  for (const file of sources.keys()) {
    if (!isTest(file)) continue;
    const distance = named.has(file) ? Math.min(1, distances.get(file) ?? 1) : distances.get(file);
    if (distance === undefined) continue;
    // Imports reveal little about these tests. They are affected if they, their support files, or what they are named after have changed.
    if (slow.has(file) && distance > 1) continue;
    touched.push({ file, distance });
  }
  return touched.sort((one, other) => one.distance - other.distance || one.file.localeCompare(other.file));
}

function readersOf(changed: string): string[] {
  return readers.filter(([files]) => files.test(changed)).map(([, test]) => test);
}

/** `src/cli/backup.ts` → `cli-backup.test.ts`, `src/team/mail/mail.cli.ts` → `cli-team.test.ts`, `web/screens/chats/…` → `web-chat.test.ts`. */
function namedJourneys(changed: readonly string[], journeys: ReadonlySet<string>): string[] {
  const names = changed.flatMap((file) => {
    const [, command] = /^src\/cli\/([a-z]+)/.exec(file) ?? /^src\/([a-z]+)\/.*\.cli\.ts$/.exec(file) ?? [];
    const [, screen] = /^web\/screens\/([a-z]+)/.exec(file) ?? [];
    return [command && `/cli-${singular(command)}`, screen && `/web-${singular(screen)}`].filter(
      (name) => name !== undefined,
    );
  });
  return [...journeys].filter((journey) => names.some((name) => journey.includes(name)));
}

function singular(noun: string): string {
  return noun.replace(/s$/, '');
}

/** Returns the relative specifiers of modules, including worker threads and child processes. Ignores type imports. */
function importsOf(file: string, text: string): Set<string> {
  const found = new Set<string>();
  for (const [line, address = ''] of text.matchAll(/^.*?['"](\.{1,2}\/[^'"\n]+\.tsx?)['"]/gm)) {
    if (!line.startsWith('import type ')) found.add(normalize(join(dirname(file), address)));
  }
  return found;
}
