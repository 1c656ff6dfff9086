import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createVitest, type Vitest } from 'vitest/node';
import { root } from '../scripts/run-step.ts';
import { type Control, isTestNamed, testPattern } from './proofs/controls/control.ts';
import { controls } from './proofs/controls/controls.ts';

const copy = join(root, '.cache', 'controls');
/** Without a control that limits time, its test ends here. */
const testTimeout = 60_000;

/**
 * Returns true if each control's test passes, and fails when that control alone is switched off. `only` selects the controls
 * whose description contains one of these texts. Works in a copy of the project, so the sources stay as they are.
 */
export async function proveControls({ only = [''] }: { only?: readonly string[] } = {}): Promise<boolean> {
  const chosen = controls.filter(({ control }) =>
    only.some((text) => control.toLowerCase().includes(text.toLowerCase())),
  );
  const before = process.cwd();
  await copyProject();
  // Some tests read files of the project by a relative path.
  process.chdir(copy);
  const vitest = await createVitest('test', { root: copy, watch: false, reporters: [{}], testTimeout });
  try {
    const outcomes = await runTests(vitest, chosen);
    let proven = 0;
    for (const control of chosen) {
      const isGreen = outcomes(control).every((state) => state === 'passed') && outcomes(control).length > 0;
      const fault = isGreen ? await switchOff(vitest, control) : `this does not pass as it is: ${control.test.title}`;
      if (fault === undefined) proven += 1;
      print(
        fault === undefined
          ? `✓ ${control.control}: without it, this fails: ${control.test.title}`
          : `✗ ${control.control}: ${fault}`,
      );
    }
    print(`${proven} of ${chosen.length} controls have a test that fails without them`);
    return chosen.length > 0 && proven === chosen.length;
  } finally {
    await vitest.close();
    process.chdir(before);
    await rm(copy, { recursive: true, force: true });
  }
}

async function copyProject(): Promise<void> {
  await rm(copy, { recursive: true, force: true });
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await promisify(execFile)('git', listing, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  for (const file of new Set(stdout.split('\0').filter(Boolean))) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await cp(join(root, file), join(copy, file), { verbatimSymlinks: true }).catch((error: NodeJS.ErrnoException) => {
      // A deleted file is listed until the deletion is committed.
      if (error.code !== 'ENOENT') throw error;
    });
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/** Switches a control off and runs its test. Returns undefined if the test fails, or else what happened. */
async function switchOff(vitest: Vitest, control: Control): Promise<string | undefined> {
  const { file, off, test } = control;
  const path = join(copy, file);
  const source = await readFile(path, 'utf8');
  const parts = source.split(off.find);
  if (parts.length !== 2) {
    return `${file} contains ${JSON.stringify(off.find)} ${parts.length - 1} times, not once. Update its row in bench/proofs/controls.`;
  }
  try {
    await writeFile(path, parts.join(off.replace));
    vitest.invalidateFile(path);
    const states = (await runTests(vitest, [control]))(control);
    // A file that cannot be loaded has no results, which proves nothing.
    if (states.length === 0) return `without it, this did not run: ${test.title}`;
    return states.includes('failed') ? undefined : `without it, this still passes: ${test.title}`;
  } finally {
    await writeFile(path, source);
    vitest.invalidateFile(path);
  }
}

/** Runs the tests of these controls. Returns the states of a control's test, one for each row of its table. */
async function runTests(vitest: Vitest, some: readonly Control[]): Promise<(control: Control) => string[]> {
  vitest.setGlobalTestNamePattern(new RegExp(some.map(({ test }) => testPattern(test.title)).join('|')));
  const wanted = new Set(some.map(({ test }) => join(copy, test.file)));
  const specifications = (await vitest.globTestSpecifications()).filter(({ moduleId }) => wanted.has(moduleId));
  const { testModules } = await vitest.runTestSpecifications(specifications, true);
  const results = testModules.flatMap((module) =>
    [...module.children.allTests()].map((test) => ({
      file: module.moduleId,
      title: test.name,
      state: test.result().state,
    })),
  );
  return ({ test }) =>
    results
      .filter(({ file, title }) => file === join(copy, test.file) && isTestNamed(test.title, title))
      .map(({ state }) => state)
      .filter((state) => state !== 'skipped');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** `npx node bench/proof-controls.ts TEXT…` proves the controls whose description contains one of the texts. */
if (import.meta.main) {
  const only = process.argv.length > 2 ? process.argv.slice(2) : undefined;
  process.exitCode = (await proveControls(only && { only })) ? 0 : 1;
}
