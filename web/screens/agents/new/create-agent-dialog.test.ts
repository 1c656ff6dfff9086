import { describe, expect, it } from 'vitest';
import { idProblem, suggestId } from './create-agent-dialog.tsx';

const taken = new Set(['code-reviewer', 'code-reviewer-2', 'a'.repeat(64)]);

describe('suggestId', () => {
  it.each([
    ['Über Köder!', 'uber-koder'],
    ['Code Reviewer', 'code-reviewer-3'],
    ['a'.repeat(80), `${'a'.repeat(62)}-2`],
    ['???', ''],
  ])('suggests for "%s" the id "%s"', (name, id) => {
    expect(suggestId(name, taken)).toBe(id);
  });
});

describe('idProblem', () => {
  it.each([
    ['writer', null],
    ['Writer_2', null],
    ['', 'Enter an ID'],
    ['-x', 'begin and end with a letter or digit'],
    ['two words', 'must be 1–64'],
    ['code-reviewer', 'is taken'],
    ['gone', 'belongs to a deleted agent'],
  ])('reports for "%s": %s', (id, problem) => {
    const message = idProblem(id, taken, new Set(['gone']));
    if (problem === null) expect(message).toBeNull();
    else expect(message).toContain(problem);
  });
});
