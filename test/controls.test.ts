import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { controls } from '../bench/proofs/controls/controls.ts';
import { root } from '../scripts/run-step.ts';

/** `npm run proof -- controls` switches each of these off. This only keeps its table true. */
describe.each(controls)('$control', ({ file, off, test }) => {
  it('can be switched off at exactly one place', () => {
    expect(read(file).split(off.find)).toHaveLength(2);
    expect(off.replace).not.toBe(off.find);
  });

  it('has the test that the table names', () => {
    const quoted = [`'${test.title.replaceAll("'", "\\'")}'`, `"${test.title}"`, `\`${test.title}\``];
    expect(quoted.some((title) => read(test.file).includes(title))).toBe(true);
  });
});

it('each control is in the table once', () => {
  const named = controls.map(({ control }) => control);
  expect(new Set(named).size).toBe(named.length);
});

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
